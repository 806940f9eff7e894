package mutate

import (
	"slices"
	"sort"
)

// TestSummary says what one top-level test is worth, as far as a run has shown it.
type TestSummary struct {
	Test string `json:"test"`
	// Killed counts the mutants that it noticed, Passed those on which it ran and passed.
	Killed int `json:"killed"`
	Passed int `json:"passed"`
	// Only lists the mutants that it alone noticed, of those that all tests which reach them were asked of.
	Only []string `json:"only,omitempty"`
	// State is Bites, Redundant, Vacuous or NotAsked; Reason says why.
	State  TestState `json:"state"`
	Reason string    `json:"reason,omitempty"`
}

// Redundant tests noticed mutants, and each of them was noticed by another test as well. That says nothing of faults of other kinds.
const Redundant TestState = "redundant"

// Summaries sums up the tests that ran on mutants, by name. Redundant and Only need the whole matrix, see [Engine.Whole]: where tests
// stop at the first failure, nobody knows who else would have failed.
func (r *Report) Summaries(top func(string) string) []TestSummary {
	sums := map[string]*TestSummary{}
	of := func(test string) *TestSummary {
		s := sums[test]
		if s == nil {
			s = &TestSummary{Test: test, State: NotAsked}
			sums[test] = s
		}
		return s
	}
	shared := map[string]bool{} // tests of which each kill is another's, too
	for i := range r.Results {
		res := &r.Results[i]
		row := r.Matrix.rows[res.Mutant.ID]
		if row == nil {
			continue
		}
		killers := topsOf(r.Matrix.resolve(row.killed), top)
		ran := topsOf(r.Matrix.resolve(slices.Concat(row.killed, row.passed)), top)
		for _, t := range ran {
			s := of(t)
			if !slices.Contains(killers, t) {
				s.Passed++
				continue
			}
			if s.Killed++; s.Killed == 1 {
				shared[t] = true
			}
			shared[t] = shared[t] && len(killers) > 1
			if len(killers) == 1 && res.Asked != nil && !slices.ContainsFunc(res.Asked, func(a string) bool { return !slices.Contains(ran, a) }) {
				s.Only = append(s.Only, res.Mutant.ID)
			}
		}
	}
	var out []TestSummary
	for _, s := range sums {
		switch {
		case s.Killed > 0 && shared[s.Test]:
			s.State, s.Reason = Redundant, "others noticed all that it noticed"
		case s.Killed > 0:
			s.State = Bites
		default:
			s.Reason = "it noticed no mutant, and was not asked alone of each"
		}
		out = append(out, *s)
	}
	for _, j := range r.Tests {
		if i := slices.IndexFunc(out, func(s TestSummary) bool { return s.Test == j.Test }); i < 0 {
			out = append(out, TestSummary{Test: j.Test, State: j.State, Reason: j.Reason})
		} else if out[i].Killed == 0 {
			out[i].State, out[i].Reason, out[i].Killed = j.State, j.Reason, j.Killed
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Test < out[j].Test })
	return out
}
