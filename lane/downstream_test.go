package lane

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/observe/python"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/lane/worktree"
)

// changed is a check whose plan is made, of a repository with these files, and a change of some of them.
func changed(t *testing.T, files, change map[string]string, kind string) *job {
	t.Helper()
	dir := t.TempDir()
	lay := func(files map[string]string) {
		for name, text := range files {
			must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
			write(t, dir, name, text)
		}
	}
	lay(files)
	lay(map[string]string{"lane.toml": "id = \"x\"\n[source]\nhead = \"change\"\n[[task]]\nname = \"unit\"\nrun = [\"true\"]\n"})
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "base")
	branch(t, dir, "change", func() { lay(change) })
	s, err := spec.Load(filepath.Join(dir, "lane.toml"))
	must(t, err)
	j, err := Options{State: t.TempDir(), Cache: t.TempDir(), Change: kind}.planOnly(t.Context(), s)
	must(t, err)
	t.Cleanup(j.close)
	return j
}

// A test below the place is the library's own, in whatever way its runner names it, and one elsewhere the user's.
func TestPlacedTests(t *testing.T) {
	for _, c := range []struct {
		place, dir, module string
		id, unit           string
		want               bool
	}{
		{"lib", ".", "", "lib/tests/test_a.py::test_x", "", true},
		{"lib", ".", "", "tests/test_lib.py::test_x", "", false},
		{"lib", ".", "", "library/test_a.py::test_x", "", false},
		{"lib", ".", "", "tests/lib/test_a.py::test_x", "", false},
		{"web/lib", "web", "", "lib/test_a.py::test_x", "", true},
		{"vendor/lib", ".", "", "vendor.lib.test_a.TestX.test_x", "", true},
		{"lib", ".", "", "adds", "lib/add.test.js", true},
		{"lib", ".", "", "adds", "add.test.js", false},
		{"lib", ".", "example.org/box", "example.org/box/lib.TestX", "example.org/box/lib", true},
		{"lib", ".", "example.org/box", "example.org/box/lib/deep.TestX", "example.org/box/lib/deep", true},
		{"lib", ".", "example.org/box", "example.org/box/cmd/lib.TestX", "example.org/box/cmd/lib", false},
		{"lib", ".", "example.org/box", "example.org/box/liberal.TestX", "example.org/box/liberal", false},
	} {
		d := spec.Downstream{Place: c.place, Dir: c.dir}
		if got := isPlaced(d, c.module, c.id, c.unit); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

// What passes in every run with base has to pass with head: of a suite of Python, whose library lies beside it.
func TestWhatAUserRequires(t *testing.T) {
	const passed, failed = observe.Passed, observe.Failed
	run := func(end assurance.End, tests map[string]observe.Status) observed {
		s := &observe.Session{}
		for id, st := range tests {
			s.Tests = append(s.Tests, observe.Test{ID: id, Status: st})
		}
		return observed{s, &assurance.RunObservation{End: end, Units: []assurance.UnitResult{{ID: "old", Unbuilt: true}}}}
	}
	base := map[string]observe.Status{"test_a.py::a": passed, "test_a.py::b": passed, "test_a.py::old": failed, "lib/test_lib.py::x": passed, "lib/test_lib.py::y": failed}
	for name, c := range map[string]struct {
		noBase         bool
		named          []string
		again          map[string]observe.Status // by a second run with base, where there is one
		end            assurance.End
		require, fails []string
	}{
		"all that pass":            {require: []string{"test_a.py::a", "test_a.py::b"}, fails: []string{"lib/test_lib.py::y", "test_a.py::old"}},
		"one that comes and goes":  {again: map[string]observe.Status{"test_a.py::a": passed, "test_a.py::new": passed}, require: []string{"test_a.py::a"}, fails: []string{"lib/test_lib.py::y", "test_a.py::b", "test_a.py::new", "test_a.py::old"}},
		"named":                    {named: []string{"test_a.py::b"}, require: []string{"test_a.py::b"}},
		"named, and fails on base": {named: []string{"test_a.py::b", "test_a.py::old"}, require: []string{"test_a.py::b"}, fails: []string{"test_a.py::old"}},
		"named, and nowhere":       {named: []string{"test_a.py::gone"}, fails: []string{"test_a.py::gone"}},
		"base came to no end":      {end: assurance.EndTimeout, fails: []string{"lib/test_lib.py::x", "lib/test_lib.py::y", "test_a.py::a", "test_a.py::b", "test_a.py::old"}},
		"no base":                  {noBase: true, require: []string{"test_a.py::a", "test_a.py::b", "test_a.py::head"}},
	} {
		t.Run(name, func(t *testing.T) {
			end := c.end
			if end == "" {
				end = assurance.EndExited
			}
			x := &suite{job: &job{base: &worktree.Tree{}}, d: spec.Downstream{Place: "lib", Dir: ".", Tests: c.named}, rep: python.Pytest{}, seen: map[string]observed{
				"head": run(assurance.EndExited, map[string]observe.Status{"test_a.py::a": passed, "test_a.py::b": failed, "test_a.py::head": passed})}}
			x.planned.Runs = []assurance.DownstreamRun{{ID: "head", On: assurance.Head}}
			if c.noBase {
				x.base = nil
			} else {
				x.planned.Runs = append(x.planned.Runs, assurance.DownstreamRun{ID: "base", On: assurance.Base})
				x.seen["base"] = run(end, base)
			}
			if c.again != nil {
				x.planned.Runs = append(x.planned.Runs, assurance.DownstreamRun{ID: "base-again", On: assurance.Base})
				x.seen["base-again"] = run(assurance.EndExited, c.again)
			}
			x.require()
			if diff := cmp.Diff([][]string{c.require, c.fails}, [][]string{some(x.planned.Tests), some(x.planned.BaseFails)}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if want := !c.noBase; slices.Contains(x.planned.BrokenOnBase, "old") != want {
				t.Errorf("broken on base: %q", x.planned.BrokenOnBase)
			}
			if want := slices.Contains(c.require, "test_a.py::b"); x.breaks() != want {
				t.Errorf("head breaks something: %t", x.breaks())
			}
		})
	}
}

func some(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
}

// The control takes the code of the folders away in which the change touches code, of the part that the user sees, and all code where it touches none.
func TestWhatTheControlTakesAway(t *testing.T) {
	files := map[string]string{"go.mod": "module x\n", "a.go": "1", "a_test.go": "1", "other/b.go": "1", "other/c.go": "1", "other/deep/d.go": "1", "README.md": "1", "bin/run": "#!/bin/sh\n"}
	for name, c := range map[string]struct {
		folder string
		change map[string]string
		kind   string
		want   []string
		all    bool
	}{
		"a package":               {".", map[string]string{"other/b.go": "2"}, "", []string{"other/b.go", "other/c.go"}, false},
		"a new file of a package": {".", map[string]string{"other/new.go": "2"}, "", []string{"other/b.go", "other/c.go", "other/new.go"}, false},
		"of a part":               {"other", map[string]string{"other/b.go": "2", "a.go": "2"}, "", []string{"other/b.go", "other/c.go"}, false},
		"a script":                {".", map[string]string{"bin/run": "#!/bin/sh\ntrue\n"}, "", []string{"bin/run"}, false},
		"no code":                 {".", map[string]string{"README.md": "2", "a_test.go": "2"}, "", []string{"a.go", "other/b.go", "other/c.go", "other/deep/d.go"}, true},
		"code of another part":    {"other", map[string]string{"a.go": "2"}, "", []string{"other/b.go", "other/c.go", "other/deep/d.go"}, true},
		"no change":               {".", map[string]string{"a.go": "2"}, "tree", []string{"a.go", "other/b.go", "other/c.go", "other/deep/d.go"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			j := changed(t, files, c.change, c.kind)
			gone, all, err := j.gutted(spec.Downstream{Folder: c.folder})
			must(t, err)
			var got []string
			for file := range gone {
				got = append(got, file)
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" || all != c.all {
				t.Errorf("all %t, (-want +got):\n%s", all, diff)
			}
		})
	}
}

// Mistakes of the caller's are told before anything runs, and a commit of the repository under check is no user of it.
func TestWhoseSuiteIsRun(t *testing.T) {
	j := changed(t, map[string]string{"a.go": "1"}, map[string]string{"a.go": "2"}, "")
	ours, file := j.change.BaseCommit, filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o644))
	s := &spec.Spec{Downstream: []spec.Downstream{{Name: "toolbox", Source: "https://example.org/toolbox.git", Commit: ours}}}
	for _, c := range []struct {
		given  map[string]string
		commit string
		says   string
	}{
		{map[string]string{"toolbox": j.repo.Root()}, ours, ""},
		{nil, ours, ""},
		{map[string]string{"toolbox": j.repo.Root()}, strings.Repeat("00", 20), "has no commit"},
		{map[string]string{"toolbox": j.repo.Root()}, j.change.BaseTree, "has no commit"},
		{map[string]string{"toolbox": file}, ours, "is no folder"},
		{map[string]string{"toolbox": filepath.Join(file, "x")}, ours, "read --downstream toolbox"},
		{map[string]string{"toolbox": filepath.Dir(file)}, ours, "read --downstream toolbox"},
	} {
		s.Downstream[0].Commit = c.commit
		o := j.o
		o.Downstream = c.given
		if err := o.findUsers(t.Context(), s); (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v at %s: %v, want %q", c.given, c.commit, err, c.says)
		}
	}
	j.o.Downstream = map[string]string{"toolbox": j.repo.Root()}
	s.Downstream[0].Commit = ours
	var p assurance.PlannedDownstream
	if err := j.runSuite(t.Context(), s.Downstream[0], j.repo.Root(), &p); err != nil || !strings.Contains(p.Unasked, "a commit of the repository under check") {
		t.Errorf("%v, %q", err, p.Unasked)
	}
}
