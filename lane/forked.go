package lane

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/mutate"
)

// forkable lets the engine fork a task's loaded tests for each mutant of Python. What it returns ends what was loaded.
func (j *job) forkable(t *task, trials *runner.Trials, e *mutate.Engine) (cleanUp func()) {
	e.Switch = func(ctx context.Context, ms []*mutate.Mutant) (*mutate.Switched, error) {
		f, err := j.foundPython.Fork(ms, randomSeed())
		if err != nil {
			return nil, err
		}
		if len(f.Value) == 0 {
			return nil, fmt.Errorf("none of %d mutants lies in a function of Python", len(ms))
		}
		j.say("mutants", "load the tests once, to fork them for each mutant")
		if trials.Forked, err = t.head.Fork(ctx, observe.ForkHook{Module: f.Module, Files: f.Files}); err != nil {
			return nil, err
		}
		all := len(f.Value)
		reasons := f.Keep(trials.Forked.Left())
		if len(f.Value) == 0 {
			return nil, fmt.Errorf("none of %d mutants can be put into loaded tests: %s", all, unforked(reasons)[0])
		}
		return &mutate.Switched{
			Tier: mutate.T3, Value: f.Value, Null: f.Null, Canary: f.Canary, Facts: unforked(reasons), Record: f.Record, Records: f.Records, Sites: f.Sites,
		}, nil
	}
	return func() {
		if trials.Forked != nil {
			trials.Forked.Close()
		}
	}
}

// maxReasons bounds how many reasons are told for which mutants had runs of their own.
const maxReasons = 8

// unforked tells why some mutants had runs of their own, the most frequent reason first.
func unforked(reasons map[string]int) (out []string) {
	names := slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(reasons[b], reasons[a]), cmp.Compare(a, b))
	})
	for _, why := range names[:min(len(names), maxReasons)] {
		out = append(out, fmt.Sprintf("%d mutants had runs of their own, as of each: %s", reasons[why], why))
	}
	return out
}
