package gotest

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/vallane/lane/lane/observe"
)

const (
	programDir  = "/cache/programs"    // where the test programs lie in the box
	switchedDir = "/lane/go/switched/" // the files that replace those of the tree
	switchFile  = "/lane/go/switch"    // what package mutate/golang's programs read
	goTimeout   = "10m"                // what go test gives a test program that no flag gives one
)

// runFlags are the flags of go test that reach the test program and change what it does, beyond run and failfast.
var runFlags = []string{"short", "cpu", "parallel", "timeout", "v", "count", "skip", "shuffle"}

// Switch plans one build of a test program for each package that holds a selected test, with the files replaced, and runs of them.
func (Reporter) Switch(r observe.Request, files map[string][]byte) (observe.SwitchPlan, error) {
	r.Canaries, r.Seed, r.FailFast = false, 0, false
	s, err := prepare(r)
	if err != nil {
		return observe.SwitchPlan{}, err
	}
	defer s.close()
	if s.cmd == nil {
		return observe.SwitchPlan{}, fmt.Errorf("plan switched build: %q is not go test itself", strings.Join(r.Argv, " "))
	}
	units, err := s.selectUnits(r.Select)
	if err != nil {
		return observe.SwitchPlan{}, err
	}
	laid, err := s.files(nil)
	if err != nil {
		return observe.SwitchPlan{}, err
	}
	if err := s.replace(laid, files); err != nil {
		return observe.SwitchPlan{}, err
	}
	env := s.env(observe.Variation{NoVet: true})
	plan := observe.SwitchPlan{Dir: programDir, Files: laid}
	for i, u := range units {
		plan.Build = append(plan.Build, observe.Step{
			Name: "build the tests of " + u.id, Dir: r.Dir, Env: env, Files: laid, Units: []string{u.id}, Argv: s.switchBuild(u, i, files),
		})
	}
	plan.Run = func(value string, tests []string, failFast bool) ([]observe.Plan, error) {
		return s.switchRuns(units, env, value, tests, failFast)
	}
	plan.Program = func(test string) string { return s.program(units, test) }
	plan.Joint = func(o observe.JointOrder) (observe.JointPlan, error) { return s.joint(units, env, o) }
	return plan, nil
}

// replace adds files to what is laid and to the overlay that the go command reads.
func (s *setup) replace(laid map[string][]byte, files map[string][]byte) error {
	overlay := map[string]string{}
	for i, name := range slices.Sorted(maps.Keys(files)) {
		at := switchedDir + strconv.Itoa(i) + ".go"
		laid[at] = files[name]
		overlay[path.Join(s.req.TreeBox, name)] = at
	}
	text, err := addOverlay(laid[overlayFile], overlay)
	laid[overlayFile] = text
	return err
}

// switchBuild has compiler and linker leave out what a debugger reads. Of many copies of a function it takes the compiler a fifth of its time:
// so it is left out of the packages with replaced files, unless flags for the compiler are given.
func (s *setup) switchBuild(u *unit, i int, files map[string][]byte) []string {
	cmd := s.programBuild(u, program(i))
	s.omitDebug(cmd)
	if s.own(cmd, "gcflags") {
		return cmd.argv()
	}
	folders := map[string]bool{}
	for name := range files {
		folders[path.Dir(name)] = true
	}
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		cmd.insert(word{kind: wordFlag, name: "gcflags", args: []string{"-gcflags=" + s.packageArg(dir) + "=-dwarf=false"}})
	}
	return cmd.argv()
}

// own reports whether the command, or what the closure says for all commands, has a flag.
func (s *setup) own(cmd *command, flag string) bool {
	_, ok := cmd.flag(flag)
	return ok || slices.ContainsFunc(inheritedFlags(s.req.Env), func(f string) bool { return strings.Contains(f, flag) })
}

// omitDebug has the linker leave out what a debugger reads, as go test does for a program that it does not keep, unless flags for the
// linker are given.
func (s *setup) omitDebug(cmd *command) {
	if !s.own(cmd, "ldflags") {
		cmd.set("ldflags", "-s -w")
	}
}

// programBuild is the command that builds the test program of a unit.
func (s *setup) programBuild(u *unit, program string) *command {
	cmd := s.cmd.clone()
	cmd.words = slices.DeleteFunc(cmd.words, func(w word) bool {
		return w.kind == wordRest || w.kind == wordFlag && !slices.Contains(buildFlags, w.name)
	})
	for _, flag := range []string{"vet", "cover", "covermode", "coverpkg"} {
		cmd.drop(flag)
	}
	cmd.insert(word{kind: wordFlag, name: "c", args: []string{"-c"}})
	cmd.set("o", program)
	cmd.setPackages([]string{s.packageArg(u.dir)})
	return cmd
}

func program(i int) string { return path.Join(programDir, strconv.Itoa(i)+".test") }

// switchRuns plans one run for each program that holds one of the tests.
func (s *setup) switchRuns(units []*unit, env []string, value string, tests []string, failFast bool) ([]observe.Plan, error) {
	files := map[string][]byte{switchFile: []byte(value)}
	byUnit := map[string][]string{}
	for _, id := range tests {
		name, _, ok := s.split(id)
		if !ok || !slices.ContainsFunc(units, func(u *unit) bool { return u.id == name }) {
			return nil, fmt.Errorf("run switched build: no program holds the test %s", id)
		}
		byUnit[name] = append(byUnit[name], id)
	}
	var plans []observe.Plan
	for i, u := range units {
		if len(byUnit[u.id]) == 0 {
			continue
		}
		p := observe.Plan{
			Argv: s.switchRun(i, byUnit[u.id], failFast), Dir: u.dir, Env: env, Files: files, Class: observe.InProcess,
			Expected: []string{u.id}, Known: true, Source: map[string][]string{u.id: u.tests}, Selectable: true,
		}
		p.SetNaming(Join, Parent)
		plans = append(plans, p)
	}
	return plans, nil
}

// switchRun is the command line that go test would start the program with.
func (s *setup) switchRun(i int, tests []string, failFast bool) []string {
	own, _ := s.cmd.flag("run")
	argv := []string{program(i), "-test.paniconexit0", "-test.run=" + s.selection(tests, own)}
	if failFast {
		argv = append(argv, "-test.failfast")
	}
	if _, ok := s.cmd.flag("timeout"); !ok {
		argv = append(argv, "-test.timeout="+goTimeout)
	}
	return append(argv, s.ownArgs(runFlags)...)
}

var _ observe.Switcher = Reporter{}
