//go:build linux

package gotest

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/observe"
)

// A program for each package, built for another system and started as go test would.
func TestProgramsAreBuiltApartFromTheirRuns(t *testing.T) {
	b := newBench(t, "passes")
	b.tree = t.TempDir()
	write := func(name, text string) {
		t.Helper()
		at := filepath.Join(b.tree, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.org/m\n\ngo 1.24\n")
	write("a/a_test.go", "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\nfunc TestB(t *testing.T) {}\n")
	write("b/b_linux_test.go", "package b\n\nimport \"testing\"\n\nfunc TestLinux(t *testing.T) {}\n")
	write("c/c_wasip1_test.go", "package c\n\nimport \"testing\"\n\nfunc TestGuest(t *testing.T) {}\n")
	r := b.request("go", "test", "-short", "./...")
	r.Env = []string{"GOOS=wasip1", "GOARCH=wasm"}
	plan, err := Reporter{}.Build(r)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"example.org/m/a", "example.org/m/c"}; !slices.Equal(plan.Expected, want) {
		t.Fatalf("expects %q, want %q: what is of another system is not built", plan.Expected, want)
	}
	if len(plan.Steps) != 2 || len(plan.Programs) != 2 {
		t.Fatalf("%d steps, %d programs", len(plan.Steps), len(plan.Programs))
	}
	step, program := plan.Steps[0], plan.Programs[0]
	if program.Argv[0] != step.Collect[0] || program.Unit != step.Units[0] || program.Dir != "a" {
		t.Errorf("program %+v of step %+v", program, step)
	}
	if got := strings.Join(program.Argv[1:], " "); got != "-test.paniconexit0 -test.timeout=10m -test.short=true" {
		t.Errorf("started with %s", got)
	}
	if got := strings.Join(step.Argv, " "); !strings.HasSuffix(got, "test -c -o="+program.Argv[0]+" ./a") {
		t.Errorf("built by %s", got)
	}
	if !slices.Contains(step.Env, "CGO_ENABLED=0") {
		t.Errorf("built with %q: there is no C for a guest", step.Env)
	}

	r.Select, r.Seed, r.FailFast = []string{"example.org/m/a.TestB"}, 7, true
	if plan, err = (Reporter{}).Build(r); err != nil {
		t.Fatal(err)
	}
	if len(plan.Programs) != 1 {
		t.Fatalf("%d programs hold the one selected test", len(plan.Programs))
	}
	want := "-test.paniconexit0 -test.timeout=10m -test.shuffle=7 -test.run=^(TestB)$ -test.failfast=true -test.short=true"
	if got := strings.Join(plan.Programs[0].Argv[1:], " "); got != want {
		t.Errorf("started with %s, want %s", got, want)
	}

	r.Select, r.FailFast, r.Canaries = nil, false, true
	if plan, err = (Reporter{}).Build(r); err != nil {
		t.Fatal(err)
	}
	if len(plan.Canaries) != 2 {
		t.Errorf("canaries %v, want one for each program", plan.Canaries)
	}
	if _, err := (Reporter{}).Build(observe.Request{Argv: []string{"make", "test"}, TreeHost: b.tree, Path: r.Path}); err == nil {
		t.Error("a command whose programs nobody knows was planned")
	}
}
