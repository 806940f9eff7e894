package jsrunner_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/observe/jsrunner"
)

// statuses are the tests of a run, with their statuses.
func statuses(s *observe.Session) string {
	var out []string
	for _, x := range s.Tests {
		out = append(out, x.ID+": "+string(x.Status))
	}
	return strings.Join(out, "\n")
}

var reporters = []jsrunner.Reporter{jsrunner.Vitest(), jsrunner.Jest(), jsrunner.Mocha()}

// Which runner claims a command: the one that it starts itself, once.
func TestClaims(t *testing.T) {
	for command, want := range map[string]string{
		"vitest run":              "vitest",
		"vitest":                  "vitest",
		"npx --no vitest run":     "vitest",
		"npx -p vitest vitest":    "vitest",
		"vitest watch":            "",
		"vitest related src/a.ts": "",
		"node --no-warnings node_modules/vitest/vitest.mjs run": "vitest",
		"../../node_modules/.bin/jest --ci":                     "jest",
		"node -r ./setup.js node_modules/jest/bin/jest.js":      "jest",
		"jest":                           "jest",
		"mocha --recursive":              "mocha",
		"node node_modules/.bin/mocha":   "mocha",
		"node node_modules/tape/bin/tap": "",
		"node vitest":                    "vitest",
		"./tools/vitest run":             "",
		"npm test":                       "",
		"npx":                            "",
		"node":                           "",
		"sh -c vitest":                   "",
	} {
		var got []string
		for _, r := range reporters {
			if r.Claims(strings.Fields(command)) {
				got = append(got, r.Name())
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s is claimed by %q, want %q", command, got, want)
		}
	}
}

// What is run for a selection: the command with its own options, the files in its order, and no words that name other files.
func TestSelection(t *testing.T) {
	ids := []string{"test/b.test.js > is b", "test/a.test.js > a > is (a)", "test/b.test.js > is c"}
	const titles = `^\s*(?:is\s+b|a\s+(?:>\s+)?is\s+\(a\)|is\s+c)\s*$`
	for _, c := range []struct {
		r                observe.Reporter
		run, want, plain string
	}{
		{jsrunner.Vitest(), "vitest run --pool forks test/",
			"vitest run --pool forks --reporter=default --reporter=/lane/js/vitest.mjs --testNamePattern=TITLES --bail=1 /tree/test/b.test.js /tree/test/a.test.js",
			"vitest run --pool forks test/ --reporter=default --reporter=/lane/js/vitest.mjs"},
		{jsrunner.Vitest(), "vitest --run --reporter junit",
			"vitest --run --reporter junit --reporter=/lane/js/vitest.mjs --testNamePattern=TITLES --bail=1 /tree/test/b.test.js /tree/test/a.test.js",
			"vitest --run --reporter junit --reporter=/lane/js/vitest.mjs"},
		{jsrunner.Jest(), "jest --ci -c jest.json test",
			"jest --ci -c jest.json --reporters=default --reporters=/lane/js/jest.cjs --testSequencer=/lane/js/sequence.cjs --testNamePattern=TITLES --bail=1 --runTestsByPath /tree/test/b.test.js /tree/test/a.test.js",
			"jest --ci -c jest.json test --reporters=default --reporters=/lane/js/jest.cjs"},
		{jsrunner.Mocha(), "mocha --exit -r setup.js test/*.js",
			"mocha --exit -r setup.js --reporter /lane/js/mocha.cjs --grep=TITLES --bail /tree/test/b.test.js /tree/test/a.test.js",
			"mocha --exit -r setup.js test/*.js --reporter /lane/js/mocha.cjs"},
	} {
		q := observe.Request{Argv: strings.Fields(c.run), TreeHost: t.TempDir()}
		p, err := c.r.Instrument(q)
		if err != nil || !p.Selectable || strings.Join(p.Argv, " ") != c.plain {
			t.Errorf("%s: selectable: %v, %v, %q", c.run, p.Selectable, err, p.Argv)
		}
		q.Select, q.FailFast = ids, true
		if p, err = c.r.Instrument(q); err != nil || strings.Join(p.Argv, " ") != strings.Replace(c.want, "TITLES", titles, 1) {
			t.Errorf("%s: %v, %q", c.run, err, p.Argv)
		}
		for _, arg := range p.Argv {
			if name, ok := strings.CutPrefix(arg, "--reporter="); ok && strings.HasPrefix(name, "/lane") && p.Files[name] == nil {
				t.Errorf("%s: %s is not laid", c.run, name)
			}
		}
	}
}

// A command that chooses its tests by itself, or of which nobody knows what names files, is run as it is.
func TestUnselectable(t *testing.T) {
	rc := t.TempDir()
	for name, text := range map[string]string{"all/.mocharc.json": `{"spec": "lib/*.js"}`, "pack/package.json": `{"mocha": {"spec": ["a.js"]}}`, "other/.mocharc.yml": "reporter: spec\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(rc, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(rc, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		r        observe.Reporter
		run, dir string
		want     bool
	}{
		{jsrunner.Vitest(), "vitest run -t total", "", false},
		{jsrunner.Vitest(), "vitest run --shard=1/2", "", false},
		{jsrunner.Vitest(), "vitest run --project unit test", "", false},
		{jsrunner.Jest(), "jest test/unit -t adds --projects a b", "", false},
		{jsrunner.Jest(), "jest --projects a b -- test", "", false},
		{jsrunner.Mocha(), "mocha --ignore test/slow.js test/", "", false},
		{jsrunner.Mocha(), "mocha --grep total test/a.js", "", false},
		{jsrunner.Mocha(), "mocha -- test/a.js", "", true},
		{jsrunner.Vitest(), "vitest run --strange test", "", false},
		{jsrunner.Vitest(), "vitest run --strange --silent", "", true},
		{jsrunner.Vitest(), "vitest run --no-color test", "", true},
		{jsrunner.Jest(), "jest --findRelatedTests a.js", "", false},
		{jsrunner.Jest(), "jest --testPathPattern=a", "", false},
		{jsrunner.Mocha(), "mocha -g total", "", false},
		{jsrunner.Mocha(), "mocha", "all", false},
		{jsrunner.Mocha(), "mocha", "pack", false},
		{jsrunner.Mocha(), "mocha", "other", true},
		{jsrunner.Mocha(), "mocha", "", true},
	} {
		q := observe.Request{Argv: strings.Fields(c.run), TreeHost: rc, Dir: c.dir}
		p, err := c.r.Instrument(q)
		if err != nil || p.Selectable != c.want || (len(p.Notes) > 0) == c.want {
			t.Errorf("%s in %q: selectable: %v, want %v: %q, %v", c.run, c.dir, p.Selectable, c.want, p.Notes, err)
		}
		if own, rest, _ := strings.Cut(c.run, " -- "); !strings.HasPrefix(strings.Join(p.Argv, " "), own+" --reporter") || !strings.HasSuffix(strings.Join(p.Argv, " "), rest) {
			t.Errorf("%s is run as %q", c.run, p.Argv)
		}
		q.Select = []string{"a.test.js > a"}
		if _, err = c.r.Instrument(q); (err == nil) != c.want {
			t.Errorf("%s in %q, selected: %v", c.run, c.dir, err)
		}
	}
	_, err := jsrunner.Jest().Instrument(observe.Request{Argv: []string{"npm", "test"}})
	if unparsed := (*observe.Unparsed)(nil); !errors.As(err, &unparsed) {
		t.Errorf("a script: %v", err)
	}
}

// jest takes all words after --reporters, also after --reporters=a, for reporters, up to the next option.
func TestJestReporters(t *testing.T) {
	for run, selected := range map[string]bool{"jest test/unit": true, "jest --ci test": true, "jest -- test/unit": true, "jest": true, "jest --reporters=dots --ci test": true, "jest -t adds test": false} {
		for _, q := range []observe.Request{{}, {FailFast: true}, {Seed: 7}, {Select: []string{"a.test.js > a"}}, {Select: []string{"a.test.js"}, FailFast: true}} {
			if q.Select != nil && !selected {
				continue
			}
			q.Argv, q.TreeHost = strings.Fields(run), t.TempDir()
			p, err := jsrunner.Jest().Instrument(q)
			if err != nil {
				t.Fatal(err)
			}
			for i, word := range p.Argv[:len(p.Argv)-1] {
				if next := p.Argv[i+1]; strings.HasPrefix(word, "--reporters=") && !strings.HasPrefix(next, "-") {
					t.Errorf("%s: jest takes %s for a reporter: %q", run, next, p.Argv)
				}
			}
		}
	}
}

// The order of tests is varied where every release has an option for it, and where not, that is said.
func TestOrder(t *testing.T) {
	for _, r := range reporters {
		p, err := r.Instrument(observe.Request{Argv: []string{r.Name()}, TreeHost: t.TempDir(), Seed: 1<<40 + 7})
		if varied := slices.Contains(p.Argv, "--sequence.seed=7"); err != nil || varied == (len(p.Notes) > 0) || varied != (r.Name() == "vitest") {
			t.Errorf("%s: %v, %q, %q", r.Name(), err, p.Argv, p.Notes)
		}
	}
}

// An expression fits the titles that it is made for, as a runner joins them, and no other.
func TestExpression(t *testing.T) {
	for name, others := range map[string][]string{
		"adds up":             {"adds upp", "it adds up"},
		"cart > adds a > b":   {"cart adds a", "cart adds a  c"},
		"$1.00 (a|b) [c] \\d": {"$1x00 (a|b) [c] \\d", "a"},
		"two\n  lines":        {"two"},
	} {
		p, err := jsrunner.Mocha().Instrument(observe.Request{Argv: []string{"mocha"}, TreeHost: t.TempDir(), Select: []string{"a.js > " + name}})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(p.Argv, func(a string) bool { return strings.HasPrefix(a, "--grep=") })
		re := regexp.MustCompile(strings.TrimPrefix(p.Argv[at], "--grep="))
		for _, full := range []string{name, strings.ReplaceAll(name, " > ", " "), " " + strings.Replace(name, " > ", " ", 1)} {
			if !re.MatchString(full) {
				t.Errorf("%s does not fit %q", re, full)
			}
		}
		for _, o := range others {
			if re.MatchString(o) {
				t.Errorf("%s fits %q", re, o)
			}
		}
	}
	long := []string{"a.js > " + strings.Repeat("x", 1000)}
	for _, ids := range [][]string{long, {"a.js"}} {
		p, err := jsrunner.Mocha().Instrument(observe.Request{Argv: []string{"mocha"}, TreeHost: t.TempDir(), Select: ids})
		if err != nil || slices.ContainsFunc(p.Argv, func(a string) bool { return strings.HasPrefix(a, "--grep") }) {
			t.Errorf("a name that is not told in full: %v, %q", err, p.Argv)
		}
	}
}

// What the scripts of Lane write, and what others may write in their place.
func TestReport(t *testing.T) {
	for _, c := range []struct {
		name, text string
		selected   []string
		want       string // tests; "" = cannot be counted
	}{
		{"passed and failed", `{"files":[{"file":"a.js","tests":[{"name":["a","b"],"status":"passed","ms":2},{"name":["c"],"status":"failed","message":"no"}]}]}`, nil,
			"a.js > a > b: passed\na.js > c: failed"},
		{"skipped", `{"files":[{"file":"a.js","tests":[{"name":["a"],"status":"skipped"},{"name":["b"],"status":"skipped"}]}]}`, []string{"a.js > b"}, "a.js > b: skipped"},
		{"not loaded", `{"files":[{"file":"a.js","tests":[],"error":"no"}]}`, nil, "a.js: failed"},
		{"twice", `{"files":[{"file":"a.js","tests":[{"name":["a"],"status":"passed"},{"name":["a"],"status":"failed"}]}]}`, nil, "a.js > a: failed"},
		{"nothing", `{"files":[]}`, nil, "none"},
		{"no JSON", `{"files":`, nil, ""},
		{"another status", `{"files":[{"file":"a.js","tests":[{"name":["a"],"status":"fine"}]}]}`, nil, ""},
	} {
		p, err := jsrunner.Vitest().Instrument(observe.Request{Argv: []string{"vitest", "run"}, TreeHost: t.TempDir(), Select: c.selected})
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Read(observe.Remains{End: observe.End{Exited: true}, Files: map[string][]byte{p.Collect[0]: []byte(c.text)}})
		col := p.Collector()
		col.Replay(r)
		got := statuses(col.Session())
		if unparsed := (*observe.Unparsed)(nil); errors.As(err, &unparsed) {
			got = ""
		} else if got == "" {
			got = "none"
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	p, _ := jsrunner.Vitest().Instrument(observe.Request{Argv: []string{"vitest", "run"}, TreeHost: t.TempDir()})
	if r, err := p.Read(observe.Remains{}); err != nil || len(r.Units) > 0 || !strings.Contains(r.Detail, "without a report") {
		t.Errorf("no report: %+v, %v", r, err)
	}
}

// One recorded run of all files, or one of each where the runner does not say which is at hand.
func TestRecordings(t *testing.T) {
	ids := []string{"b.test.js > b", "a.test.js > a", "b.test.js > c"}
	for _, c := range []struct {
		r    jsrunner.Reporter
		runs int
		line string
		want observe.Mark
	}{
		{jsrunner.Vitest(), 1, `["/tree/a.test.js","src/a.js",2]`, observe.Mark{Unit: "a.test.js", File: "src/a.js", Place: 2}},
		{jsrunner.Jest(), 1, `["","src/a.js",2]`, observe.Mark{File: "src/a.js", Place: 2}},
		{jsrunner.Mocha(), 2, `["","src/a.js",2]`, observe.Mark{Unit: "b.test.js", File: "src/a.js", Place: 2}},
	} {
		runs, err := c.r.Record(observe.Request{Argv: []string{c.r.Name()}, TreeHost: t.TempDir(), Select: ids, Env: []string{"NODE_OPTIONS=--no-warnings"}})
		if err != nil || len(runs) != c.runs {
			t.Fatalf("%s: %d runs, %v", c.r.Name(), len(runs), err)
		}
		p := runs[0]
		if !slices.Contains(p.Collect, p.At) || !slices.Equal(p.Env, []string{"NODE_OPTIONS=--require=/lane/js/reached.cjs --no-warnings"}) || p.Files["/lane/js/reached.cjs"] == nil {
			t.Errorf("%s: %q %q", c.r.Name(), p.Collect, p.Env)
		}
		if (p.Argv[len(p.Argv)-1] == "--isolate") != (c.r.Name() == "vitest") {
			t.Errorf("%s: %q", c.r.Name(), p.Argv)
		}
		marks, err := p.Parse([]byte(c.line + "\n"))
		if err != nil || len(marks) != 1 || marks[0] != c.want {
			t.Errorf("%s: %+v, %v", c.r.Name(), marks, err)
		}
		for _, bad := range []string{"x", `["/tree/a",1,2]`, `["","a.js",1.5]`, `["","a.js"]`} {
			if _, err := p.Parse([]byte(bad)); err == nil {
				t.Errorf("%s: %s is read", c.r.Name(), bad)
			}
		}
	}
	for _, own := range []string{"--no-isolate", "--isolate=false", "--poolOptions.forks.isolate=false", "--no-poolOptions.threads.isolate"} {
		runs, err := jsrunner.Vitest().Record(observe.Request{Argv: []string{"vitest", "run", own}, TreeHost: t.TempDir(), Select: ids})
		if err != nil || slices.Contains(runs[0].Argv, own) || runs[0].Argv[len(runs[0].Argv)-1] != "--isolate" {
			t.Errorf("%s: %v, %q", own, err, runs[0].Argv)
		}
	}
	runs, _ := jsrunner.Vitest().Record(observe.Request{Argv: []string{"vitest"}, TreeHost: t.TempDir(), Select: ids})
	if _, err := runs[0].Parse([]byte(`["/etc/a.test.js","a.js",1]` + "\n")); err == nil {
		t.Error("a test file outside of the tree is read")
	}
}
