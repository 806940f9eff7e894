package assurance_test

import (
	"slices"
	"testing"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
)

// hybrid changes the run of the change's tests on base's code.
func hybrid(exit int, test string, status assurance.TestStatus, unit func(*assurance.UnitResult)) func(*assurance.Evidence) {
	return func(e *assurance.Evidence) {
		o := e.Observations[at.OnHybrid]
		at.Set(o, test, status, "")
		o.Run.Exit = exit
		if unit != nil {
			unit(&o.Run.Units[0])
		}
	}
}

// again adds a second run of the hybrid tree.
func again(exit int, status assurance.TestStatus) func(*assurance.Evidence) {
	return func(e *assurance.Evidence) {
		e.Plan.Runs = append(e.Plan.Runs, assurance.PlannedRun{ID: "run/unit/hybrid/2", Task: "unit", Tree: assurance.Hybrid})
		r := *e.Observations[at.OnHybrid].Run
		r.Exit, r.Tests = exit, slices.Clone(r.Tests)
		e.Observations["run/unit/hybrid/2"] = assurance.Observation{Run: &r}
		at.Set(e.Observations["run/unit/hybrid/2"], at.Once, status, "")
	}
}

// brokenBefore makes a test that fails on base and passes on head, with no run of the hybrid tree that shows
// anything.
func brokenBefore(e *assurance.Evidence) {
	hybrid(0, at.Once, assurance.TestPassed, nil)(e)
	e.Plan.Tests = append(e.Plan.Tests, assurance.PlannedTest{ID: at.Broken, Task: "unit", Unit: at.Tax, BaseFails: true})
	add(e, at.OnBase, at.Broken, assurance.TestFailed)
	e.Observations[at.OnBase].Run.Exit = 1
	for _, id := range heads {
		add(e, id, at.Broken, assurance.TestPassed)
	}
}

func TestProvesChange(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*assurance.Evidence)
		want assurance.State
	}{
		{"fails on base's code", nil, assurance.Held},
		{"is skipped there", hybrid(1, at.Once, assurance.TestSkipped, nil), assurance.Failed},
		{"is not there", hybrid(1, at.Once, "", nil), assurance.Failed},
		{"breaks its session there", hybrid(2, at.Once, assurance.TestUnfinished, func(u *assurance.UnitResult) { u.Ended = false }), assurance.Held},
		{"does not finish in a session that does", hybrid(2, at.Once, assurance.TestUnfinished, nil), assurance.Failed},
		{"does not finish in a session that nobody saw", hybrid(2, at.Once, assurance.TestUnfinished, func(u *assurance.UnitResult) { u.Started, u.Ended = false, false }), assurance.Failed},
		{"does not build there", hybrid(1, at.Once, "", func(u *assurance.UnitResult) { u.Unbuilt, u.Started, u.Ended = true, false, false }), assurance.Held},
		{"passes in a package that did not build", hybrid(1, at.Once, assurance.TestPassed, func(u *assurance.UnitResult) { u.Unbuilt = true }), assurance.Failed},
		{"the command died of a signal there", func(e *assurance.Evidence) {
			r := e.Observations[at.OnHybrid].Run
			r.End, r.Exit, r.Signal = assurance.EndSignaled, 0, "ABRT"
		}, assurance.Held},
		{"fails in both of two runs", again(1, assurance.TestFailed), assurance.Held},
		{"fails in the first of two runs only", again(0, assurance.TestPassed), assurance.Failed},
		{"fails in the second of two runs only", both(hybrid(0, at.Once, assurance.TestPassed, nil), again(1, assurance.TestFailed)), assurance.Failed},
		{"one of two runs not seen", both(again(1, assurance.TestFailed), drop("run/unit/hybrid/2")), assurance.NotRun},
		{"the run contradicts itself", func(e *assurance.Evidence) { e.Observations[at.OnHybrid].Run.Problems = []string{"two ends"} }, assurance.NotRun},
		{"the run lost events", func(e *assurance.Evidence) { e.Observations[at.OnHybrid].Run.Lost = true }, assurance.NotRun},
		{"the run met a limit", func(e *assurance.Evidence) { e.Observations[at.OnHybrid].Run.End = assurance.EndMemory }, assurance.NotRun},
		{"the run is not planned", func(e *assurance.Evidence) {
			e.Plan.Runs = slices.DeleteFunc(e.Plan.Runs, func(r assurance.PlannedRun) bool { return r.Tree == assurance.Hybrid })
		}, assurance.NotRun},
		{"does not pass on head in every run", func(e *assurance.Evidence) { at.Set(e.Observations[at.HeadZone], at.Once, assurance.TestSkipped, "") }, assurance.Failed},
		{"a test that failed before passes now", brokenBefore, assurance.Held},
		{"a test that failed before and is not on head", func(e *assurance.Evidence) {
			brokenBefore(e)
			for _, id := range heads {
				at.Set(e.Observations[id], at.Broken, "", "")
			}
		}, assurance.Failed},
		{"base fails what the plan says it passes", func(e *assurance.Evidence) {
			hybrid(0, at.Once, assurance.TestPassed, nil)(e)
			at.Set(e.Observations[at.OnBase], at.Round, assurance.TestFailed, "")
			e.Observations[at.OnBase].Run.Exit = 1
		}, assurance.Failed},
		{"a test that failed before, where base is head", func(e *assurance.Evidence) {
			brokenBefore(e)
			e.Plan.Subject.BaseTree = e.Plan.Subject.GitTree
		}, assurance.Failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := at.Judged(c.edit).Clause(assurance.ProvesChange); got.State != c.want {
				t.Errorf("%s: %s, want %s", got.State, got.Reason, c.want)
			}
		})
	}
}

// An observation of the wrong kind, or of two kinds at once, is none.
func TestWrongKindIsNotRun(t *testing.T) {
	for id := range at.Good().Observations {
		want := at.Judged(drop(id))
		for name, wrong := range map[string]func(assurance.Observation) assurance.Observation{
			"nothing":   func(assurance.Observation) assurance.Observation { return assurance.Observation{} },
			"two kinds": func(o assurance.Observation) assurance.Observation { return twice(o) },
			"other kind": func(o assurance.Observation) assurance.Observation {
				if o.Audit != nil {
					return assurance.Observation{Break: &assurance.BreakObservation{Noticed: true}}
				}
				return assurance.Observation{Audit: &assurance.AuditObservation{Verdict: assurance.MutantKilled}}
			},
		} {
			got := at.Judged(func(e *assurance.Evidence) { e.Observations[id] = wrong(e.Observations[id]) })
			if off(got) != off(want) || got.Outcome != want.Outcome {
				t.Errorf("%s: %s: %s: %s\nwithout it: %s: %s", id, name, got.Outcome, off(got), want.Outcome, off(want))
			}
		}
	}
}

func twice(o assurance.Observation) assurance.Observation {
	if o.Audit != nil {
		o.Break = &assurance.BreakObservation{Noticed: true}
	} else {
		o.Audit = &assurance.AuditObservation{Verdict: assurance.MutantKilled}
	}
	return o
}

func TestCanaryRules(t *testing.T) {
	forged := func(e *assurance.Evidence) { e.Plan.Tasks[0].Class = assurance.Forgeable; noCanaries(e) }
	pluginsOnly := func(e *assurance.Evidence) {
		for i := range e.Plan.Mutants {
			e.Plan.Mutants[i].Origin = assurance.OriginPlugin
		}
	}
	for _, c := range []struct {
		name string
		edit func(*assurance.Evidence)
		want assurance.State
	}{
		{"forgeable, kills of plugins only", both(forged, pluginsOnly), assurance.NotRun},
		{"forgeable, kills by tests of another task", both(forged, func(e *assurance.Evidence) {
			second(e)
			for _, id := range []string{at.Killed, at.Reverted, at.Other, at.Quota} {
				e.Observations[id].Mutant.Killers = []string{"race/only"}
			}
		}), assurance.NotRun},
		{"a session whose only test may be removed", func(e *assurance.Evidence) {
			everywhere(at.Round, "")(e)
			e.Plan.Removals = []assurance.Removal{{Test: at.Round, ListedBy: assurance.ByContract}}
			e.Plan.Runs[1].Canaries = e.Plan.Runs[1].Canaries[:1]
			at.Set(e.Observations[at.HeadOrder], at.Tax+".TestRateLw2", "", "")
		}, assurance.Held},
		{"a second task without canaries", second, assurance.NotRun},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := at.Judged(c.edit).Clause(assurance.CanarySeen); got.State != c.want {
				t.Errorf("%s: %s, want %s", got.State, got.Reason, c.want)
			}
		})
	}
}

// second adds a task that is like the first one in its runs on head, with one test of its own.
func second(e *assurance.Evidence) {
	t := e.Plan.Tasks[0]
	t.Name = "race"
	e.Plan.Tasks = append(e.Plan.Tasks, t)
	e.Plan.Tests = append(e.Plan.Tests, assurance.PlannedTest{ID: "race/only", Task: "race", Unit: "race", Required: true, Added: true})
	for i, v := range []map[string]string{nil, {"order": "5"}, {"order": "6"}} {
		id := "run/race/head/" + string(rune('1'+i))
		e.Plan.Runs = append(e.Plan.Runs, assurance.PlannedRun{ID: id, Task: "race", Tree: assurance.Head, Variation: v})
		e.Observations[id] = assurance.Observation{Run: &assurance.RunObservation{End: assurance.EndExited, Census: assurance.Census{Peak: 1},
			Tests: []assurance.TestResult{{ID: "race/only", Unit: "race", Status: assurance.TestPassed}},
			Units: []assurance.UnitResult{{ID: "race", Expected: true, Started: true, Ended: true}}}}
	}
}

// Each task is asked for everything: what the first one has is nothing to the second.
func TestEachTaskCounts(t *testing.T) {
	v := at.Judged(second)
	const want = "none-lost=not-run no-network=not-run clean=not-run canary=not-run"
	if got := off(v); got != want {
		t.Errorf("clauses that do not hold: %s\nwant: %s\n%s", got, want, reasons(v))
	}
}
