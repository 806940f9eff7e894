package runner

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/observe/gotest"
	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/golang"
)

func TestMain(m *testing.M) {
	fence.Init()
	os.Exit(m.Run())
}

// tree writes a small module where the box's user can read it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for p := dir; p != "/" && p != os.TempDir(); p = filepath.Dir(p) {
		os.Chmod(p, 0o755)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	own(t, dir)
	return dir
}

// own gives a folder to the user that boxes run as.
func own(t testing.TB, dir string) {
	t.Helper()
	id := fence.HostID(0)
	filepath.WalkDir(dir, func(path string, _ os.DirEntry, _ error) error {
		return os.Lchown(path, id, id)
	})
}

func goTask(t testing.TB) *Task {
	c := testclosure.Go(t)
	task := &Task{
		Name: "unit", Argv: []string{"go", "test", "./..."}, Timeout: 2 * time.Minute, Reporter: gotest.Reporter{},
		Path: c.PathDirs(), Time: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC), Zones: filepath.Join(os.TempDir(), "lane-test-zones"),
	}
	for _, p := range c.Paths {
		task.Store = append(task.Store, fence.Mount{Host: p.Host, Box: p.StorePath})
	}
	return task
}

var module = map[string]string{
	"go.mod": "module sum.example/sum\n\ngo 1.24\n",
	"sum.go": "package sum\n\nfunc Sum(a, b int) int { return a + b }\n",
	"sum_test.go": `package sum

import "testing"

func TestSum(t *testing.T) {
	if Sum(2, 3) != 5 {
		t.Error("2 + 3")
	}
}

func TestNothing(t *testing.T) { t.Log(Sum(1, 1)) }
`,
}

func TestAGoSuiteInABox(t *testing.T) {
	task := goTask(t)
	ctx := context.Background()
	dir := tree(t, module)
	cache := t.TempDir()
	own(t, cache)
	cold := task.On(dir, "")
	defer cold.Close()
	if err := cold.Warm(ctx, cache); err != nil {
		t.Fatal(err)
	}
	stage := task.On(dir, cache)
	defer stage.Close()

	seen, err := stage.Run(ctx, Order{})
	if err != nil {
		t.Fatal(err)
	}
	if got := statuses(&seen); seen.Box.Exit != 0 || !slices.Equal(got, []string{"sum.example/sum.TestNothing passed", "sum.example/sum.TestSum passed"}) {
		t.Fatalf("exit %d, %v\n%s", seen.Box.Exit, got, seen.Output())
	}
	t.Logf("clean run: wall %v, cpu %v", seen.Box.Wall, seen.Box.CPU)

	var seed [32]byte
	rand.Read(seed[:])
	seen, err = stage.Run(ctx, Order{Canaries: &seed})
	if err != nil || len(seen.Session.Canaries) != 1 || seen.Session.Canaries[0].Status != observe.Failed || seen.Box.Exit == 0 {
		t.Fatalf("canaries %+v, exit %d, %v\n%s", seen.Session.Canaries, seen.Box.Exit, err, seen.Output())
	}

	trials := Trials{Stage: stage}
	res, err := trials.Run(ctx, mutate.Trial{Tests: []string{"sum.example/sum.TestSum"}, FailFast: true, Overlay: map[string]mutate.Content{
		"sum.go": {Data: []byte("package sum\n\nfunc Sum(a, b int) int { return a - b }\n")},
	}})
	if err != nil || res.Tests["sum.example/sum.TestSum"] != mutate.Failed || len(res.Tests) != 1 || res.BuildFailed {
		t.Fatalf("mutant: %+v, %v", res, err)
	}
	res, err = trials.Run(ctx, mutate.Trial{Overlay: map[string]mutate.Content{"sum.go": {Data: []byte("package sum\n\nfunc Sum(a, b int) string { return a }\n")}}})
	if err != nil || !res.BuildFailed || len(res.Tests) != 0 {
		t.Fatalf("mutant that does not build: %+v, %v", res, err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "sum.go")); string(data) != module["sum.go"] {
		t.Error("a mutant was written into the tree")
	}

	switched(t, stage)

	for boxes := range 3 {
		covered := map[string]int{}
		known, err := stage.Cover(ctx, []string{"sum.example/sum.TestSum", "sum.example/sum.TestNothing"}, boxes, func(test string, profile []byte) error {
			covered[test] = len(profile)
			return nil
		}, nil)
		if err != nil || !known || len(covered) != 2 {
			t.Fatalf("coverage %v, known %v, %v", covered, known, err)
		}
	}
	n, err := stage.Network(ctx)
	if err != nil || !n.Control || len(n.Dialled) < 2 {
		t.Fatalf("network %+v, %v", n, err)
	}
	for _, r := range n.Dialled {
		if r.Reached {
			t.Errorf("the box reached %s", r.Address)
		}
	}
}

// switched runs one program with two values: one that makes Sum wrong, and one that does not.
func switched(t *testing.T, stage *Stage) {
	dir := t.TempDir()
	own(t, dir)
	tests := []string{"sum.example/sum.TestNothing", "sum.example/sum.TestSum"}
	x, err := stage.Switch(t.Context(), tests, map[string][]byte{
		"sum.go": []byte("package sum\n\nfunc Sum(a, b int) int {\n\tif which() == \"7\" {\n\t\treturn 0\n\t}\n\treturn a + b\n}\n"),
		"new.go": []byte("package sum\n\nimport \"os\"\n\nfunc which() string {\n\tb, _ := os.ReadFile(\"" + golang.SwitchFile + "\")\n\treturn string(b)\n}\n"),
	}, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	trials := Trials{Stage: stage, Switched: x}
	for value, want := range map[string]mutate.Status{"7": mutate.Failed, "8": mutate.Passed} {
		res, err := trials.Run(t.Context(), mutate.Trial{Switch: value, Tests: tests})
		if err != nil || res.Tests[tests[1]] != want || res.Tests[tests[0]] != mutate.Passed || res.End != mutate.EndExited || (res.Exit == 0) != (want == mutate.Passed) {
			t.Errorf("value %s: %+v, %v", value, res, err)
		}
		t.Logf("switched run: wall %v, cpu %v", res.Wall, res.CPU)
	}
	other := t.TempDir()
	own(t, other)
	if _, err := stage.Switch(t.Context(), tests, map[string][]byte{"sum.go": []byte("package sum\n\nfunc Sum() {}\n")}, other); err == nil || !strings.Contains(err.Error(), "too many arguments") {
		t.Errorf("a program that does not build: %v", err)
	}
}

func statuses(s *Seen) (out []string) {
	for _, x := range s.Session.Tests {
		out = append(out, x.ID+" "+string(x.Status))
	}
	return out
}
