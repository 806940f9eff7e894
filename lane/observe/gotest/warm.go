package gotest

import (
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/vallane/lane/lane/observe"
)

// buildFlags are the flags of go test that decide what is built, and so what a warm cache holds.
var buildFlags = []string{"C", "tags", "race", "msan", "asan", "mod", "modfile", "asmflags", "buildmode", "compiler", "gccgoflags", "gcflags",
	"installsuffix", "ldflags", "linkshared", "modcacherw", "pgo", "pkgdir", "trimpath", "toolexec", "vet", "cover", "covermode", "coverpkg"}

// Warm returns steps that build, link and vet what the request's run will, with the same flags and files, so that the run itself finds
// all of it in the build cache. Nothing of the tree is executed: in place of each test binary the go command runs itself. A step that
// exits with 0 has built every package that it names, which is also how to learn whether a tree builds.
//
// The go command sets the time of a cache entry that it uses when that time is more than an hour ago, which would copy the entry up from
// a read-only layer below. It leaves entries from the future alone (seen with 1.26): give warm entries a time far ahead, and the file
// trim.txt the current time in seconds as its text, or each run would look for old entries.
func (Reporter) Warm(r observe.Request) ([]observe.Step, error) {
	s, err := prepare(r)
	if err != nil {
		return nil, err
	}
	defer s.close()
	s.req.Seed = 0
	plan, err := s.plan()
	if err != nil {
		return nil, err
	}
	step := observe.Step{
		Name: "warm build cache", Dir: r.Dir, Env: plan.Env, Files: plan.Files, Units: plan.Expected,
		Argv: s.buildArgv(plan.Argv),
	}
	return []observe.Step{step}, nil
}

// buildArgv is the command with everything taken out that has nothing to do with building, and with a run that runs nothing.
func (s *setup) buildArgv(argv []string) []string {
	cmd, ok := parseCommand(argv)
	if !ok {
		// What the command builds is not known: what the tree's tests need is the best guess.
		return []string{s.tc.command, "test", s.execFlag(), "./..."}
	}
	cmd.words = slices.DeleteFunc(cmd.words, func(w word) bool {
		return w.kind == wordRest || w.kind == wordFlag && !slices.Contains(buildFlags, w.name)
	})
	cmd.insert(word{kind: wordFlag, name: "exec", args: []string{s.execFlag()}})
	return cmd.argv()
}

// execFlag makes the go command run "go tool -n compile BINARY ARGS..." in place of each test binary: that prints the command line
// of the compiler and does not execute it.
func (s *setup) execFlag() string { return "-exec=" + s.tc.command + " tool -n compile" }

// coverDir is where the cover plan works in the box.
const coverDir = "/tmp/lane-cover"

// Cover returns steps that find which lines each test reaches: one binary per package, then one run per top-level test. Only the
// request's selected tests are measured, or all that the tree's source holds. Lines of the whole module count, or of the folders in
// Request.Cover.
func (Reporter) Cover(r observe.Request) (observe.CoverPlan, error) {
	r.Canaries, r.Seed, r.FailFast = false, 0, false
	s, err := prepare(r)
	if err != nil {
		return observe.CoverPlan{}, err
	}
	defer s.close()
	if s.cmd == nil {
		return observe.CoverPlan{}, fmt.Errorf("plan coverage: tests of %q cannot be selected: it is not go test itself", r.Argv)
	}
	tests, err := s.coverTests()
	if err != nil {
		return observe.CoverPlan{}, err
	}
	files, err := s.files(nil)
	if err != nil {
		return observe.CoverPlan{}, err
	}
	env := s.env(observe.Variation{NoVet: true})
	plan := observe.CoverPlan{Notes: append(s.notes, s.scan.notes...), Parse: s.scan.parser()}
	for i, u := range s.scan.units {
		if len(tests[u.id]) == 0 {
			continue
		}
		binary := path.Join(coverDir, strconv.Itoa(i)+".test")
		plan.Build = append(plan.Build, observe.Step{
			Name: "build " + u.id + " for coverage", Dir: r.Dir, Env: env, Files: files, Units: []string{u.id},
			Argv: s.coverBuild(u, binary),
		})
		for j, name := range tests[u.id] {
			profile := path.Join(coverDir, fmt.Sprintf("%d.%d.cov", i, j))
			plan.Measure = append(plan.Measure, observe.Step{
				Name: "measure " + Join(u.id, name), Dir: u.dir, Env: env, Files: files,
				Units: []string{u.id}, Tests: []string{Join(u.id, name)},
				Argv:    s.coverRun(binary, name, profile),
				Collect: []string{profile},
			})
		}
	}
	return plan, nil
}

// coverTests returns the top-level tests to measure, per unit.
func (s *setup) coverTests() (map[string][]string, error) {
	tests := make(map[string][]string)
	if s.req.Select == nil {
		for _, u := range s.scan.units {
			tests[u.id] = u.tests
		}
		return tests, nil
	}
	if _, err := s.selectUnits(s.req.Select); err != nil {
		return nil, err
	}
	for _, id := range s.req.Select {
		u, test, _ := s.split(id)
		if top := Top(test); !slices.Contains(tests[u], top) {
			tests[u] = append(tests[u], top)
		}
	}
	return tests, nil
}

func (s *setup) coverBuild(u *unit, binary string) []string {
	cmd := s.cmd.clone()
	mode := "set"
	if cmd.on("race") {
		mode = "atomic"
	}
	cmd.words = slices.DeleteFunc(cmd.words, func(w word) bool {
		return w.kind == wordRest || w.kind == wordFlag && !slices.Contains(buildFlags, w.name)
	})
	for _, flag := range []string{"vet", "cover"} {
		cmd.drop(flag)
	}
	cmd.set("covermode", mode)
	cmd.set("coverpkg", s.coverPackages())
	cmd.insert(word{kind: wordFlag, name: "c", args: []string{"-c"}})
	s.omitDebug(cmd)
	cmd.set("o", binary)
	cmd.setPackages([]string{s.packageArg(u.dir)})
	return cmd.argv()
}

func (s *setup) coverPackages() string {
	if len(s.req.Cover) == 0 {
		return s.packageArg(s.scan.mod.dir) + "/..."
	}
	list := ""
	for i, dir := range s.req.Cover {
		if i > 0 {
			list += ","
		}
		list += s.packageArg(path.Clean(dir))
	}
	return list
}

// coverRun runs one test alone, with those of the command's flags that reach the test binary and change what it does.
func (s *setup) coverRun(binary, test, profile string) []string {
	argv := []string{binary, "-test.paniconexit0", "-test.run=^" + test + "$", "-test.coverprofile=" + profile}
	return append(argv, s.ownArgs([]string{"short", "cpu", "parallel", "timeout"})...)
}

// ownArgs are the arguments that go test would hand on to the test binary: some of its flags, those that it does not know, and
// what follows -args.
func (s *setup) ownArgs(flags []string) (argv []string) {
	for _, flag := range flags {
		if v, ok := s.cmd.flag(flag); ok {
			argv = append(argv, "-test."+flag+"="+v)
		}
	}
	for _, w := range s.cmd.words {
		switch {
		case w.kind == wordRest && (w.args[0] == "-args" || w.args[0] == "--args"):
			argv = append(argv, w.args[1:]...)
		case w.kind == wordRest, w.kind == wordFlag && !known(w.name):
			argv = append(argv, w.args...)
		}
	}
	return argv
}
