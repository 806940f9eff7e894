package spec

import (
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/vallane/lane/lane/spec/position"
)

const (
	defaultTimeout = 5 * time.Minute
	defaultBudget  = 15 * time.Minute
)

// resolver fills a Spec from the checked values and the defaults. A value that
// was refused leaves its field empty: then there is an error, and no Spec.
type resolver struct {
	*checker
	fallback map[string]any // values of the settings' defaults
	defaults map[string]bool
}

// spec builds the Spec from what was checked.
func (c *checker) spec() *Spec {
	r := &resolver{checker: c, fallback: defaultValues(c.settings), defaults: map[string]bool{}}
	s := &Spec{Name: c.name, Defaults: r.defaults, index: c.index}
	s.ID = r.text("id")
	s.Title = or(r, "title", s.ID)
	s.Change = r.text("change")
	s.Source = r.source()
	s.Env = Env{
		Flake: r.text("env.flake"), Extras: r.list("env.extras"), Accept: r.list("env.accept"), Fetch: r.commands("env.fetch"), Allow: r.list("env.allow"),
		Tree: r.text("env.tree"), Fence: r.text("env.fence"),
	}
	s.Limits = Limits{
		Deadline: r.duration("limits.deadline"), Memory: r.size("limits.memory"),
		Processes: r.integer("limits.processes"), CPUs: r.integer("limits.cpus"),
	}
	s.Criteria, s.Tasks = []Criterion{}, []Task{}
	for path := position.Path("criterion").At(0); c.given[path]; path = position.Path("criterion").At(len(s.Criteria)) {
		s.Criteria = append(s.Criteria, r.criterion(path))
	}
	for path := position.Path("task").At(0); c.given[path]; path = position.Path("task").At(len(s.Tasks)) {
		s.Tasks = append(s.Tasks, r.task(path, s))
	}
	if s.Defaults["env.fence"] && len(s.Tasks) > 0 && !slices.ContainsFunc(s.Tasks, func(t Task) bool { return !t.Module() }) {
		s.Env.Fence = FenceWASI
	}
	s.Services = r.services(s)
	s.Target = r.target(s)
	s.Hidden = r.hidden(s)
	s.Tests = Tests{Required: r.list("tests.required"), Removes: r.list("tests.removes")}
	s.Stability = Stability{Runs: r.integer("stability.runs"), Vary: r.list("stability.vary")}
	s.Mutation = Mutation{Scope: r.text("mutation.scope"), Budget: r.within("mutation.budget", defaultBudget, s.Limits.Deadline), Baseline: or(r, "mutation.baseline", "")}
	for path := position.Path("mutation.plugin").At(0); c.given[path]; path = position.Path("mutation.plugin").At(len(s.Mutation.Plugins)) {
		s.Mutation.Plugins = append(s.Mutation.Plugins, Plugin{Path: r.text(path.Key("path")), SHA256: r.text(path.Key("sha256"))})
	}
	s.Deploy = r.deploy(s)
	for path := position.Path("downstream").At(0); c.given[path]; path = position.Path("downstream").At(len(s.Downstream)) {
		s.Downstream = append(s.Downstream, r.downstream(path, s))
	}
	s.Assurance = Assurance{Require: r.integer("assurance.require"), Protect: r.list("assurance.protect")}
	return s
}

func (r *resolver) source() Source {
	s := Source{Repo: r.text("source.repo"), Base: r.text("source.base"), Git: value[bool](r, "source.git")}
	s.Patch = or(r, "source.patch", "")
	if !r.given["source.patch"] {
		s.Head = r.text("source.head")
	}
	return s
}

func (r *resolver) criterion(path position.Path) Criterion {
	return Criterion{
		ID: r.text(path.Key("id")), Kind: r.text(path.Key("kind")), Text: r.text(path.Key("text")),
		Code: r.list(path.Key("code")), Tests: r.list(path.Key("tests")), Removes: r.list(path.Key("removes")),
	}
}

func (r *resolver) task(path position.Path, s *Spec) Task {
	t := Task{
		Name: r.text(path.Key("name")), Kind: r.text(path.Key("kind")), Run: r.list(path.Key("run")), Build: r.list(path.Key("build")), Reporter: r.text(path.Key("reporter")),
		Timeout: r.within(path.Key("timeout"), defaultTimeout, s.Limits.Deadline),
		Env:     maps.Clone(value[map[string]string](r, path.Key("env"))),
		Tests:   r.list(path.Key("tests")),
		Flake:   or(r, path.Key("flake"), s.Env.Flake),
		Fetch:   or(r, path.Key("fetch"), s.Env.Fetch),
		Allow:   or(r, path.Key("allow"), s.Env.Allow),
	}
	if dir := r.text(path.Key("dir")); dir != "" {
		t.Dir = cleanFolder(dir)
	}
	if t.Kind == TaskTest {
		t.Kind = ""
	}
	return t
}

// value returns what the text or the table of settings gives a path, and marks
// the path where it is the latter.
func value[T any](r *resolver, path position.Path) T {
	v, ok := r.values[path]
	if !ok && !r.given[path] {
		if v, ok = r.fallback[generic(path)]; ok {
			r.defaults[string(path)] = true
		}
	}
	t, _ := v.(T)
	return t
}

// or returns what the text gives a path whose default is not the same for all.
func or[T any](r *resolver, path position.Path, fallback T) T {
	if !r.given[path] {
		r.defaults[string(path)] = true
		return fallback
	}
	t, _ := r.values[path].(T)
	return t
}

func (r *resolver) text(path position.Path) string         { return value[string](r, path) }
func (r *resolver) list(path position.Path) []string       { return value[[]string](r, path) }
func (r *resolver) commands(path position.Path) [][]string { return value[[][]string](r, path) }
func (r *resolver) integer(path position.Path) int         { return int(value[int64](r, path)) }

func (r *resolver) duration(path position.Path) time.Duration {
	d, _ := readDuration(r.text(path))
	return d
}

func (r *resolver) size(path position.Path) int64 {
	n, _ := readSize(r.text(path))
	return n
}

// within is a duration whose default is cut short by the deadline.
func (r *resolver) within(path position.Path, fallback, deadline time.Duration) time.Duration {
	if !r.given[path] {
		r.defaults[string(path)] = true
		if deadline > 0 {
			return min(fallback, deadline)
		}
		return fallback
	}
	return r.duration(path)
}

var elementNumber = regexp.MustCompile(`\[[0-9]+\]`)

// generic turns the path of a key into that of its setting.
func generic(path position.Path) string {
	return elementNumber.ReplaceAllString(string(path), "[]")
}

// defaultValues reads the defaults of the settings by the same rules as a text.
func defaultValues(settings []Setting) map[string]any {
	c := newChecker(&reading{index: position.Scan("")}, settings)
	all := map[string]any{}
	for i, s := range settings {
		if s.Default == "" {
			continue
		}
		var holder map[string]any
		if _, err := toml.Decode("value = "+s.Default, &holder); err != nil {
			continue // a test holds every default to be readable
		}
		c.setting(&settings[i], "value", holder["value"])
		all[s.Key] = c.values["value"]
		delete(c.values, "value")
	}
	return all
}
