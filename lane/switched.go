package lane

import (
	"context"
	"fmt"
	"os"

	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/mutate"
)

// switchable lets the engine build a task's mutants into one program. What it returns takes the program away again.
func (j *job) switchable(t *task, trials *runner.Trials, e *mutate.Engine) (cleanUp func()) {
	dir := ""
	e.Switch = func(ctx context.Context, ms []*mutate.Mutant) (*mutate.Switched, error) {
		text := j.found.Switch(ms, randomSeed())
		if len(text.Value) == 0 {
			return nil, fmt.Errorf("none of %d mutants can be switched", len(ms))
		}
		j.say("mutants", fmt.Sprintf("build %d mutants into one program", len(text.Value)))
		var err error
		if dir, err = j.programs(); err != nil {
			return nil, err
		}
		var tests []string
		head := t.onHead()
		for _, c := range e.Clean {
			if head.test[c.ID].Parent == "" && c.Status == mutate.Passed && !c.Quarantined {
				tests = append(tests, c.ID)
			}
		}
		if trials.Switched, err = t.head.Switch(ctx, tests, text.Files, dir); err != nil {
			return nil, err
		}
		return &mutate.Switched{Value: text.Value, Null: text.Null, Record: text.Record, Records: text.Records, Sites: text.Sites}, nil
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
