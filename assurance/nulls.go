package assurance

import (
	"fmt"
	"strings"
)

func (v *view) nullMutant() Clause {
	if c, ok := v.nothingToBite(); ok {
		return c
	}
	need := map[fileTier]bool{}
	var order []fileTier
	for _, m := range v.mutants {
		switch k := m.where(); {
		case m.out, m.plan.Known != "", !m.plan.InChange:
			// What was drawn for a criterion only brings its null mutant along to criteria-bite.
		case m.verdict == MutantUncovered, m.verdict == MutantNotRun:
			// Nothing was run on it, and mutants-killed says so.
		case !need[k]:
			need[k] = true
			order = append(order, k)
		}
	}
	var failed, unseen, same []string
	planned := map[fileTier]bool{}
	for _, n := range v.plan.Nulls {
		k := fileTier{n.File, n.Tier}
		planned[k] = true
		o, ok := v.observed(n.ID)
		switch {
		case !ok || o.Null == nil:
			unseen = append(unseen, fmt.Sprintf("%s at %s", n.File, n.Tier))
		case !o.Null.Passed || len(o.Null.Failed) > 0:
			failed = append(failed, fmt.Sprintf("%s at %s: %s", n.File, n.Tier, orNone(o.Null.Failed, o.Null.Detail)))
		case o.Null.Same:
			same = append(same, fmt.Sprintf("%s at %s was laid over unchanged: nobody knows its comments", n.File, n.Tier))
		}
	}
	for _, k := range order {
		if !planned[k] {
			unseen = append(unseen, fmt.Sprintf("%s at %s", k.file, k.tier))
		}
	}
	switch {
	case len(failed) > 0:
		return Clause{State: Failed, Reason: "a mutant that changes nothing does not pass: what fails on it notices an edit, and no fault", Facts: bound(failed)}
	case len(unseen) > 0:
		return Clause{State: NotRun, Reason: number(len(unseen), "null mutant was", "null mutants were") + " not seen", Facts: bound(unseen)}
	case len(order) == 0 && len(v.plan.Nulls) == 0:
		return Clause{State: NotRun, Reason: "there is no mutant to control"}
	}
	return Clause{State: Held, Reason: number(len(v.plan.Nulls), "null mutant", "null mutants") + " passed", Facts: bound(same)}
}

// orNone lists names, or says what is known where there are none.
func orNone(names []string, detail string) string {
	if len(names) > 0 {
		return strings.Join(bound(names), ", ")
	}
	if detail != "" {
		return detail
	}
	return "no test named"
}

// nullPassed reports whether a null mutant of the file and tier was seen passing.
func (v *view) nullPassed(k fileTier) bool {
	seen := false
	for _, n := range v.plan.Nulls {
		if n.File != k.file || n.Tier != k.tier {
			continue
		}
		o, ok := v.observed(n.ID)
		if !ok || o.Null == nil || !o.Null.Passed || len(o.Null.Failed) > 0 {
			return false
		}
		seen = true
	}
	return seen
}
