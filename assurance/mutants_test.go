package assurance_test

import (
	"fmt"
	"testing"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
)

// more adds n mutants of the first place with that verdict; killed ones by the criterion's test.
func more(n int, verdict assurance.MutantVerdict) func(*assurance.Evidence) {
	return func(e *assurance.Evidence) {
		for range n {
			m := e.Plan.Mutants[0]
			m.ID = fmt.Sprintf("m-%d", len(e.Plan.Mutants))
			e.Plan.Mutants = append(e.Plan.Mutants, m)
			o := assurance.MutantObservation{Verdict: verdict}
			if verdict == assurance.MutantKilled {
				o.Killers = []string{at.Once}
			}
			e.Observations[m.ID] = assurance.Observation{Mutant: &o}
		}
	}
}

// onlyMutants leaves the mutants with these ids.
func onlyMutants(ids ...string) func(*assurance.Evidence) {
	return func(e *assurance.Evidence) {
		var keep []assurance.PlannedMutant
		for _, m := range e.Plan.Mutants {
			for _, id := range ids {
				if m.ID == id {
					keep = append(keep, m)
				}
			}
		}
		e.Plan.Mutants, e.Plan.Audits = keep, nil
	}
}

func explain(id string, by assurance.Authority, signed bool) func(*assurance.Evidence) {
	return func(e *assurance.Evidence) {
		e.Plan.Explained = append(e.Plan.Explained, assurance.Explanation{Mutant: id, By: by, Signed: signed, Reason: "both branches return the same"})
	}
}

func change(kind string, by assurance.Authority) func(*assurance.Evidence) {
	return func(e *assurance.Evidence) { e.Plan.Change.Kind, e.Plan.Change.SaidBy = kind, by }
}

func sample(population int, after bool) func(*assurance.Evidence) {
	return func(e *assurance.Evidence) {
		e.Plan.Sample = &assurance.Sample{Population: population, AfterHeadFixed: after}
	}
}

func killers(id string, tests ...string) func(*assurance.Evidence) {
	return func(e *assurance.Evidence) { e.Observations[id].Mutant.Killers = tests }
}

func TestMutationRules(t *testing.T) {
	docs := func(e *assurance.Evidence) {
		e.Plan.Change.Files = []assurance.ChangedFile{{Path: "README.md", Kind: assurance.FileDocs}}
		e.Plan.Places, e.Plan.Mutants, e.Plan.Nulls, e.Plan.Breaks, e.Plan.Audits, e.Plan.Criteria = nil, nil, nil, nil, nil, nil
		at.Set(e.Observations[at.OnHybrid], at.Once, assurance.TestPassed, "")
		e.Observations[at.OnHybrid].Run.Exit = 0
	}
	for _, c := range []struct {
		name string
		edit func(*assurance.Evidence)
		off  string
	}{
		{"a quarter of 4 has no clear verdict", more(1, assurance.MutantHung), ""},
		{"two of 5 have none", more(2, assurance.MutantExhausted), "mutants-killed=failed:inconclusive"},
		{"two of 5 have none, beside others that do not count", both(more(2, assurance.MutantHung), more(6, assurance.MutantUnviable), more(6, assurance.MutantEquivalent)), "mutants-killed=failed:inconclusive"},
		{"two of 8 have none", both(more(2, assurance.MutantCrashed), more(3, assurance.MutantKilled)), ""},
		{"three of 8 have none", both(more(1, assurance.MutantFlaky), more(2, assurance.MutantHung), more(2, assurance.MutantKilled)), "mutants-killed=failed:inconclusive"},

		{"survivor explained by a signed entry of base", both(more(1, assurance.MutantSurvived), explain("m-6", assurance.ByBase, true)), ""},
		{"survivor explained by a signed entry of a contract", both(more(1, assurance.MutantUncovered), explain("m-6", assurance.ByContract, true)), ""},
		{"survivor explained without a signature", both(more(1, assurance.MutantSurvived), explain("m-6", assurance.ByBase, false)), "mutants-killed=failed:survivor"},
		{"survivor explained by the change", both(more(1, assurance.MutantSurvived), explain("m-6", assurance.ByChange, true)), "mutants-killed=failed:survivor"},
		{"survivor proven to be the same code", more(1, assurance.MutantEquivalent), ""},
		{"mutant that does not build (M1)", more(1, assurance.MutantUnviable), ""},

		{"all of a sample of 59 killed", both(more(56, assurance.MutantKilled), sample(1000, true)), ""},
		{"58 killed of a sample", both(more(55, assurance.MutantKilled), sample(1000, true)), "mutants-killed=failed:inconclusive"},
		{"59 killed and one survived", both(more(56, assurance.MutantKilled), more(1, assurance.MutantSurvived), sample(1000, true)), "mutants-killed=failed:survivor"},
		{"a sample that the change could foresee", both(more(60, assurance.MutantKilled), sample(1000, false)), "mutants-killed=failed:inconclusive"},
		{"a sample that is all there is", sample(4, false), ""},

		{"no mutant of changed code (M8)", func(e *assurance.Evidence) { onlyMutants()(e); e.Plan.Nulls = nil },
			"null-mutant=not-run mutants-killed=failed:inconclusive criteria-bite=failed:inconclusive"},
		{"no viable mutant", func(e *assurance.Evidence) {
			for _, id := range []string{at.Killed, at.Reverted, at.Other} {
				verdictOf(id, assurance.MutantUnviable)(e)
			}
			e.Plan.Audits = nil
		}, "mutants-killed=failed:inconclusive"},
		{"everything uncovered (M8)", func(e *assurance.Evidence) {
			for _, id := range []string{at.Killed, at.Reverted, at.Other, at.Quota} {
				verdictOf(id, assurance.MutantUncovered)(e)
			}
			e.Plan.Audits = nil
		}, "mutants-killed=failed:survivor criteria-bite=failed:survivor"},
		{"documentation only", docs, "null-mutant=failed:nothing-to-bite proves-change=failed:nothing-to-bite mutants-killed=failed:nothing-to-bite criteria-bite=failed:nothing-to-bite"},
		{"configuration without a mutant", both(docs, func(e *assurance.Evidence) { e.Plan.Change.Files[0].Kind = assurance.FileConfig }),
			"null-mutant=not-run proves-change=failed mutants-killed=failed:inconclusive criteria-bite=failed:inconclusive"},

		{"arid by the change's own word", func(e *assurance.Evidence) { e.Plan.Mutants[3].AridBy = assurance.ByChange }, "mutants-killed=not-run"},
		{"arid by base's word", func(e *assurance.Evidence) { e.Plan.Mutants[3].AridBy = assurance.ByBase }, ""},
		{"not known to be unviable after all", verdictOf(at.Unviable, assurance.MutantKilled), "mutants-killed=not-run"},

		{"killer that is flaky on the clean tree (M7)", func(e *assurance.Evidence) {
			killers(at.Other, at.Broken)(e)
			e.Plan.Tests = append(e.Plan.Tests, assurance.PlannedTest{ID: at.Broken, Task: "unit", Unit: at.Tax, BaseFails: true})
			for i, id := range heads {
				add(e, id, at.Broken, []assurance.TestStatus{assurance.TestPassed, assurance.TestPassed, assurance.TestFailed}[i])
			}
			e.Observations[at.HeadZone].Run.Exit = 1
		}, "stable=failed:flaky mutants-killed=failed:inconclusive"},
		{"killer that nobody knows", killers(at.Other, at.Cart+".TestGhost"), "mutants-killed=failed:inconclusive"},
		{"kill without a killer", killers(at.Other), "mutants-killed=failed:inconclusive"},
		{"killer that fails on the null mutant too (C29)", func(e *assurance.Evidence) {
			*e.Observations["null/cart/T1"].Null = assurance.NullObservation{Failed: []string{at.Total, at.Empty}}
		}, "null-mutant=failed mutants-killed=failed:inconclusive"},

		{"refactoring, says base: nothing to prove, and hunks put back do not count", both(change(assurance.Refactor, assurance.ByBase), verdictOf(at.Reverted, assurance.MutantSurvived), drop(at.OnHybrid)), ""},
		{"refactoring, says the change", both(change(assurance.Refactor, assurance.ByChange), verdictOf(at.Reverted, assurance.MutantSurvived), drop(at.OnHybrid)), "proves-change=not-run mutants-killed=failed:survivor"},
		{"refactoring, says the caller, without a kill of its own", both(change(assurance.Refactor, assurance.ByCaller), onlyMutants(at.Reverted, at.Quota)), "mutants-killed=failed:inconclusive"},
		{"a fix survives being put back", verdictOf(at.Reverted, assurance.MutantSurvived), "mutants-killed=failed:survivor"},
		{"a hunk of configuration, killed by being put back alone", onlyMutants(at.Reverted, at.Other, at.Quota), ""},
		{"tests that notice when the change is taken away, and no fault in it (C30)", func(e *assurance.Evidence) {
			for _, id := range []string{at.Killed, at.Quota} {
				verdictOf(id, assurance.MutantSurvived)(e)
			}
			e.Plan.Audits = nil
		}, "mutants-killed=failed:survivor criteria-bite=failed:survivor"},
		{"nothing changed, says the caller", both(change(assurance.Tree, assurance.ByCaller), drop(at.OnHybrid)), ""},
		{"nothing changed, says the change", both(change(assurance.Tree, assurance.ByChange), drop(at.OnHybrid)), "proves-change=not-run"},
		{"no base, says the caller", both(change(assurance.Tree, assurance.ByCaller), func(e *assurance.Evidence) {
			e.Plan.Subject.BaseTree, e.Plan.Subject.BaseCommit = "", ""
			e.Plan.Runs, e.Plan.Trees = e.Plan.Runs[:3], e.Plan.Trees[:1]
		}), ""},
		{"no base, says the change", both(change(assurance.Tree, assurance.ByChange), func(e *assurance.Evidence) {
			e.Plan.Subject.BaseTree, e.Plan.Subject.BaseCommit = "", ""
			e.Plan.Runs, e.Plan.Trees = e.Plan.Runs[:3], e.Plan.Trees[:1]
		}), "none-lost=not-run proves-change=not-run"},

		{"forgeable reporter with kills", func(e *assurance.Evidence) { e.Plan.Tasks[0].Class = assurance.Forgeable; noCanaries(e) }, ""},
		{"forgeable reporter without", func(e *assurance.Evidence) {
			e.Plan.Tasks[0].Class = assurance.Forgeable
			noCanaries(e)
			for _, id := range []string{at.Killed, at.Reverted, at.Other, at.Quota} {
				verdictOf(id, assurance.MutantSurvived)(e)
			}
			e.Plan.Audits = nil
		}, "canary=not-run mutants-killed=failed:survivor criteria-bite=failed:survivor"},

		{"a language without operators: hunks put back are no substitute", both(unmutated, onlyMutants(at.Reverted, at.Quota)), "mutants-killed=not-run"},
		{"a language without operators, and a hunk that nobody misses", both(unmutated, verdictOf(at.Reverted, assurance.MutantSurvived)), "mutants-killed=failed:survivor"},
		{"a language without operators, and no mutant at all", both(unmutated, onlyMutants()), "mutants-killed=not-run criteria-bite=not-run"},

		{"no criterion: the whole change is one", func(e *assurance.Evidence) { e.Plan.Criteria = nil; clearCriteria(e) }, ""},
		{"a criterion that Lane cannot see", func(e *assurance.Evidence) {
			e.Plan.Criteria = append(e.Plan.Criteria, assurance.Criterion{ID: "AC-2", Kind: assurance.CriterionManual, Text: "It looks nice"})
		}, ""},
		{"proof by a test of the change that does not build on base", func(e *assurance.Evidence) {
			r := e.Observations[at.OnHybrid].Run
			r.Units[0] = assurance.UnitResult{ID: at.Cart, Expected: true, Unbuilt: true}
			for _, id := range []string{at.Once, at.Total, at.Empty} {
				at.Set(e.Observations[at.OnHybrid], id, "", "")
			}
		}, ""},
		{"proof by exit status 0", func(e *assurance.Evidence) { e.Observations[at.OnHybrid].Run.Exit = 0 }, "proves-change=failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := at.Judged(c.edit)
			if v.Outcome != assurance.OutcomePassed {
				t.Errorf("outcome %s", v.Outcome)
			}
			if got := off(v); got != c.off {
				t.Errorf("clauses that do not hold: %s\nwant: %s\n%s", got, c.off, reasons(v))
			}
		})
	}
}

func unmutated(e *assurance.Evidence) { e.Plan.Unmutated = []string{"cart.js"} }

func TestMutantCounts(t *testing.T) {
	v := at.Judged(both(more(2, assurance.MutantHung), more(1, assurance.MutantUncovered), verdictOf(at.Other, assurance.MutantSurvived), drop(at.Reverted)))
	want := assurance.MutantCounts{Planned: 8, Arid: 1, Unviable: 1, Viable: 6, Killed: 1, Survived: 2, Uncovered: 1, Inconclusive: 2,
		NotRun: 1, Quota: 1, Lower: 1. / 6, Upper: 4. / 6}
	if v.Mutants != want {
		t.Errorf("got  %+v\nwant %+v", v.Mutants, want)
	}
	if len(v.Survivors) != 2 || v.Survivors[0].ID != at.Other || v.Survivors[0].Line != 61 || !v.Survivors[0].InChange {
		t.Errorf("survivors: %+v", v.Survivors)
	}
}

func TestCriteria(t *testing.T) {
	v := at.Judged(func(e *assurance.Evidence) {
		e.Plan.Criteria = append(e.Plan.Criteria,
			assurance.Criterion{ID: "AC-2", Kind: assurance.CriterionManual},
			assurance.Criterion{ID: "AC-3", Kind: assurance.CriterionTest, Tests: []string{at.Cart + ".TestNowhere"}},
			assurance.Criterion{ID: "AC-4", Kind: assurance.CriterionTest, Tests: []string{at.Round}})
	})
	want := map[string]string{"AC-1": "met", "AC-2": "unverifiable", "AC-3": "not-met", "AC-4": "unproven"}
	for _, c := range v.Criteria {
		if c.State != want[c.ID] {
			t.Errorf("%s is %s, want %s: %s", c.ID, c.State, want[c.ID], c.Reason)
		}
	}
	if len(v.Criteria) != 4 {
		t.Errorf("criteria: %+v", v.Criteria)
	}
}

// A test is called vacuous only after it ran alone on every mutant that it reaches and killed none.
func TestVacuous(t *testing.T) {
	reach := func(tests, alone, kills []string) func(*assurance.Evidence) {
		return func(e *assurance.Evidence) {
			o := e.Observations[at.Killed].Mutant
			o.Reach, o.PassedAlone, o.Killers = tests, alone, append(o.Killers, kills...)
		}
	}
	round := []string{at.Round}
	for _, c := range []struct {
		name string
		edit func(*assurance.Evidence)
		want int
	}{
		{"ran alone and passed", reach(round, round, nil), 1},
		{"never ran alone", reach(round, nil, nil), 0},
		{"killed it", reach(round, nil, round), 0},
		{"ran alone on one of two", both(reach(round, round, nil), func(e *assurance.Evidence) {
			e.Observations[at.Other].Mutant.Reach = append(e.Observations[at.Other].Mutant.Reach, at.Round)
		}), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if v := at.Judged(c.edit); len(v.Vacuous) != c.want {
				t.Errorf("vacuous: %+v", v.Vacuous)
			}
		})
	}
}
