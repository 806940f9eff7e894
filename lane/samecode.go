package lane

import (
	"bytes"
	"context"
	"fmt"

	"github.com/vallane/lane/mutate"
)

// sameCode compares what a task's compiler makes of mutants with what it makes of the original, in one build; nil where the task has
// no compiler that lists its code.
func (j *job) sameCode(t *task) func(context.Context, []*mutate.Mutant) (map[string]bool, error) {
	if t.runner.Reporter.Name() != "go" || t.runner.WASI != nil || len(t.spec.Build) > 0 || j.found == nil {
		return nil
	}
	return func(ctx context.Context, ms []*mutate.Mutant) (map[string]bool, error) {
		copies := j.found.Copies(ms, randomSeed())
		if len(copies.Files) == 0 {
			return nil, nil
		}
		j.say("mutants", fmt.Sprintf("compare the code of up to %d survivors with the original's", len(ms)))
		listing, err := t.head.Listing(ctx, copies.Dirs, copies.Files)
		if err != nil {
			return nil, err
		}
		return copies.Same(bytes.NewReader(listing))
	}
}
