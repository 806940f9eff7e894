package gotest

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/vallane/lane/lane/observe"
)

// builtDir is where test programs are built in the box.
const builtDir = "/tmp/lane-programs"

// Build plans a test program for each package and what go test would start it with. The checks of go vet are left out.
func (Reporter) Build(r observe.Request) (observe.Build, error) {
	s, err := prepare(r)
	if err != nil {
		return observe.Build{}, err
	}
	defer s.close()
	if s.cmd == nil {
		return observe.Build{}, fmt.Errorf("plan test programs: %q is not go test itself", strings.Join(r.Argv, " "))
	}
	plan, err := s.plan()
	if err != nil {
		return observe.Build{}, err
	}
	b := observe.Build{Plan: plan}
	b.Notes = append(b.Notes, "the checks of go vet are left out: test programs are built apart from their runs")
	env := s.env(observe.Variation{NoVet: true})
	started := *s
	started.cmd, _ = parseCommand(plan.Argv)
	for i, u := range s.scan.units {
		if !slices.Contains(plan.Expected, u.id) {
			continue
		}
		program := path.Join(builtDir, strconv.Itoa(i)+".test")
		b.Steps = append(b.Steps, observe.Step{
			Name: "build the tests of " + u.id, Dir: r.Dir, Env: env, Files: plan.Files, Units: []string{u.id},
			Argv: s.programBuild(u, program).argv(), Collect: []string{program},
		})
		b.Programs = append(b.Programs, observe.Program{Unit: u.id, Dir: u.dir, Argv: started.start(program, r.Seed)})
	}
	return b, nil
}

// start is the command line that go test would start a program with.
func (s *setup) start(program string, seed uint64) []string {
	argv := []string{program, "-test.paniconexit0"}
	if _, ok := s.cmd.flag("timeout"); !ok {
		argv = append(argv, "-test.timeout="+goTimeout)
	}
	if seed != 0 {
		argv = append(argv, "-test.shuffle="+shuffle(seed))
	}
	return append(argv, s.ownArgs(append([]string{"run", "failfast"}, runFlags...))...)
}

var _ observe.Builder = Reporter{}
