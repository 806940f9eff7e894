package lane

import (
	"context"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/runner"
)

// confirmFlips runs base in head's variations where a test that base has differed between head's runs: one that flips on base too
// was there before the change, and the verdict says so.
func (j *job) confirmFlips(ctx context.Context, t *task) error {
	if t.base == nil || t.onBase == nil || !t.flips() {
		return nil
	}
	for i := range t.seen {
		s := &t.seen[i]
		if s.canary {
			continue
		}
		p := assurance.PlannedRun{ID: t.spec.Name + "/base-" + itoa(i+1), Tree: assurance.Base, Variation: s.variation.Facts()}
		if _, err := j.run(ctx, t, t.base, p, runner.Order{Seed: s.variation.Seed, Env: s.variation.Env()}); err != nil {
			return err
		}
	}
	return nil
}

// flips reports whether a test that base has ended in two ways on head.
func (t *task) flips() bool {
	first := map[string]observe.Status{}
	for i := range t.seen {
		for _, x := range t.seen[i].seen.Session.Tests {
			switch st, seen := first[x.ID]; {
			case !seen:
				first[x.ID] = x.Status
			case st != x.Status && t.onBase.Session.Find(x.ID) != nil:
				return true
			}
		}
	}
	return false
}
