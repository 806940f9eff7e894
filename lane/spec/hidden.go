package spec

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vallane/lane/lane/spec/position"
)

// Where hidden tests run (hidden.kind).
const (
	HiddenInProcess = "in-process" // laid over the tree in a box of their own
	HiddenBlackBox  = "black-box"  // in a box without the tree, from which they talk to the program
)

// Hidden says how the hidden tests of a contract are run. Which archive holds them, the contract says: a spec alone has none.
type Hidden struct {
	Kind     string        `json:"kind"`              // HiddenInProcess or HiddenBlackBox
	Task     string        `json:"task"`              // whose closure, dependencies, build, folder and variables they have
	Run      []string      `json:"run"`               // the command that tests: of the task, where the spec gives none
	Reporter string        `json:"reporter"`          // of Run
	Program  []string      `json:"program,omitempty"` // what a black box talks to
	Tests    []string      `json:"tests,omitempty"`   // tests that must pass
	Timeout  time.Duration `json:"timeout"`           // of one execution; above 0, at most the deadline
}

// HiddenTask returns the task that the hidden tests take their environment from. The spec has to have hidden tests.
func (s *Spec) HiddenTask() Task {
	i := slices.IndexFunc(s.Tasks, func(t Task) bool { return t.Name == s.Hidden.Task })
	return s.Tasks[max(i, 0)]
}

func hiddenSettings() []Setting {
	return []Setting{
		{Key: "hidden", Type: "table", meant: []string{"acceptance-tests", "hidden-tests", "secret"},
			Doc: "How the hidden acceptance tests run that a contract names ([contract.md](contract.md#hidden-tests)). Without a contract there are none, whatever stands here."},
		{Key: "hidden.kind", Type: "choice", Default: `"in-process"`, Enum: []string{HiddenInProcess, HiddenBlackBox}, meant: []string{"type", "mode"},
			Doc: "`in-process` lays the archive over the tree in a second box. `black-box` gives the archive a box without the tree, whose tests talk to the program in another box that never holds the archive."},
		{Key: "hidden.task", Type: "id", Example: `"unit"`, meant: []string{"env", "like"},
			Doc: "The task whose closure, fetched dependencies, folder and variables they have, and whose `build` goes before what runs on the tree. By default the first that tests the tree."},
		{Key: "hidden.run", Type: "command", Example: `["go", "test", "./acceptance/..."]`, meant: []string{"command", "driver", "cmd", "script"},
			Doc: "The command that tests. By default that of the task, for `in-process`; a `black-box` needs one."},
		{Key: "hidden.reporter", Type: "reporter", Example: `"go"`, meant: []string{"format", "runner", "framework"},
			Doc: "How `run` reports, as for a task. By default that of the task where the command is, and `auto` where it is not."},
		{Key: "hidden.program", Type: "command", Example: `["python3", "-m", "shop"]`, meant: []string{"server", "subject", "under-test"},
			Doc: "What a `black-box` talks to: a command in the tree, started anew for each connection that the tests open to the address in `LANE_PROGRAM`."},
		{Key: "hidden.tests", Type: "tests", Default: "[]", Example: `["example.org/shop/cart.TestHidden"]`, meant: []string{"required", "names"},
			Doc: "Tests that have to pass. Whoever reads the contract reads these names; a file `lane-required-tests` in the archive, one name per line, keeps them hidden. Where neither names one, every test that is seen has to pass."},
		{Key: "hidden.timeout", Type: "duration", Example: `"5m"`, meant: []string{"limit", "deadline", "time"},
			Doc: "Of one execution. By default 5m, or the deadline where that is shorter."},
	}
}

// hidden reads [hidden]; nil where the file has none.
func (r *resolver) hidden(s *Spec) *Hidden {
	if !r.given["hidden"] || len(s.Tasks) == 0 {
		return nil
	}
	h := &Hidden{Kind: r.text("hidden.kind"), Task: or(r, "hidden.task", s.firstTask()), Run: r.list("hidden.run"), Program: r.list("hidden.program"),
		Tests: r.list("hidden.tests"), Timeout: r.within("hidden.timeout", defaultTimeout, s.Limits.Deadline)}
	s.Hidden = h
	t := s.HiddenTask()
	reporter := "auto"
	if !r.given["hidden.run"] && h.Kind == HiddenInProcess {
		r.defaults["hidden.run"] = true
		h.Run, reporter = t.Run, t.Reporter
	}
	h.Reporter = or(r, "hidden.reporter", reporter)
	return h
}

func (c *checker) hiddenRules(s *Spec) {
	h := s.Hidden
	if h == nil {
		return
	}
	if !slices.ContainsFunc(s.treeTasks(), func(t Task) bool { return t.Name == h.Task }) && h.Task != "" {
		c.at("hidden.task", "there is no task "+quote(h.Task)+" that tests the tree", "name one of the spec's tasks")
	}
	if h.Timeout > s.Limits.Deadline && c.given["hidden.timeout"] && s.Limits.Deadline > 0 {
		c.at("hidden.timeout", "\"timeout\" is longer than the deadline of "+formatDuration(s.Limits.Deadline), "raise limits.deadline")
	}
	if i := slices.IndexFunc(s.Tasks, func(t Task) bool { return t.Name == "hidden" }); i >= 0 {
		c.at(position.Path("task["+strconv.Itoa(i)+"].name"), "a task is called hidden, and so are the runs of hidden tests", "give the task another name")
	}
	switch {
	case c.partial:
	case h.Kind == HiddenBlackBox && !c.given["hidden.run"] && !c.meant["hidden.run"]:
		c.at("hidden", "a black box has no command that tests", `write run = ["..."]: a command of the closure that reads the archive`)
	case h.Kind == HiddenBlackBox && !c.given["hidden.program"] && !c.meant["hidden.program"]:
		c.at("hidden", "a black box has no program to talk to", `write program = ["..."]: a command that runs in the tree`)
	case h.Kind == HiddenInProcess && c.given["hidden.program"]:
		c.at("hidden.program", "only a black box talks to a program", `write kind = "black-box", or take the program out`)
	}
}

// ResolvedHidden is [hidden].
type ResolvedHidden struct {
	Kind     Value    `json:"kind"`
	Task     Value    `json:"task"`
	Run      Value    `json:"run"`
	Reporter Value    `json:"reporter"`
	Program  string   `json:"program,omitempty"`
	Tests    []string `json:"tests,omitempty"`
	Timeout  Value    `json:"timeout"`
}

func (s *Spec) resolvedHidden() *ResolvedHidden {
	h := s.Hidden
	if h == nil {
		return nil
	}
	return &ResolvedHidden{Kind: s.shown("hidden.kind", h.Kind), Task: s.shown("hidden.task", h.Task), Run: s.shown("hidden.run", commandLine(h.Run)),
		Reporter: s.shown("hidden.reporter", h.Reporter), Program: commandLine(h.Program), Tests: h.Tests, Timeout: s.shown("hidden.timeout", formatDuration(h.Timeout))}
}

func (p *page) hidden(h *ResolvedHidden) {
	if h == nil {
		return
	}
	p.heading("hidden tests, where a contract names them")
	p.value(1, "kind", h.Kind)
	p.value(1, "task", h.Task)
	p.value(1, "run", h.Run)
	p.value(1, "reporter", h.Reporter)
	if h.Program != "" {
		p.line(1, "program", h.Program)
	}
	if len(h.Tests) > 0 {
		p.line(1, "tests", strings.Join(h.Tests, ", "))
	}
	p.value(1, "timeout", h.Timeout)
}
