package mutate

import (
	"cmp"
	"slices"
)

// prepare decides what can be decided without a run: known verdicts and mutants that no test reaches.
func (r *run) prepare() {
	for i := range r.plan.Mutants {
		m := &r.plan.Mutants[i]
		res := &r.results[i]
		res.Mutant = *m
		if m.Known != "" {
			res.Verdict, res.Reason = m.Known, m.Why
			continue
		}
		if len(r.suite.usable()) == 0 {
			res.Verdict, res.Reason = NotRun, noUsable
			continue
		}
		tests, known := r.Reach.Tests(m)
		r.reached[m.ID] = reached{tests, known}
		s := r.selection(m)
		res.Tier, res.Asked = s.tier, s.tests
		if s.uncovered != "" {
			res.Verdict, res.Reason, res.Tier = Uncovered, s.uncovered, ""
			continue
		}
		if !r.recall(res) {
			r.planNull(m, s)
		}
	}
}

// force leaves out what the only tier that may be used cannot try.
func (r *run) force() {
	for i := range r.results {
		if res := &r.results[i]; r.Tier != "" && res.Verdict == "" && res.Tier != r.Tier {
			res.Verdict, res.Reason, res.Tier = NotRun, "it cannot be tried by "+string(r.Tier), ""
		}
	}
}

const noUsable = "no test can kill: none passes on the clean tree, or all are quarantined"

// selection is which tests are asked of a mutant, and how.
type selection struct {
	tier      Tier
	tests     []string // nil = the whole command
	uncovered string   // why nobody is asked
}

func (r *run) selection(m *Mutant) selection {
	at := r.reached[m.ID]
	if !at.known {
		return selection{tier: T0}
	}
	tests := []string{}
	for _, t := range r.suite.usable() {
		if r.mayReach(m, t) {
			tests = append(tests, t)
		}
	}
	switch {
	case len(tests) == 0 && len(at.tests) == 0:
		return selection{tier: T1, uncovered: "no test reaches it"}
	case len(tests) == 0:
		return selection{tier: T1, uncovered: "only tests that cannot kill reach it: " + names(at.tests)}
	}
	if !r.Select || r.Tier == T0 {
		return selection{tier: T0}
	}
	return selection{tier: T1, tests: tests}
}

// reached is what the coverage says about one mutant.
type reached struct {
	tests []string // measured tests that reach it, sorted
	known bool
}

// mayReach reports whether a top-level test may reach a mutant: it does, or nobody knows.
func (r *run) mayReach(m *Mutant, test string) bool {
	at := r.reached[m.ID]
	if !at.known || !r.Reach.tests[test] {
		return true
	}
	_, found := slices.BinarySearch(at.tests, test)
	return found
}

// order puts the likeliest killer first: who killed most so far of the same function, then of all, then who is quickest. nil = of no
// mutant in particular.
func (r *run) order(tests []string, m *Mutant) []string {
	r.mu.Lock()
	near, all := make(map[string]int, len(tests)), make(map[string]int, len(tests))
	for _, t := range tests {
		all[t] = r.kills[kill{test: t}]
		if m != nil {
			near[t] = r.kills[kill{t, m.File, m.Func}]
		}
	}
	r.mu.Unlock()
	out := slices.Clone(tests)
	slices.SortStableFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(near[b], near[a]), cmp.Compare(all[b], all[a]), cmp.Compare(r.suite.tests[a].Wall, r.suite.tests[b].Wall))
	})
	return out
}

// kill counts what a test noticed in a function; in no file, of all.
type kill struct{ test, file, function string }

func (r *run) remember(m *Mutant, killers []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range topsOf(killers, r.suite.top) {
		r.kills[kill{test: t}]++
		r.kills[kill{t, m.File, m.Func}]++
	}
}
