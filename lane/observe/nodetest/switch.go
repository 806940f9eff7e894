package nodetest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vallane/lane/lane/observe"
)

const (
	switchFile = "/lane/node/switch" // what package mutate/javascript's programs read
	keepFile   = "/lane/node/keep.cjs"
	programDir = "/cache/programs"
)

//go:embed keep.cjs
var keeper []byte

// Switch plans runs of each test file as the runner starts it, by a process that is the command of the run: no runner is started before it
// or waits beside it. Files are replaced for a task that builds its tree; nothing else is built.
func (Reporter) Switch(r observe.Request, files map[string][]byte) (observe.SwitchPlan, error) {
	r.Canaries, r.Seed, r.FailFast = false, 0, false
	s, err := prepare(r)
	if err != nil {
		return observe.SwitchPlan{}, err
	}
	if s.cmd == nil {
		return observe.SwitchPlan{}, fmt.Errorf("plan runs of test files: %q is not node --test itself", strings.Join(r.Argv, " "))
	}
	if _, ok := s.cmd.has("--test-global-setup"); ok {
		return observe.SwitchPlan{}, fmt.Errorf("plan runs of test files: --test-global-setup needs the runner")
	}
	p := observe.SwitchPlan{Run: s.switchRuns}
	if len(files) > 0 {
		p.Dir = programDir
		p.Keep = &observe.Step{
			Name: "keep what was built", Argv: []string{s.cmd.program, keepFile, s.req.TreeBox, path.Join(programDir, "tree")},
			Files: map[string][]byte{keepFile: keeper, switchFile: []byte("0")}, Env: []string{"NODE_OPTIONS="},
		}
	}
	return p, nil
}

// switchRuns plans one run for each file that holds one of the tests, those of the first tests first.
func (s *setup) switchRuns(value string, tests []string, failFast bool) ([]observe.Plan, error) {
	units, tops := s.chosen(tests)
	first := func(unit string) int {
		return slices.IndexFunc(tests, func(id string) bool { u, _ := split(id); return u == unit })
	}
	slices.SortStableFunc(units, func(a, b string) int { return first(a) - first(b) })
	var plans []observe.Plan
	for _, u := range units {
		data, err := json.Marshal(plan{
			Tree: s.req.TreeBox, Options: s.options, FailFast: failFast, Titles: map[string][]string{u: s.titles[u]}, Select: map[string][]string{u: tops[u]},
		})
		if err != nil {
			return nil, fmt.Errorf("plan a run of %s: %w", u, err)
		}
		p := observe.Plan{
			Argv: s.fileArgv(u, tops[u]), Class: observe.InProcess, Expected: []string{u}, Known: true, Selectable: true,
			Env:   append(s.observed(), "LANE_NODE=file", "NODE_TEST_CONTEXT=child-v8"),
			Files: map[string][]byte{observerFile: observer, planFile: data},
		}
		if value != "" {
			p.Files[switchFile] = []byte(value)
		}
		p.SetNaming(Join, Parent)
		plans = append(plans, p)
	}
	return plans, nil
}

// fileArgv is the command that the runner would start a test file with, to run some tests of it.
func (s *setup) fileArgv(unit string, tops []string) []string {
	argv := append([]string{s.cmd.program}, s.cmd.withoutRunner()...)
	for _, name := range tops {
		if name != whole {
			argv = append(argv, "--test-name-pattern="+namePattern(name))
		}
	}
	return append(argv, s.argument(unit))
}

var _ observe.Switcher = Reporter{}
