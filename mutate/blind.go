package mutate

import (
	"fmt"
	"slices"
)

// believed is a finding as it may be claimed: where nobody knows whether a mutant of a file compiled, a failed test proves nothing.
func (r *run) believed(m *Mutant, f finding) finding {
	if f.verdict != Killed || r.Blind == nil {
		return f
	}
	if why := r.Blind(m.File); why != "" {
		return finding{verdict: NotRun, reason: why}
	}
	return f
}

// blindFacts says once per reason how many kills were not claimed.
func (r *run) blindFacts() (out []string) {
	if r.Blind == nil {
		return nil
	}
	count := map[string]int{}
	var reasons []string
	for _, res := range r.results {
		why := r.Blind(res.Mutant.File)
		if why == "" || res.Verdict != NotRun || res.Reason != why {
			continue
		}
		if count[why]++; !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
	}
	for _, why := range reasons {
		out = append(out, fmt.Sprintf("of %d mutants nobody knows whether a test noticed them: %s", count[why], why))
	}
	return out
}
