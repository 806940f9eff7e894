package assurance

import (
	"fmt"
	"slices"
)

// vacuous returns the tests that ran alone on every mutant that they reach and killed none of them. A test
// that reaches no mutant, or was not asked of one, is not called anything.
func (v *view) vacuous() []VacuousTest {
	type bite struct {
		reach, alone, killed int
	}
	all := map[string]*bite{}
	for _, m := range v.mutants {
		if !m.viable() || m.verdict == MutantNotRun || m.out {
			continue
		}
		for _, t := range unique(m.obs.Reach) {
			b := all[t]
			if b == nil {
				b = &bite{}
				all[t] = b
			}
			b.reach++
			// A killer that does not count against the mutant still shows that the test can fail.
			if slices.Contains(m.obs.Killers, t) {
				b.killed++
			} else if slices.Contains(m.obs.PassedAlone, t) {
				b.alone++
			}
		}
	}
	var out []VacuousTest
	for id, b := range all {
		if b.killed == 0 && b.alone == b.reach {
			out = append(out, VacuousTest{ID: id, Mutants: b.reach})
		}
	}
	slices.SortFunc(out, func(a, b VacuousTest) int { return compare(a.ID, b.ID) })
	return out
}

func unique(s []string) []string {
	out := slices.Clone(s)
	slices.Sort(out)
	return slices.Compact(out)
}

// testCriteria returns the criteria that tests can meet. A spec without any has one: the whole change.
func (v *view) testCriteria() (list []Criterion, whole bool) {
	for _, c := range v.plan.Criteria {
		if c.Kind == CriterionTest {
			list = append(list, c)
		}
	}
	if len(list) > 0 {
		return list, false
	}
	c := Criterion{Kind: CriterionTest}
	for _, t := range v.plan.Tests {
		if t.Required {
			c.Tests = append(c.Tests, t.ID)
		}
	}
	return []Criterion{c}, true
}

// bite is whether the tests of one criterion kill a mutant of its code. A hunk put back to base counts where there is nothing else:
// taking a function away fails every test that calls it, whatever the test looks at.
type bite struct {
	killed string // id of the mutant
	viable int
	own    int // of the viable ones, those that are no hunk put back
	unseen int
	clause Clause // State, Code, Reason
}

func (v *view) bite(c Criterion, whole bool, vacuous map[string]bool) bite {
	var b bite
	tests := map[string]bool{}
	idle, reverted := 0, false
	for _, t := range c.Tests {
		tests[t] = true
		if vacuous[t] {
			idle++
		}
	}
	for _, m := range v.mutants {
		if m.out || !m.viable() || !(whole && m.plan.InChange || slices.Contains(m.plan.Criteria, c.ID)) {
			continue
		}
		b.viable++
		revert := m.plan.Origin == OriginRevert
		if !revert {
			b.own++
		}
		if m.verdict == MutantNotRun {
			b.unseen++
		}
		if (b.killed == "" || reverted && !revert) && m.verdict == MutantKilled && v.nullPassed(m.where()) &&
			slices.ContainsFunc(m.killers, func(t string) bool { return tests[t] }) {
			b.killed, reverted = m.plan.ID, revert
		}
	}
	if reverted && b.own > 0 {
		b.killed = ""
	}
	name := "the whole change"
	if !whole {
		name = "criterion " + c.ID
	}
	set := func(s State, code, format string, args ...any) bite {
		b.clause = Clause{State: s, Code: code, Reason: name + ": " + fmt.Sprintf(format, args...)}
		return b
	}
	switch {
	case len(c.Tests) == 0:
		return set(Failed, CodeInconclusive, "no test is named for it")
	case b.killed != "":
		return set(Held, "", "its tests kill mutant %s", b.killed)
	case b.viable == 0 && len(v.plan.Unmutated) > 0:
		return set(NotRun, "", "there is no mutant of its code, and Lane has no operators yet for the language of %s", v.plan.Unmutated[0])
	case b.viable == 0:
		return set(Failed, CodeInconclusive, "there is no viable mutant of its code")
	case idle == len(c.Tests):
		return set(Failed, CodeVacuous, "its tests are vacuous: they ran alone on every mutant that they reach and killed none")
	case b.unseen > 0:
		return set(NotRun, "", "its tests killed none of %d mutants of its code, and %d were not judged", b.viable, b.unseen)
	}
	if reverted {
		return set(Failed, CodeSurvivor, "its tests notice when the change is taken away, and none of %d faults in it", b.own)
	}
	return set(Failed, CodeSurvivor, "its tests kill none of %d mutants of its code", b.viable)
}

func (v *view) criteriaBite() (Clause, []CriterionResult) {
	vac := map[string]bool{}
	for _, t := range v.vacuous() {
		vac[t.ID] = true
	}
	list, whole := v.testCriteria()
	out := Clause{State: Held, Reason: number(len(list), "criterion:", "criteria:") + " the tests of each kill a mutant of its code"}
	if whole {
		out.Reason = "the required tests kill a mutant of the change"
	}
	bites := map[string]bite{}
	for _, c := range list {
		b := v.bite(c, whole, vac)
		bites[c.ID] = b
		if b.clause.State == Held {
			continue
		}
		if out.State == Held || out.State == NotRun && b.clause.State == Failed {
			out.State, out.Code, out.Reason = b.clause.State, b.clause.Code, b.clause.Reason
		}
		out.Facts = append(out.Facts, b.clause.Reason)
	}
	if len(out.Facts) == 1 {
		out.Facts = nil // it is the reason
	}
	out.Facts = bound(out.Facts)
	var results []CriterionResult
	for _, c := range v.plan.Criteria {
		results = append(results, v.criterion(c, bites[c.ID]))
	}
	if n, ok := v.nothingToBite(); ok && out.State != Held {
		out = n
	}
	return out, results
}

// criterion says what became of one criterion, for people. Its tests passing is not enough: they have to
// bite.
func (v *view) criterion(c Criterion, b bite) CriterionResult {
	r := CriterionResult{ID: c.ID, Kind: c.Kind, Text: c.Text, Tests: c.Tests, Killed: b.killed}
	if c.Kind == CriterionDeploy {
		return v.deployCriterion(r)
	}
	if c.Kind != CriterionTest {
		r.State, r.Reason = CriterionUnverifiable, "nothing in this run can see it"
		return r
	}
	for _, t := range c.Tests {
		if !v.passesOnHead(t) {
			r.State, r.Reason = CriterionNotMet, fmt.Sprintf("%s does not pass in every run", t)
			return r
		}
	}
	r.State, r.Reason = CriterionUnproven, b.clause.Reason
	if b.clause.State == Held {
		r.State, r.Reason = CriterionMet, fmt.Sprintf("its tests pass, and kill mutant %s", b.killed)
	}
	return r
}
