package mutate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// switched reports whether a mutant of this tier is selected by a value in what was built or loaded once.
func (t Tier) switched() bool { return t == T2 || t == T3 }

// budget is what a trial may use. In T3 nothing is started or loaded: a fifth of the floors is enough. In T2 nothing is built, so that
// it is for CPU time: a loop that does not end is ended early, and what waits has the time that it had. In T3 each test has, besides, a
// budget by what the slowest of the file's null mutant used, so that one that hangs does not use up what was meant for all.
func (r *run) budget(t *Trial, null *nullState) {
	l := r.limits
	if t.Tier == T3 {
		l.FloorCPU, l.FloorWall = l.FloorCPU/5, l.FloorWall/2
		if null.most > 0 {
			t.Each = l.FloorCPU + time.Duration(l.Factor)*null.most
		}
	}
	if t.Tier == T2 {
		l.FloorCPU /= 5
	}
	t.CPU, t.Wall = l.budget(r.suite, t.Tests, null)
}

// unforked asks again, without forking, where a forked session could not tell.
func (r *run) unforked(ctx context.Context, t Trial, why string, acc *account) finding {
	if r.Tier == T3 {
		return finding{verdict: NotRun, reason: "cannot be judged in a forked session: " + why}
	}
	r.mu.Lock()
	if r.spoiled == nil {
		r.spoiled = map[string]int{}
	}
	r.spoiled[why]++
	r.mu.Unlock()
	t.Tier, t.Switch = T1, ""
	null := r.null(ctx, t.Mutant, t.Tier, t.Tests)
	if null.broken != "" {
		return finding{verdict: NotRun, reason: null.broken, tier: T1}
	}
	f := r.ask(ctx, t, null, acc)
	f.tier = T1
	return f
}

// maxReasons bounds how many reasons are told for which mutants were not forked.
const maxReasons = 8

// unforkedFacts says what made forked sessions unable to tell.
func (r *run) unforkedFacts() (out []string) {
	for _, why := range slices.Sorted(maps.Keys(r.spoiled)) {
		if len(out) < maxReasons {
			out = append(out, fmt.Sprintf("%d trials were made again without a forked session: %s", r.spoiled[why], why))
		}
	}
	return out
}

// forkFile gives the mutants of a file to T3. Those whose tests do not pass there on copies that change nothing stay out, and so do
// those whose function can be taken away there without anybody noticing: what is swapped is then not what runs. Neither says
// anything about the code, so none of it is evidence.
func (r *run) forkFile(ctx context.Context, file string, mutants []int) {
	key := nullKey{file, T3}
	null := r.null(ctx, &r.results[mutants[0]].Mutant, T3, r.askedOf(mutants))
	if null.broken == "" && len(null.fails) > 0 {
		r.abandon(key, fmt.Sprintf("%s: not forked for %s, which does not pass in a forked session when nothing is changed", file, names(slices.Sorted(maps.Keys(null.fails)))))
		fails := func(t string) bool { return null.fails[t] }
		mutants = slices.DeleteFunc(slices.Clone(mutants), func(i int) bool { return slices.ContainsFunc(r.results[i].Asked, fails) })
		if len(mutants) == 0 {
			return
		}
		null = r.null(ctx, &r.results[mutants[0]].Mutant, T3, r.askedOf(mutants))
	}
	if null.broken != "" || len(null.fails) > 0 {
		r.abandon(key, fmt.Sprintf("%s: no mutant was forked: %s", file, orElse(null.broken, "a test does not pass in a forked session when nothing is changed")))
		return
	}
	noticed := r.canaries3(ctx, file, mutants)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, i := range mutants {
		if noticed[r.switched.Canary[r.results[i].Mutant.ID]] {
			r.results[i].Tier = T3
		}
	}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// askedOf lists the tests that some mutants will ask.
func (r *run) askedOf(mutants []int) (out []string) {
	for _, i := range mutants {
		out = append(out, r.results[i].Asked...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// abandon takes away what null mutants of T2 or T3 showed, so that no verdict rests on it, and tells why. A control is evidence where
// verdicts rest on it: this file's have none of that tier, and the null mutant of the tier that they get is one of their own. Which
// quick ways were tried before, and not taken, must not decide what a change is worth.
func (r *run) abandon(k nullKey, why string) {
	r.nullMu.Lock()
	delete(r.nulls, k)
	r.nullMu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.facts = append(r.facts, why)
}

// canaries3 takes each function with mutants away in turn. It returns the values of those whose tests noticed.
func (r *run) canaries3(ctx context.Context, file string, mutants []int) map[string]bool {
	byValue := map[string][]int{}
	for _, i := range mutants {
		if v := r.switched.Canary[r.results[i].Mutant.ID]; v != "" {
			byValue[v] = append(byValue[v], i)
		}
	}
	noticed, unseen := map[string]bool{}, 0
	for v, group := range byValue {
		m := &r.results[group[0]].Mutant
		tests := r.askedOf(group)
		null := r.null(ctx, m, T3, tests)
		if null.broken != "" || r.stop(ctx) != "" {
			continue
		}
		t := Trial{ID: fmt.Sprintf("%s/%s/%s/%s", ForCanary, file, T3, m.Func), Purpose: ForCanary, Tests: r.order(tests, m), Tier: T3, Switch: v, FailFast: true}
		r.budget(&t, null)
		res, err := r.try(ctx, t)
		if err != nil {
			continue
		}
		if noticed[v] = res.End == EndExited && res.Exit != 0; !noticed[v] {
			unseen++
		}
	}
	c := Control{File: file, Tier: T3, OK: true}
	r.mu.Lock()
	if unseen > 0 {
		r.facts = append(r.facts, fmt.Sprintf("%s: the mutants of %d functions were not forked: nothing notices there that the function is gone", file, unseen))
	}
	if len(noticed) > unseen {
		r.canaried = append(r.canaried, c)
	}
	r.mu.Unlock()
	if len(noticed) > unseen {
		r.emit(Event{Kind: EventCanary, Control: &c})
	}
	return noticed
}
