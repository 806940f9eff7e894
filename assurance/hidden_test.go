package assurance_test

import (
	"strings"
	"testing"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
)

// What hidden tests show decides the clause, the outcome and the level.
func TestHidden(t *testing.T) {
	seen := func(e *assurance.Evidence, id string) *assurance.RunObservation { return e.Observations[id].Run }
	set := func(e *assurance.Evidence, id, test string, s assurance.TestStatus, exit int) {
		at.Set(e.Observations[id], test, s, "")
		seen(e, id).Exit = exit
	}
	for _, c := range []struct {
		name    string
		kind    string // in-process where it is empty
		edit    func(*assurance.Evidence)
		outcome assurance.Outcome
		level   assurance.Level
		state   assurance.State
		code    string
		reason  string
	}{
		{name: "good", outcome: assurance.OutcomePassed, level: assurance.VAL1, state: assurance.Held, reason: "2 hidden tests passed on head"},
		{name: "good black box", kind: assurance.HiddenBlackBox, outcome: assurance.OutcomePassed, level: assurance.VAL1, state: assurance.Held},
		{name: "no archive", edit: func(e *assurance.Evidence) { e.Plan.Hidden = nil },
			outcome: assurance.OutcomePassed, level: assurance.VAL0, state: assurance.NotRun, reason: "nobody ran them"},
		{name: "another archive", edit: func(e *assurance.Evidence) { e.Plan.Hidden.Archive = "sha256:00" },
			outcome: assurance.OutcomePassed, level: assurance.VAL0, state: assurance.Failed, reason: "the contract names"},
		{name: "one fails", edit: func(e *assurance.Evidence) { set(e, at.HiddenHead, at.Hidden1, assurance.TestFailed, 1) },
			outcome: assurance.TestsFailed, state: assurance.Failed, reason: "1 of 2 hidden tests did not pass"},
		{name: "one fails beside the canary", edit: func(e *assurance.Evidence) { set(e, at.HiddenCanary1, at.Hidden1, assurance.TestFailed, 1) },
			outcome: assurance.TestsFailed, state: assurance.Failed},
		{name: "one is skipped", edit: func(e *assurance.Evidence) { set(e, at.HiddenHead, at.Hidden2, assurance.TestSkipped, 0) },
			outcome: assurance.TestsFailed, state: assurance.Failed},
		{name: "one is not there", edit: func(e *assurance.Evidence) { at.Set(e.Observations[at.HiddenHead], at.Hidden2, "", "") },
			outcome: assurance.TestsFailed, state: assurance.Failed},
		{name: "exit status 0 beside a failure", edit: func(e *assurance.Evidence) { set(e, at.HiddenHead, at.Hidden1, assurance.TestFailed, 0) },
			outcome: assurance.Tampered, state: assurance.Failed},
		{name: "exit status 1 beside passes", edit: func(e *assurance.Evidence) { seen(e, at.HiddenHead).Exit = 1 },
			outcome: assurance.TestsFailed, state: assurance.Failed, reason: "although every test passes"},
		{name: "a signal", edit: func(e *assurance.Evidence) {
			seen(e, at.HiddenHead).End, seen(e, at.HiddenHead).Signal = assurance.EndSignaled, "killed"
		},
			outcome: assurance.TestsFailed, state: assurance.Failed},
		{name: "a session without an end", edit: func(e *assurance.Evidence) {
			seen(e, at.HiddenHead).Units[0].Ended, seen(e, at.HiddenHead).Exit = false, 1
		},
			outcome: assurance.TestsFailed, state: assurance.Failed},
		{name: "does not build", edit: func(e *assurance.Evidence) {
			o := seen(e, at.HiddenHead)
			o.Exit, o.Tests, o.Units[0] = 1, nil, assurance.UnitResult{ID: at.HiddenUnit, Expected: true, Unbuilt: true}
		}, outcome: assurance.TestsFailed, state: assurance.Failed, reason: "run hidden/head of task hidden tests showed no test"},
		{name: "a blind canary", edit: func(e *assurance.Evidence) { set(e, at.HiddenCanary1, at.HiddenCanary, assurance.TestPassed, 1) },
			outcome: assurance.Tampered, state: assurance.Failed},
		{name: "too much output", edit: func(e *assurance.Evidence) { seen(e, at.HiddenHead).End = assurance.EndDisk },
			outcome: assurance.EnvExhausted, state: assurance.Failed},
		{name: "never answers", edit: func(e *assurance.Evidence) { seen(e, at.HiddenHead).End = assurance.EndTimeout },
			outcome: assurance.BudgetExpired, state: assurance.Failed},
		{name: "head not observed", edit: drops(at.HiddenHead), outcome: assurance.LaneFault, state: assurance.NotRun},
		{name: "base not observed", edit: drops(at.HiddenBase), outcome: assurance.LaneFault, state: assurance.NotRun},
		{name: "no run planned", edit: func(e *assurance.Evidence) { e.Plan.Hidden.Runs = nil }, outcome: assurance.LaneFault, state: assurance.NotRun},
		{name: "no test", edit: func(e *assurance.Evidence) { e.Plan.Hidden.Tests = nil }, outcome: assurance.NoTestsObserved, state: assurance.Failed},
		{name: "passes on base too", edit: func(e *assurance.Evidence) {
			set(e, at.HiddenBase, at.Hidden1, assurance.TestPassed, 0)
			set(e, at.HiddenBase, at.Hidden2, assurance.TestPassed, 0)
		}, outcome: assurance.OutcomePassed, level: assurance.VAL1, state: assurance.Held},
		{name: "base fails for another reason", edit: func(e *assurance.Evidence) {
			set(e, at.HiddenBase, at.Hidden1, assurance.TestPassed, 1)
			set(e, at.HiddenBase, at.Hidden2, assurance.TestPassed, 1)
			e.Plan.Hidden.Class, e.Plan.Hidden.Runs = assurance.Forgeable, e.Plan.Hidden.Runs[:2]
		}, outcome: assurance.OutcomePassed, level: assurance.VAL0, state: assurance.NotRun, code: assurance.CodeInconclusive},
		{name: "nothing ever says no", edit: func(e *assurance.Evidence) {
			set(e, at.HiddenBase, at.Hidden1, assurance.TestPassed, 0)
			set(e, at.HiddenBase, at.Hidden2, assurance.TestPassed, 0)
			e.Plan.Hidden.Class, e.Plan.Hidden.Runs = assurance.Forgeable, e.Plan.Hidden.Runs[:2]
		}, outcome: assurance.OutcomePassed, level: assurance.VAL0, state: assurance.NotRun, code: assurance.CodeInconclusive, reason: "nothing shows that the hidden tests can say no"},
		{name: "passes without a program", kind: assurance.HiddenBlackBox, edit: func(e *assurance.Evidence) { seen(e, at.HiddenNothing).Exit = 0 },
			outcome: assurance.OutcomePassed, level: assurance.VAL0, state: assurance.Failed, code: assurance.CodeInconclusive},
		{name: "hangs without a program", kind: assurance.HiddenBlackBox, edit: func(e *assurance.Evidence) { seen(e, at.HiddenNothing).End = assurance.EndTimeout },
			outcome: assurance.OutcomePassed, level: assurance.VAL0, state: assurance.Failed, code: assurance.CodeInconclusive},
		{name: "black box without its control", kind: assurance.HiddenBlackBox, edit: func(e *assurance.Evidence) { e.Plan.Hidden.Runs = e.Plan.Hidden.Runs[:3] },
			outcome: assurance.OutcomePassed, level: assurance.VAL0, state: assurance.NotRun, code: assurance.CodeInconclusive},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.kind == "" {
				c.kind = assurance.HiddenInProcess
			}
			v := at.Judged(func(e *assurance.Evidence) {
				at.WithHidden(e, c.kind)
				if c.edit != nil {
					c.edit(e)
				}
			})
			want := assurance.LevelNone
			if c.outcome == assurance.OutcomePassed {
				want = c.level
			}
			clause := v.Clause(assurance.HiddenPassed)
			if v.Outcome != c.outcome || v.Level != want || clause.State != c.state || clause.Level != assurance.VAL1 || clause.Code != c.code || !strings.Contains(clause.Reason, c.reason) {
				t.Errorf("%s at %s (%s); %+v", v.Outcome, v.Level, v.Reason, clause)
			}
		})
	}
}

func drops(id string) func(*assurance.Evidence) {
	return func(e *assurance.Evidence) { delete(e.Observations, id) }
}

// Hidden tests count under a contract that names them, and nowhere else.
func TestHiddenTestsNeedAContract(t *testing.T) {
	v := at.Judged(func(e *assurance.Evidence) {
		h := at.Good()
		at.WithHidden(&h, assurance.HiddenInProcess)
		e.Plan.Hidden = h.Plan.Hidden
	})
	if v.Refusal == nil || !strings.Contains(v.Reason, "no contract names any") {
		t.Errorf("%s: %s", v.Status, v.Reason)
	}
}

// A black-box criterion is met by hidden tests of that kind alone, and says in numbers what became of them.
func TestBlackBoxCriterion(t *testing.T) {
	for _, c := range []struct {
		edit func(*assurance.Evidence)
		want string
	}{
		{nil, assurance.CriterionUnverifiable},
		{func(e *assurance.Evidence) { at.WithHidden(e, assurance.HiddenInProcess) }, assurance.CriterionUnverifiable},
		{func(e *assurance.Evidence) { at.WithHidden(e, assurance.HiddenBlackBox) }, assurance.CriterionMet},
		{func(e *assurance.Evidence) {
			at.WithHidden(e, assurance.HiddenBlackBox)
			at.Set(e.Observations[at.HiddenHead], at.Hidden1, assurance.TestFailed, "")
			e.Observations[at.HiddenHead].Run.Exit = 1
		}, assurance.CriterionNotMet},
	} {
		v := at.Judged(func(e *assurance.Evidence) {
			e.Plan.Criteria = append(e.Plan.Criteria, assurance.Criterion{ID: "AC-9", Kind: assurance.CriterionBlackBox})
			if c.edit != nil {
				c.edit(e)
			}
		})
		if got := v.Criteria[len(v.Criteria)-1]; got.State != c.want {
			t.Errorf("got %+v, want %s", got, c.want)
		}
	}
	v := at.Judged(func(e *assurance.Evidence) { at.WithHidden(e, assurance.HiddenBlackBox) })
	want := assurance.HiddenResult{Archive: at.HiddenArchive, Kind: "black-box", Required: 2, Passed: 2, Runs: 2, Canaries: 1, SeenFailed: 1, OnBase: "failed"}
	if v.Hidden == nil || *v.Hidden != want {
		t.Errorf("got %+v, want %+v", v.Hidden, want)
	}
}
