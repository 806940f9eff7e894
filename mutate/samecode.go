package mutate

import "context"

const sameCode = "the compiler makes the same code of it"

// proveSame takes survivors out of the count that are proven to be the same program. It is asked of survivors alone, since it costs a
// compilation, and after the cache has been settled: what is kept there is what the tests said.
func (r *run) proveSame(ctx context.Context) {
	if r.Equivalent == nil || r.stop(ctx) != "" {
		return
	}
	var ms []*Mutant
	for i := range r.results {
		res := &r.results[i]
		if res.Verdict.Unnoticed() && res.Mutant.Kind == Edit && res.Mutant.Origin == Own && len(r.matrix.Killers(res.Mutant.ID)) == 0 {
			ms = append(ms, &res.Mutant)
		}
	}
	if len(ms) == 0 {
		return
	}
	same, err := r.Equivalent(ctx, ms)
	if err != nil {
		if ctx.Err() == nil {
			r.facts = append(r.facts, "the code of survivors was not compared with the original's: "+err.Error())
		}
		return
	}
	for i := range r.results {
		if res := &r.results[i]; res.Verdict.Unnoticed() && same[res.Mutant.ID] {
			res.Verdict, res.Reason = Equivalent, sameCode
		}
	}
}
