//go:build linux

package javascript_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/vallane/lane/internal/testbox"
	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/observe/nodetest"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/javascript"
)

func TestMain(m *testing.M) {
	fence.Init()
	os.Exit(m.Run())
}

// newTask is a task in the real closure.
func newTask(t testing.TB, argv ...string) *runner.Task {
	t.Helper()
	return testbox.Task(testclosure.Node(t), nodetest.Reporter{}, argv...)
}

// newEngine makes an engine for the mutants of some files of a folder, after a clean run and a measured one.
func newEngine(t testing.TB, task *runner.Task, dir string, files ...string) (mutate.Engine, *javascript.Result) {
	t.Helper()
	stage := task.On(dir, "")
	t.Cleanup(stage.Close)
	found, err := javascript.Find(t.Context(), javascript.Options{Tree: os.DirFS(dir)}, files)
	if err != nil {
		t.Fatal(err)
	}
	clean, err := stage.Run(t.Context(), runner.Order{})
	if err != nil {
		t.Fatal(err)
	}
	trials := &runner.Trials{Stage: stage}
	e := mutate.Engine{
		Runner: trials, Select: clean.Plan.Selectable, Canary: javascript.Canary, Reach: &mutate.Reach{},
		Source: func(p string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, p)) },
	}
	var ids []string
	for _, x := range clean.Session.Tests {
		e.Clean = append(e.Clean, mutate.CleanTest{ID: x.ID, Top: topOf(clean.Session, x), Status: mutate.Status(x.Status), CPU: x.Duration, Wall: x.Duration})
		if x.Parent == "" {
			ids = append(ids, x.ID)
		}
	}
	loaded := map[string]bool{}
	if _, err = stage.Cover(t.Context(), ids, 1, nil, func(test string, reach observe.Reach) error {
		e.Reach.Measured(test)
		for file, lines := range reach {
			loaded[file] = true
			for _, l := range lines {
				e.Reach.Add(test, file, mutate.Block{StartLine: l.First, StartCol: 1, EndLine: l.Last + 1, EndCol: 1})
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	found.Declare(e.Reach, loaded)
	e.Switch = func(ctx context.Context, ms []*mutate.Mutant) (*mutate.Switched, error) {
		if trials.Switched, err = stage.Switch(ctx, ids, nil, ""); err != nil {
			return nil, err
		}
		return trials.Switched.Lay(ms, e.Source), nil
	}
	t.Cleanup(func() {
		if trials.Switched != nil {
			trials.Switched.Close()
		}
	})
	return e, found
}

func topOf(s *observe.Session, x observe.Test) string {
	for x.Parent != "" {
		up := s.Find(x.Parent)
		if up == nil {
			break
		}
		x = *up
	}
	return x.ID
}

// mutants runs an engine on everything that was found.
func mutants(t testing.TB, e mutate.Engine, found *javascript.Result) *mutate.Report {
	t.Helper()
	var unproven error
	plan := mutate.NewPlan(found.Mutants, mutate.Scope{All: true, Seed: 1, Prove: func(ms []*mutate.Mutant) { unproven = found.Prove(t.Context(), ms) }})
	if unproven != nil {
		t.Fatal(unproven)
	}
	rep, err := e.Run(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}
