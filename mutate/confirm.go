package mutate

import (
	"context"
	"slices"
)

// maxAlone bounds how many tests are tried alone to find out which one noticed.
const maxAlone = 3

// needsConfirming reports whether a kill is in doubt, and fills in by whom.
func (r *run) needsConfirming(m *Mutant, f *finding) bool {
	if f.verdict != Killed {
		return false
	}
	tops := topsOf(f.killers, r.suite.top)
	var why string
	switch {
	case slices.ContainsFunc(tops, func(t string) bool { return r.suite.tests[t].Flipped }),
		slices.ContainsFunc(f.killers, func(t string) bool { return r.suite.tests[t].Flipped }):
		why = "its killer has flipped before"
	case r.unreached(m, tops):
		why = "its killer does not reach it"
	case r.ConfirmAll:
		why = "every kill is confirmed"
	default:
		return false
	}
	f.doubt, f.why = tops, why
	return true
}

// unreached reports whether the coverage says that none of the killers can have noticed.
func (r *run) unreached(m *Mutant, tops []string) bool {
	return !slices.ContainsFunc(tops, func(t string) bool { return r.mayReach(m, t) })
}

// mayStopEarly reports whether the first failure of a run is always one that counts. Where the whole command also
// runs tests that fail anyway, stopping at them would leave the others unasked.
func (r *run) mayStopEarly(tests []string, null *nullState) bool {
	if tests != nil {
		return true
	}
	if len(null.fails) > 0 || null.noisy {
		return false
	}
	for id, t := range r.suite.tests {
		if t.Status != Skipped && !r.suite.canKill(id) {
			return false
		}
	}
	return true
}

// confirm asks the tests in doubt again, alone. A kill that does not repeat is flaky; anything else stays what it
// was.
func (r *run) confirm(ctx context.Context, m *Mutant, null *nullState, f finding, acc *account) finding {
	killed := f.verdict == Killed
	if !r.Select {
		if !killed {
			f.doubt = nil
			return f // nobody can be named
		}
		return r.again(ctx, m, null, f, nil, acc)
	}
	if killed {
		return r.again(ctx, m, null, f, f.doubt, acc)
	}
	for _, t := range f.doubt[:min(len(f.doubt), maxAlone)] {
		alone := r.askConfirm(ctx, m, []string{t}, acc)
		if alone.verdict == Killed {
			return finding{verdict: Killed, killers: alone.killers, reason: "confirmed alone, as " + f.why}
		}
	}
	f.doubt = nil
	return f
}

func (r *run) again(ctx context.Context, m *Mutant, null *nullState, f finding, tests []string, acc *account) finding {
	second := r.askConfirm(ctx, m, tests, acc)
	switch second.verdict {
	case Killed:
		f.doubt = nil
		return f
	case NotRun:
		r.forget(m.ID, f.killers)
		return second
	}
	r.forget(m.ID, f.killers)
	return finding{verdict: Flaky, reason: names(topsOf(f.killers, r.suite.top)) + " did not fail a second time (" + f.why + ")"}
}

func (r *run) askConfirm(ctx context.Context, m *Mutant, tests []string, acc *account) finding {
	tier := T1
	if tests == nil {
		tier = T0
	}
	null := r.null(ctx, m, tier, tests)
	if null.broken != "" {
		return finding{verdict: NotRun, reason: null.broken}
	}
	f := r.ask(ctx, Trial{Purpose: ForConfirm, Mutant: m, Tests: tests, Tier: tier, FailFast: !r.Whole && tests != nil}, null, acc)
	if f.verdict == Killed {
		r.noteKill(m.ID, f.killers)
	}
	return f
}

func (r *run) noteKill(mutant string, killers []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range killers {
		r.matrix.set(id, mutant, CellKilled)
		r.matrix.set(r.suite.top(id), mutant, CellKilled)
	}
}
