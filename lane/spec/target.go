package spec

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vallane/lane/lane/spec/position"
)

// LabelPlace is where the label of a run stands in Target.Name.
const LabelPlace = "{label}"

// What a task tests (task.kind).
const (
	TaskTest    = "test"
	TaskAPI     = "api"
	TaskBrowser = "browser" // as TaskAPI, with a browser of its closure
)

// OnTarget reports whether the task tests the running target, and not the tree.
func (t Task) OnTarget() bool { return t.Kind != "" }

// treeTasks are the tasks that test the tree.
func (s *Spec) treeTasks() []Task {
	return slices.DeleteFunc(slices.Clone(s.Tasks), Task.OnTarget)
}

// firstTask names the first task that tests the tree, or else the first.
func (s *Spec) firstTask() string {
	for _, t := range append(s.treeTasks(), s.Tasks...) {
		return t.Name
	}
	return ""
}

// Target is a disposable target, which is put up for one run and taken down after (VAL-3).
type Target struct {
	Name       string        `json:"name"` // holds LabelPlace
	Production bool          `json:"production"`
	Task       string        `json:"task"` // whose closure, dependencies and caches its commands have
	Build      []string      `json:"build,omitempty"`
	Up         []string      `json:"up"`
	Port       int           `json:"port"`
	Health     string        `json:"health"` // path and query
	Check      []string      `json:"check,omitempty"`
	Down       []string      `json:"down,omitempty"`
	Timeout    time.Duration `json:"timeout"`
}

func targetSettings() []Setting {
	return []Setting{
		{Key: "target", Type: "table", meant: []string{"deploy", "service", "server", "environment"},
			Doc: "A disposable target (VAL-3): what the change makes, put up for one run in a box of its own, asked by a check from another box that reaches nothing else, and taken down. See [target.md](target.md)."},
		{Key: "target.name", Type: "target-name", Default: `"lane-{label}"`, Example: `"shop-{label}"`, meant: []string{"id", "title"},
			Doc: "Its name. `{label}` is drawn for each run, and has to be in it. A name with a word such as `prod` or `live` is refused."},
		{Key: "target.production", Type: "boolean", Required: true, Example: "false", meant: []string{"prod", "live"},
			Doc: "Has to be `false`. Lane proves it by rule, and refuses a target of which it cannot."},
		{Key: "target.task", Type: "id", Example: `"unit"`, meant: []string{"closure", "flake", "env"},
			Doc: "The task whose closure, dependencies, build cache and variables the commands have. By default the first that tests the tree."},
		{Key: "target.build", Type: "command", Example: `["go", "build", "-o", "/tmp/shop", "./cmd/shop"]`, meant: []string{"compile", "prepare"},
			Doc: "Is run first, in the box of the target, which keeps what it writes. None by default."},
		{Key: "target.up", Type: "command", Required: true, Example: `["/tmp/shop"]`, meant: []string{"run", "start", "serve", "command"},
			Doc: "Puts the target up and goes on for as long as it is up: when it ends, every process of the box is ended. It finds `LANE_CHALLENGE`, `LANE_TARGET_NAME` and `LANE_TARGET_LABEL`."},
		{Key: "target.port", Type: "integer", Required: true, Min: 1, Max: 65535, Example: "8080", meant: []string{"address", "listen"},
			Doc: "Where it listens, on 127.0.0.1 of its box."},
		{Key: "target.health", Type: "url-path", Default: `"/"`, Example: `"/healthz"`, meant: []string{"alive", "ready", "url", "path"},
			Doc: "The path that Lane asks for by HTTP. Its answer has a status from 200 to 299, and the value of `LANE_CHALLENGE` in the header `Lane-Challenge`, or as the whole body."},
		{Key: "target.check", Type: "command", Example: `["sh", "acceptance.sh"]`, meant: []string{"test", "assert", "verify"},
			Doc: "Exits with 0 where the target does what it should. It finds `LANE_TARGET_URL`. It is also run against a stub that answers everything with 200 and nothing else, and has to exit with something else there. It may be left out where a task of kind `api` or `browser` tests the target."},
		{Key: "target.down", Type: "command", Example: `["sh", "down.sh"]`, meant: []string{"stop", "destroy", "cleanup", "teardown"},
			Doc: "Asks the target to end, from where `check` runs. Whatever it does, Lane ends the target after it. None by default."},
		{Key: "target.timeout", Type: "duration", Default: `"1m"`, meant: []string{"limit", "wait", "time"},
			Doc: "Of `build`, `check` and `down`, each, and from `up` to the first answer."},
	}
}

// target is nil where the text has none.
func (r *resolver) target(s *Spec) *Target {
	const at = position.Path("target")
	if !r.given[at] {
		return nil
	}
	t := &Target{
		Name: r.text(at.Key("name")), Production: value[bool](r, at.Key("production")),
		Build: r.list(at.Key("build")), Up: r.list(at.Key("up")), Port: r.integer(at.Key("port")), Health: r.text(at.Key("health")),
		Check: r.list(at.Key("check")), Down: r.list(at.Key("down")), Timeout: r.duration(at.Key("timeout")),
	}
	t.Task = or(r, at.Key("task"), s.firstTask())
	return t
}

func (c *checker) targetRules(s *Spec) {
	t := s.Target
	if t == nil {
		return
	}
	const at = position.Path("target")
	if t.Production {
		c.at(at.Key("production"), `"production" is true: Lane never touches production`, "name a target that may be destroyed, and write production = false")
	}
	if len(t.Check) == 0 && !c.given[at.Key("check")] && !c.meant[at.Key("check")] && !c.partial && !slices.ContainsFunc(s.Tasks, Task.OnTarget) {
		c.at(at, "[target] has no check, and no task tests the target", `write check = ["..."], or add a [[task]] of kind "api"`)
	}
	known := false
	for _, x := range s.Tasks {
		known = known || x.Name == t.Task
	}
	if !known && t.Task != "" && !c.partial {
		c.at(at.Key("task"), "there is no task "+quote(t.Task), "name one of the tasks of this spec")
	}
}

// targetCriterion refuses a criterion about the target that nothing can show.
func (c *checker) targetCriterion(s *Spec, path position.Path, x Criterion) {
	switch {
	case !slices.ContainsFunc(s.Tasks, Task.OnTarget) && !c.partial:
		c.at(path.Key("kind"), `a criterion of kind "target" is met by tasks that test the target, and there is none`, `add a [[task]] of kind "api"`)
	case len(x.Tests) == 0 && !c.given[path.Key("tests")] && !c.meant[path.Key("tests")] && !c.partial:
		c.at(path, `a criterion of kind "target" names no test: nothing can show that it is met`, `add tests = ["..."]: tests of a task of kind "api" or "browser"`)
	case len(x.Code)+len(x.Removes) > 0:
		key := "code"
		if len(x.Code) == 0 {
			key = "removes"
		}
		c.at(path.Key(key), "a criterion of kind \"target\" has no "+quote(key)+": its tests are run on no mutant, and not on base", `take it out, or write kind = "test"`)
	}
}

func checkTargetName(s string) *complaint {
	if strings.Count(s, LabelPlace) != 1 {
		return complain("write it as in "+quote("shop-"+LabelPlace), "cannot be %s: it does not hold %s once, so that one run's target could be taken for another's", quote(s), LabelPlace)
	}
	return checkID(strings.Replace(s, LabelPlace, "label", 1))
}

func checkURLPath(s string) *complaint {
	if !strings.HasPrefix(s, "/") || strings.HasPrefix(s, "//") {
		return complain("write a path such as "+quote("/healthz"), "cannot be %s: it does not begin with one slash", quote(s))
	}
	for _, r := range s {
		if r <= ' ' || r > '~' || strings.ContainsRune("\\#\"<>^`{|}", r) {
			return complain("write such characters as %XX", "cannot be %s: the character %q is in no path of a URL", quote(s), r)
		}
	}
	return nil
}

// ResolvedTarget is [target].
type ResolvedTarget struct {
	Name    Value    `json:"name"`
	Task    Value    `json:"task"`
	Build   []string `json:"build,omitempty"`
	Up      []string `json:"up"`
	Port    int      `json:"port"`
	Health  Value    `json:"health"`
	Check   []string `json:"check,omitempty"`
	Down    []string `json:"down,omitempty"`
	Timeout Value    `json:"timeout"`
}

func (s *Spec) resolvedTarget() *ResolvedTarget {
	t := s.Target
	if t == nil {
		return nil
	}
	return &ResolvedTarget{Name: s.shown("target.name", t.Name), Task: s.shown("target.task", t.Task), Build: t.Build, Up: t.Up, Port: t.Port,
		Health: s.shown("target.health", t.Health), Check: t.Check, Down: t.Down, Timeout: s.shown("target.timeout", formatDuration(t.Timeout))}
}

func (p *page) target(t *ResolvedTarget) {
	if t == nil {
		return
	}
	p.heading("target")
	p.value(1, "name", t.Name)
	p.value(1, "task", t.Task)
	for _, c := range []struct {
		name string
		argv []string
	}{{"build", t.Build}, {"up", t.Up}, {"check", t.Check}, {"down", t.Down}} {
		if len(c.argv) > 0 {
			p.line(1, c.name, commandLine(c.argv))
		}
	}
	p.line(1, "port", strconv.Itoa(t.Port))
	p.value(1, "health", t.Health)
	p.value(1, "timeout", t.Timeout)
}
