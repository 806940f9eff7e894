package spec

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/vallane/lane/lane/spec/position"
)

// Downstream is the suite of one user of the library under test. Where the user's repository lies, whoever runs the check says.
type Downstream struct {
	Name     string            `json:"name"`
	Source   string            `json:"source"` // where people find it; Lane does not go there
	Commit   string            `json:"commit"` // 40 hexadecimal digits
	Place    string            `json:"place"`  // slash path below the user's tree
	Folder   string            `json:"folder"` // of the tree under test: what is seen at Place
	Run      []string          `json:"run"`
	Reporter string            `json:"reporter"`
	Dir      string            `json:"dir"`  // slash path below the user's tree
	Task     string            `json:"task"` // whose closure, dependencies and build cache the suite has
	Env      map[string]string `json:"env,omitempty"`
	Tests    []string          `json:"tests,omitempty"`
	Timeout  time.Duration     `json:"timeout"` // of one execution; above 0, at most the deadline
}

func downstreamSettings() []Setting {
	return []Setting{
		{Key: "downstream[]", Type: "tables", meant: []string{"users", "user", "consumer", "consumers", "dependents"},
			Doc: "The suite of a user of this library, which is run against the tree under test (VAL-2), where whoever runs the check has the user's repository; see [downstream.md](downstream.md)."},
		{Key: "downstream[].name", Type: "id", Required: true, Example: `"toolbox"`, meant: []string{"id", "title"},
			Doc: "Unique among the users of the spec, whatever their case."},
		{Key: "downstream[].source", Type: "repository", Required: true, Example: `"https://example.org/toolbox.git"`, meant: []string{"repo", "url", "git"},
			Doc: "Where people find the user's repository. Lane fetches nothing from there: `lane check --downstream NAME=FOLDER` names a clone."},
		{Key: "downstream[].commit", Type: "commit", Required: true, Example: `"5f0c2c1e8a3cbb0c8cf1a1c2c8a4d1c3b5a69788"`, meant: []string{"rev", "revision", "version", "ref", "sha"},
			Doc: "The commit of the user's repository whose suite is run: the pin. A branch or a tag would be another one tomorrow."},
		{Key: "downstream[].place", Type: "folder", Required: true, Example: `"vendor/example.org/shop"`, meant: []string{"at", "vendor", "replace", "path"},
			Doc: "The folder of the user's tree where its suite finds this library: a vendored copy, what a `replace` of go.mod names, a package. What the user has there gives way."},
		{Key: "downstream[].folder", Type: "folder", Default: `"."`, Example: `"src/shop"`, meant: []string{"part", "subfolder", "library"},
			Doc: "The folder of the tree under test that is seen at `place`."},
		{Key: "downstream[].run", Type: "command", Required: true, Example: `["go", "test", "./..."]`, meant: []string{"command", "cmd", "script"},
			Doc: "The command that tests, in the user's tree. It should run the user's tests alone; tests below `place` do not count."},
		{Key: "downstream[].reporter", Type: "reporter", Default: `"auto"`, meant: []string{"format", "runner", "framework"}, Doc: "How `run` reports, as for a task."},
		{Key: "downstream[].dir", Type: "folder", Default: `"."`, Example: `"cli"`, meant: []string{"cwd", "workdir", "directory"},
			Doc: "The folder of the user's tree that the command starts in."},
		{Key: "downstream[].task", Type: "id", Example: `"unit"`, meant: []string{"box", "env", "like", "closure"},
			Doc: "The task whose closure, fetched dependencies and build cache the suite has. By default the first that tests the tree."},
		{Key: "downstream[].env", Type: "variables", Example: `{PYTHONPATH = "lib/src"}`, meant: []string{"environment", "vars", "variables"},
			Doc: "Environment variables beside those that Lane sets, as for a task. By default those of the task."},
		{Key: "downstream[].tests", Type: "tests", Default: "[]", Example: `["example.org/toolbox.TestBox"]`, meant: []string{"required", "names"},
			Doc: "The tests that count. By default every one that passes with base."},
		{Key: "downstream[].timeout", Type: "duration", Example: `"5m"`, meant: []string{"limit", "deadline", "time"},
			Doc: "Of one execution. By default 5m, or the deadline where that is shorter."},
	}
}

const commitPattern = "^[0-9a-f]{40}$"

func checkCommit(s string) *complaint {
	if len(s) != 40 || strings.Trim(s, "0123456789abcdef") != "" {
		return complain("write what git rev-parse prints of it", "cannot be %s: it is no id of a commit, which has 40 hexadecimal digits in lower case", quote(s))
	}
	return nil
}

func (r *resolver) downstream(at position.Path, s *Spec) Downstream {
	d := Downstream{
		Name: r.text(at.Key("name")), Source: r.text(at.Key("source")), Commit: r.text(at.Key("commit")), Run: r.list(at.Key("run")),
		Reporter: r.text(at.Key("reporter")), Tests: r.list(at.Key("tests")), Timeout: r.within(at.Key("timeout"), defaultTimeout, s.Limits.Deadline),
	}
	for _, f := range []struct {
		key  string
		into *string
	}{{"place", &d.Place}, {"folder", &d.Folder}, {"dir", &d.Dir}} {
		if dir := r.text(at.Key(f.key)); dir != "" {
			*f.into = cleanFolder(dir)
		}
	}
	if len(s.Tasks) > 0 {
		d.Task = or(r, at.Key("task"), s.firstTask())
		if i := slices.IndexFunc(s.Tasks, func(t Task) bool { return t.Name == d.Task }); i >= 0 {
			d.Env = maps.Clone(or(r, at.Key("env"), s.Tasks[i].Env))
		}
	}
	return d
}

func (c *checker) downstreamRules(s *Spec) {
	names := map[string]position.Path{}
	for i, d := range s.Downstream {
		at := position.Path("downstream").At(i)
		c.unique(names, at.Key("name"), d.Name, "downstream user")
		switch {
		case d.Place == ".":
			c.at(at.Key("place"), `"place" is the whole of the user's tree, so that there would be no user`, `name a folder of it, as in "vendor/example.org/shop"`)
		case d.Place != "" && (d.Dir == d.Place || strings.HasPrefix(d.Dir, d.Place+"/")):
			c.at(at.Key("dir"), "\"dir\" lies in \"place\": the suite would be that of the tree under test", "name a folder of the user's own")
		}
		if d.Task != "" && !slices.ContainsFunc(s.treeTasks(), func(t Task) bool { return t.Name == d.Task }) {
			c.at(at.Key("task"), "there is no task "+quote(d.Task)+" that tests the tree", "name a [[task]] of this spec")
		}
		if d.Timeout > s.Limits.Deadline && c.given[at.Key("timeout")] && s.Limits.Deadline > 0 {
			c.at(at.Key("timeout"), "\"timeout\" is longer than the deadline of "+formatDuration(s.Limits.Deadline), "raise limits.deadline")
		}
	}
}

// Inside returns the path that a file of the tree under test has below Folder; ok is false for one that lies elsewhere.
func (d Downstream) Inside(file string) (rel string, ok bool) {
	if d.Folder == "." {
		return file, true
	}
	return strings.CutPrefix(file, d.Folder+"/")
}

// At returns where the user's suite finds a file of Folder.
func (d Downstream) At(rel string) string { return path.Join(d.Place, rel) }

// ResolvedDownstream is one [[downstream]].
type ResolvedDownstream struct {
	Name     string   `json:"name"`
	Source   string   `json:"source"`
	Commit   string   `json:"commit"`
	Place    string   `json:"place"`
	Folder   Value    `json:"folder"`
	Run      []string `json:"run"`
	Reporter Value    `json:"reporter"`
	Dir      Value    `json:"dir"`
	Task     Value    `json:"task"`
	Env      []string `json:"env,omitempty"` // NAME=value
	Tests    []string `json:"tests,omitempty"`
	Timeout  Value    `json:"timeout"`
}

func (s *Spec) resolvedDownstream() (out []ResolvedDownstream) {
	for i, d := range s.Downstream {
		var env []string
		for _, name := range slices.Sorted(maps.Keys(d.Env)) {
			env = append(env, name+"="+d.Env[name])
		}
		shown := func(key, text string) Value { return s.shown(fmt.Sprintf("downstream[%d].%s", i, key), text) }
		out = append(out, ResolvedDownstream{Name: d.Name, Source: d.Source, Commit: d.Commit, Place: d.Place, Folder: shown("folder", d.Folder), Run: d.Run,
			Reporter: shown("reporter", d.Reporter), Dir: shown("dir", d.Dir), Task: shown("task", d.Task), Env: env, Tests: d.Tests, Timeout: shown("timeout", formatDuration(d.Timeout))})
	}
	return out
}

func (p *page) downstream(all []ResolvedDownstream) {
	for _, d := range all {
		p.heading("downstream user " + d.Name)
		p.line(1, "source", d.Source)
		p.line(1, "commit", d.Commit)
		p.line(1, "place", d.Place)
		p.value(1, "folder", d.Folder)
		p.line(1, "run", commandLine(d.Run))
		p.value(1, "reporter", d.Reporter)
		p.value(1, "dir", d.Dir)
		p.value(1, "task", d.Task)
		if len(d.Env) > 0 {
			p.line(1, "env", commandLine(d.Env))
		}
		if len(d.Tests) > 0 {
			p.line(1, "tests", strings.Join(d.Tests, ", "))
		}
		p.value(1, "timeout", d.Timeout)
	}
}
