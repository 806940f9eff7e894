package mutate

import (
	"context"
	"fmt"
	"slices"
)

// judgeTests finds out which of the tests to be judged are vacuous: those that ran alone on every mutant that they
// reach and killed none.
func (r *run) judgeTests(ctx context.Context) []Judgement {
	out := make([]Judgement, len(r.Judge))
	kills := r.matrix.Kills()
	for i, t := range r.Judge {
		out[i] = Judgement{Test: t, State: NotAsked, Killed: kills[t]}
		if kills[t] > 0 {
			out[i].State = Bites
		}
	}
	r.each(len(out), func(i int) {
		if out[i].State != Bites {
			r.judgeTest(ctx, &out[i])
		}
		j := out[i]
		r.emit(Event{Kind: EventTest, Test: &j})
	})
	return out
}

func (r *run) judgeTest(ctx context.Context, j *Judgement) {
	c, ok := r.suite.tests[j.Test]
	switch {
	case !ok || c.Status != Passed:
		j.Reason = "it does not pass on the clean tree"
		return
	case !r.suite.canKill(j.Test):
		j.Reason = "it is quarantined"
		return
	case !r.Select:
		j.Reason = "this reporter cannot run one test alone"
		return
	}
	reached := r.reachedBy(j.Test)
	if len(reached) == 0 {
		j.Reason = "it reaches no mutant"
		return
	}
	for _, i := range reached {
		j.Reaches = append(j.Reaches, r.results[i].Mutant.ID)
	}
	unclear := map[Verdict]int{}
	for _, i := range reached {
		if why := r.stop(ctx); why != "" {
			j.Reason = fmt.Sprintf("%s: it ran alone on %d of the %d mutants that it reaches", why, j.Alone, len(reached))
			return
		}
		f := r.alone(ctx, i, []string{r.suite.top(j.Test)}, ForAlone, j.Test)
		j.Alone++
		switch {
		case f.verdict == Killed && slices.ContainsFunc(f.killers, func(k string) bool { return k == j.Test || r.suite.top(k) == j.Test }):
			j.State, j.Killed = Bites, 1
			return
		case f.verdict == Survived:
			j.Passed = append(j.Passed, r.results[i].Mutant.ID)
		default:
			unclear[f.verdict]++
		}
	}
	for _, v := range Verdicts() {
		if unclear[v] > 0 {
			j.Reason = fmt.Sprintf("alone on %d mutants it gave no clear answer (%s)", unclear[v], v)
			return
		}
	}
	j.State = Vacuous
	j.Reason = fmt.Sprintf("it ran alone on all %d mutants that it reaches and killed none", len(reached))
}

// reachedBy lists the mutants that a test reaches, killed ones first: somebody notices them, so whoever notices none
// of these has the least excuse.
func (r *run) reachedBy(test string) []int {
	var killed, other []int
	for i := range r.results {
		res := &r.results[i]
		if !res.Verdict.Viable() || res.Verdict == Uncovered {
			continue
		}
		if !r.mayReach(&res.Mutant, r.suite.top(test)) {
			continue
		}
		if res.Verdict == Killed {
			killed = append(killed, i)
		} else {
			other = append(other, i)
		}
	}
	return append(killed, other...)
}

// alone runs chosen tests on mutant i beside the mutant's own verdict, which stays. The label is for whom.
func (r *run) alone(ctx context.Context, i int, tests []string, p Purpose, label string) finding {
	r.mu.Lock()
	m, tier := r.results[i].Mutant, T1
	if r.results[i].Tier.switched() && r.switched != nil && r.switched.Value[m.ID] != "" {
		tier = r.results[i].Tier // a verdict of an earlier run has no program
	}
	r.mu.Unlock()
	null := r.null(ctx, &m, tier, tests)
	if null.broken != "" {
		return finding{verdict: NotRun, reason: null.broken}
	}
	tests = null.without(tests)
	if len(tests) == 0 {
		return finding{verdict: NotRun, reason: "it fails on the null mutant"}
	}
	acc := account{label: string(p) + "/" + label + "/"}
	f := r.ask(ctx, Trial{Purpose: p, Mutant: &m, Tests: tests, Tier: tier, FailFast: !r.Whole}, null, &acc)
	if len(f.doubt) > 0 || r.needsConfirming(&m, &f) {
		f = r.confirm(ctx, &m, null, f, &acc)
	}
	return f
}

// criteria finds out, for each criterion, whether its tests kill a mutant of its code.
func (r *run) criteria(ctx context.Context) []Bite {
	out := make([]Bite, len(r.Criteria))
	r.each(len(out), func(i int) {
		b := r.bite(ctx, r.Criteria[i])
		out[i] = b
		r.emit(Event{Kind: EventCriterion, Bite: &b})
	})
	return out
}

func (r *run) bite(ctx context.Context, c Criterion) Bite {
	b := Bite{Criterion: c.ID}
	mine := func(id string) bool { return slices.Contains(c.Tests, id) || slices.Contains(c.Tests, r.suite.top(id)) }
	var killed, other []int
	own := slices.ContainsFunc(r.results, func(res Result) bool {
		return res.Mutant.Origin != Revert && slices.Contains(c.Files, res.Mutant.File) && res.Verdict.Viable()
	})
	for i := range r.results {
		res := &r.results[i]
		if !slices.Contains(c.Files, res.Mutant.File) || !res.Verdict.Viable() {
			continue
		}
		if own && res.Mutant.Origin == Revert {
			continue // taking a function away fails every test that calls it, whatever the test looks at
		}
		b.Viable++
		r.mu.Lock()
		killers := slices.DeleteFunc(r.matrix.Killers(res.Mutant.ID), func(k string) bool { return !mine(k) })
		r.mu.Unlock()
		switch {
		case len(killers) > 0 && res.Verdict == Killed:
			b.Killed, b.Mutant, b.Killers = true, res.Mutant.ID, killers
			b.Asked = 1
			return b
		case res.Verdict == Killed:
			killed = append(killed, i)
		case res.Verdict != Uncovered:
			other = append(other, i)
		}
	}
	switch {
	case len(c.Tests) == 0:
		b.Reason = "it names no test"
		return b
	case b.Viable == 0:
		b.Reason = "its code has no viable mutant"
		return b
	case !r.Select:
		b.Reason = "none of its tests killed a mutant of its code, and this reporter cannot run them alone"
		return b
	}
	r.askCriterion(ctx, c, &b, append(killed, other...), mine)
	return b
}

func (r *run) askCriterion(ctx context.Context, c Criterion, b *Bite, mutants []int, mine func(string) bool) {
	var tests []string
	for _, t := range c.Tests {
		if r.suite.canKill(t) {
			tests = append(tests, r.suite.top(t))
		}
	}
	slices.Sort(tests)
	tests = slices.Compact(tests)
	if len(tests) == 0 {
		b.Reason = "none of its tests passes on the clean tree"
		return
	}
	for _, i := range mutants {
		ask := slices.DeleteFunc(slices.Clone(tests), func(t string) bool { return !r.mayReach(&r.results[i].Mutant, t) })
		if len(ask) == 0 {
			continue
		}
		if why := r.stop(ctx); why != "" {
			b.Reason = fmt.Sprintf("%s, after %d of %d mutants of its code", why, b.Asked, len(mutants))
			return
		}
		f := r.alone(ctx, i, ask, ForCriterion, c.ID)
		b.Asked++
		if killers := slices.DeleteFunc(f.killers, func(k string) bool { return !mine(k) }); f.verdict == Killed && len(killers) > 0 {
			b.Killed, b.Mutant, b.Killers = true, r.results[i].Mutant.ID, killers
			return
		}
	}
	if b.Asked == 0 {
		b.Reason = "its tests reach no mutant of its code"
		return
	}
	b.Reason = fmt.Sprintf("its tests killed none of the %d mutants of its code that they reach", b.Asked)
}
