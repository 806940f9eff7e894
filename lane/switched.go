package lane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/mutate"
)

// switchable lets the engine run a task's mutants in its test programs alone. What it returns takes the programs away again.
func (j *job) switchable(t *task, trials *runner.Trials, e *mutate.Engine) (cleanUp func()) {
	dir := ""
	e.AskAll = t.runner.Reporter.Name() == "go"
	e.Switch = func(ctx context.Context, ms []*mutate.Mutant) (sw *mutate.Switched, err error) {
		switch {
		case len(t.spec.Build) > 0:
			return j.switchBuild(ctx, t, trials, e, ms, &dir)
		case t.runner.Reporter.Name() == "node":
			if trials.Switched, err = t.head.Switch(ctx, t.tops(e), nil, ""); err != nil {
				return nil, err
			}
			return trials.Switched.Lay(ms, e.Source), nil
		}
		text := j.found.Switch(ms, randomSeed())
		if len(text.Value) == 0 {
			return nil, fmt.Errorf("none of %d mutants can be switched", len(ms))
		}
		j.say("mutants", fmt.Sprintf("build %d mutants into one program", len(text.Value)))
		if dir, err = j.programs(); err != nil {
			return nil, err
		}
		if trials.Switched, err = t.head.Switch(ctx, t.tops(e), text.Files, dir); err != nil {
			return nil, err
		}
		sw = &mutate.Switched{
			Value: text.Value, Null: text.Null, Record: text.Record, Records: text.Records, Sites: text.Sites, Limit: text.Limit, Ended: text.Ended,
			Functions: text.Functions, Nulls: text.Nulls,
		}
		if trials.Switched.Joins() && text.Record != "" {
			sw.Joint = &runner.Joint{Switched: trials.Switched, Page: text.Page, Record: text.Record, Records: text.Records}
		}
		return sw, nil
	}
	return func() {
		if trials.Switched != nil {
			trials.Switched.Close()
		}
		if dir != "" {
			os.RemoveAll(dir)
		}
	}
}

// rounds bounds how often a tree with many mutants is built to find those that it builds with.
const rounds = 4

// switchBuild has the task's own command build one tree with many mutants in it. Those that the command complains of are left out, and
// have builds of their own, as all have where nobody can tell which they are.
func (j *job) switchBuild(ctx context.Context, t *task, trials *runner.Trials, e *mutate.Engine, ms []*mutate.Mutant, dir *string) (*mutate.Switched, error) {
	out := map[string]bool{}
	for round := 1; ; round++ {
		text, err := j.foundJavaScript.Switch(ctx, slices.DeleteFunc(slices.Clone(ms), func(m *mutate.Mutant) bool { return out[m.ID] }), randomSeed())
		if err != nil {
			return nil, err
		}
		if len(text.Value) == 0 {
			return nil, fmt.Errorf("none of %d mutants can be switched", len(ms))
		}
		j.say("mutants", fmt.Sprintf("build %d mutants into one tree", len(text.Value)))
		os.RemoveAll(*dir)
		if *dir, err = j.programs(); err != nil {
			return nil, err
		}
		trials.Switched, err = t.head.Switch(ctx, t.tops(e), text.Files, *dir)
		if err == nil {
			return &mutate.Switched{Value: text.Value, Null: text.Null}, nil
		}
		var unbuilt *runner.Unbuilt
		if !errors.As(err, &unbuilt) || round == rounds {
			return nil, err
		}
		named := text.Named(unbuilt.Output)
		if len(named) == 0 {
			return nil, err
		}
		for _, id := range named {
			out[id] = true
		}
	}
}

// tops are the outermost tests that can kill.
func (t *task) tops(e *mutate.Engine) (tests []string) {
	head := t.onHead()
	for _, c := range e.Clean {
		if head.test[c.ID].Parent == "" && c.Status == mutate.Passed && !c.Quarantined {
			tests = append(tests, c.ID)
		}
	}
	return tests
}

// programs makes a folder that boxes may write programs into.
func (j *job) programs() (string, error) {
	dir, err := os.MkdirTemp(j.o.Cache, ".programs-")
	if err != nil {
		return "", fmt.Errorf("make a folder for programs: %w", err)
	}
	if err = os.Chmod(dir, 0o755); err == nil && owner() != 0 {
		err = os.Chown(dir, owner(), owner())
	}
	if err != nil {
		return dir, fmt.Errorf("make a folder for programs: %w", err)
	}
	return dir, nil
}
