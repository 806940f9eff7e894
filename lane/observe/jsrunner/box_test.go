//go:build linux

package jsrunner_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/internal/testbox"
	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/internal/testsource"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/observe/jsrunner"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/mutate/javascript"
)

func TestMain(m *testing.M) {
	fence.Init()
	os.Exit(m.Run())
}

// fetched is a project of testdata with what its lock file pins.
func fetched(t *testing.T, project string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tree")
	testsource.Installed(t, filepath.Join("testdata", project), dir)
	return dir
}

// stage lays a tree where boxes of the closure of examples/node see it.
func stage(t *testing.T, tree string, r observe.Reporter, argv ...string) *runner.Stage {
	t.Helper()
	testbox.Give(t, tree)
	task := testbox.Task(testclosure.Node(t), r, argv...)
	s := task.On(tree, "")
	t.Cleanup(s.Close)
	return s
}

const (
	addsUp  = "test/cart.test.ts > cart > adds up (all > of it)"
	isFree  = "test/cart.test.ts > cart > is free from 50 on"
	stays   = "test/names.test.ts > a short name stays"
	isCut   = "test/names.test.ts > a long one is cut"
	oneIs   = "test/other.test.ts > one is one"
	allPass = addsUp + ": passed\n" + isFree + ": passed\n" + isCut + ": passed\n" + stays + ": passed\ntest/names.test.ts > not yet: skipped\n" + oneIs + ": passed"
)

// vitest itself: what its tests did, the selection of some, a file that does not load, and what each test file reaches.
func TestVitest(t *testing.T) {
	tree := fetched(t, "vitest")
	s := stage(t, tree, jsrunner.Vitest(), "node", "node_modules/vitest/vitest.mjs", "run")
	run := func(o runner.Order) *observe.Session {
		t.Helper()
		seen, err := s.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%q: %v, exit status %d\n%s", seen.Plan.Argv, seen.Box.Wall, seen.Box.Exit, seen.Output())
		return seen.Session
	}
	if got := statuses(run(runner.Order{})); got != allPass {
		t.Errorf("all:\n%s", got)
	}
	if got := statuses(run(runner.Order{Select: []string{isCut, addsUp}})); got != addsUp+": passed\n"+isCut+": passed" {
		t.Errorf("selected:\n%s", got)
	}
	broken := run(runner.Order{Select: []string{isCut, stays, isFree}, FailFast: true, Overlay: map[string]fence.Change{
		"src/names.ts": {Data: []byte("export const short = () => 1;\n")}, "src/cart.ts": {Data: []byte("throw new Error('no');\n")}}})
	if got := statuses(broken); !strings.Contains(got, "test/cart.test.ts: failed") && !strings.Contains(got, "names.test.ts > a short name stays: failed") || strings.Contains(got, "other") {
		t.Errorf("broken:\n%s", got)
	}

	found, err := javascript.Find(t.Context(), javascript.Options{Tree: os.DirFS(tree)}, []string{"src/cart.ts", "src/names.ts"})
	if err != nil {
		t.Fatal(err)
	}
	probes, err := found.Probe(t.Context(), [32]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	marks, known, err := s.Record(t.Context(), []string{addsUp, isFree, stays, isCut, oneIs}, probes.Files)
	if err != nil || !known {
		t.Fatalf("known: %v, %v", known, err)
	}
	got := map[observe.Mark]bool{}
	for _, m := range marks {
		got[m] = true
	}
	want := map[observe.Mark]bool{}
	for _, m := range []observe.Mark{
		{Unit: "test/cart.test.ts", File: "src/cart.ts"}, {Unit: "test/cart.test.ts", File: "src/cart.ts", Place: 1},
		{Unit: "test/cart.test.ts", File: "src/cart.ts", Place: 2}, {Unit: "test/cart.test.ts", File: "src/cart.ts", Place: 3},
		{Unit: "test/names.test.ts", File: "src/cart.ts"}, {Unit: "test/names.test.ts", File: "src/names.ts"}, {Unit: "test/names.test.ts", File: "src/names.ts", Place: 1},
	} {
		want[m] = true
	}
	if !maps.Equal(got, want) {
		t.Errorf("reached: %v\n%s", slices.Collect(maps.Keys(got)), probes.Files["src/cart.ts"])
	}
}
