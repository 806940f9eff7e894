package mutate

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// worthStaging is how long the tests of a mutant have to take, on the clock, before those that are likely to notice it get a process that
// goes first: package testing runs the tests of a process in the order of their files. One more process of T2 takes some 50 ms; in T1 it may
// have to be built once more.
var worthStaging = map[Tier]time.Duration{T1: 10 * time.Second, T2: time.Second}

// stageShares are the parts of the time of all tests that the first stages may take. What they leave is the last.
var stageShares = []time.Duration{16, 4}

// stages cuts the tests of one trial into trials that go one after the other until one notices the mutant. What is likely to notice it, for
// the time that it takes, goes first. A run of the whole command has no stages, a session of T3 runs tests in any order, and a matrix wants
// the answers of all.
func (r *run) stages(tier Tier, tests []string, m *Mutant) [][]string {
	_, all := r.suite.sum(tests)
	if worth, ok := worthStaging[tier]; !ok || tests == nil || r.Whole || all < worth {
		return [][]string{tests}
	}
	left := r.byYield(tests, m)
	var out [][]string
	for _, share := range stageShares {
		n, sum := 0, time.Duration(0)
		for n < len(left) && (n == 0 || sum+r.suite.tests[left[n]].Wall <= all/share) {
			sum += r.suite.tests[left[n]].Wall
			n++
		}
		if n > 0 {
			out, left = append(out, left[:n]), left[n:]
		}
	}
	if len(left) > 0 {
		out = append(out, left)
	}
	return out
}

// byYield orders tests by how often they noticed something so far, most of all in the mutant's own function, for the time that they take.
func (r *run) byYield(tests []string, m *Mutant) []string {
	yield := make(map[string]float64, len(tests))
	r.mu.Lock()
	for _, t := range tests {
		kills := 1 + r.kills[kill{test: t}]
		if m != nil {
			kills += 4 * r.kills[kill{t, m.File, m.Func}]
		}
		yield[t] = float64(kills) / (r.suite.tests[t].Wall + time.Millisecond).Seconds()
	}
	r.mu.Unlock()
	out := slices.Clone(tests)
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(yield[b], yield[a]) })
	return out
}

// askInStages asks the tests of a trial, and no more of them once some have noticed the mutant. It has survived where it survived one stage
// and none noticed: the tests of another may all have been skipped.
func (r *run) askInStages(ctx context.Context, t Trial, null *nullState, acc *account) (all finding) {
	for _, tests := range r.stages(t.Tier, t.Tests, t.Mutant) {
		t.Tests = tests
		f := r.ask(ctx, t, null, acc)
		skipped := f.verdict == NotRun && f.reason == noneDecided
		if f.verdict != Survived && !skipped || len(f.doubt) > 0 {
			return f
		}
		if all.verdict != Survived || !skipped && all.reason == "" {
			all = f
		}
	}
	return all
}
