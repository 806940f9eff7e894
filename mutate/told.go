package mutate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
)

// auditReach tries a sample of the mutants that no test noticed of those that reach it, or that none reaches, again by the whole command
// (T0), where the code itself told what is reached: it may have told too little, where test files share what they loaded. Where one is
// noticed after all, all such mutants of its file are judged anew at T0.
func (r *run) auditReach(ctx context.Context) (out []Audited) {
	if !r.Told {
		return nil
	}
	var at []int
	for i := range r.results {
		if res := &r.results[i]; (res.Verdict == Survived && res.Tier == T1 || res.Verdict == Uncovered) && !res.Cached {
			at = append(at, i)
		}
	}
	dice := rand.New(rand.NewPCG(r.plan.Seed, uint64(len(at))))
	dice.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
	at = at[:min(len(at), max(auditLeast, int(math.Ceil(auditShare*float64(len(at))))))]
	found := make([]*Audited, len(at))
	r.each(len(at), func(i int) { found[i] = r.auditOne(ctx, at[i]) })
	distrusted := map[string]bool{}
	for _, a := range found {
		if a == nil {
			continue
		}
		a.Agrees = a.At0 == Survived
		out = append(out, *a)
		if !a.Agrees {
			distrusted[a.File] = true
			r.facts = append(r.facts, fmt.Sprintf("mutant %s of %s was %s by the tests that are known to reach it, and %s by all: its file is judged at T0", a.Mutant, a.File, a.Was, a.At0))
		}
	}
	r.withoutReach(ctx, distrusted)
	return out
}

// withoutReach judges the mutants of some files that no test noticed anew, as if nobody knew what tests reach.
func (r *run) withoutReach(ctx context.Context, files map[string]bool) {
	var again []int
	for i := range r.results {
		res := &r.results[i]
		if !files[res.Mutant.File] {
			continue
		}
		r.reached[res.Mutant.ID] = reached{}
		if !res.Verdict.Unnoticed() || res.Mutant.Known != "" {
			continue
		}
		*res = Result{Mutant: res.Mutant, Tier: T0}
		again = append(again, i)
	}
	r.mu.Lock()
	r.done -= len(again)
	r.mu.Unlock()
	r.each(len(again), func(i int) { r.mutant(ctx, again[i]) })
}
