package assurance_test

import (
	"strings"
	"testing"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
)

// What the suite of a downstream user shows decides the clauses of VAL-2, and a test of it that the change breaks decides the outcome.
func TestDownstream(t *testing.T) {
	set := func(e *assurance.Evidence, test string, s assurance.TestStatus, exit int, runs ...string) {
		for _, id := range runs {
			at.Set(e.Observations[id], test, s, "box_test.go:7: the lid is open")
			e.Observations[id].Run.Exit = exit
		}
	}
	type states struct {
		outcome              assurance.Outcome
		level                assurance.Level
		counterpart, control assurance.State
	}
	const passed, failed = assurance.OutcomePassed, assurance.TestsFailed
	const held, no, notRun = assurance.Held, assurance.Failed, assurance.NotRun
	none := assurance.LevelNone
	toolbox := func(e *assurance.Evidence) *assurance.PlannedDownstream { return &e.Plan.Downstream[0] }
	for name, c := range map[string]struct {
		edit func(*assurance.Evidence)
		want states
		says string // of the clause counterpart, or of the control where that is the one that does not hold
	}{
		"all pass": {func(*assurance.Evidence) {}, states{passed, assurance.VAL2, held, held}, "passes with head: 2 tests, all that pass with base"},
		"one fails with head": {func(e *assurance.Evidence) {
			set(e, at.Box2, assurance.TestFailed, 1, at.DownstreamHead, at.DownstreamCanary)
		}, states{failed, none, no, held}, "1 of 2 tests that pass with base do not pass with head: " + at.Box2},
		"one fails, and there is no base": {func(e *assurance.Evidence) {
			toolbox(e).Runs = toolbox(e).Runs[1:]
			delete(e.Observations, at.DownstreamBase)
			set(e, at.Box2, assurance.TestFailed, 1, at.DownstreamHead, at.DownstreamCanary)
		}, states{failed, none, no, held}, "1 of 2 tests do not pass with head: " + at.Box2},
		"one is skipped with head": {func(e *assurance.Evidence) {
			set(e, at.Box2, assurance.TestSkipped, 0, at.DownstreamHead)
			set(e, at.Box2, assurance.TestSkipped, 1, at.DownstreamCanary)
		}, states{failed, none, no, held}, at.Box2},
		"one is gone with head": {func(e *assurance.Evidence) {
			set(e, at.Box2, "", 0, at.DownstreamHead)
			set(e, at.Box2, "", 1, at.DownstreamCanary)
		}, states{failed, none, no, held}, at.Box2},
		"one comes and goes": {func(e *assurance.Evidence) { set(e, at.Box2, assurance.TestFailed, 1, at.DownstreamHead) },
			states{assurance.Unstable, none, no, held}, "in every run"},
		"it does not build with head": {func(e *assurance.Evidence) {
			for _, id := range []string{at.DownstreamHead, at.DownstreamCanary} {
				e.Observations[id] = e.Observations[at.DownstreamGutted]
			}
		}, states{failed, none, no, held}, "does not build with head"},
		"an exit status that no test explains": {func(e *assurance.Evidence) { e.Observations[at.DownstreamHead].Run.Exit = 3 },
			states{failed, none, no, held}, "exit status 3"},
		"an exit status that base has, too": {func(e *assurance.Evidence) {
			toolbox(e).BaseFails = []string{at.BoxUnit + ".TestOld"}
			for _, id := range []string{at.DownstreamBase, at.DownstreamHead, at.DownstreamCanary} {
				o := e.Observations[id].Run
				o.Exit, o.Tests = 1, append(o.Tests, assurance.TestResult{ID: at.BoxUnit + ".TestOld", Unit: at.BoxUnit, Status: assurance.TestFailed})
			}
		}, states{passed, assurance.VAL2, held, held}, "2 tests"},
		"a named test fails with base": {func(e *assurance.Evidence) { toolbox(e).Named, toolbox(e).BaseFails = true, []string{"TestOld"} },
			states{passed, assurance.VAL1, no, held}, "names tests that do not pass with base: TestOld"},
		"base does not show it": {func(e *assurance.Evidence) { set(e, at.Box1, assurance.TestFailed, 1, at.DownstreamBase) },
			states{passed, assurance.VAL1, no, held}, "does not show all of its tests"},
		"no test passes with base": {func(e *assurance.Evidence) { toolbox(e).Tests = nil },
			states{passed, assurance.VAL1, no, no}, "no test of it passes with base"},
		"head has another number of tests, and nothing says no": {func(e *assurance.Evidence) { e.Observations[at.DownstreamHead].Run.Tests = nil },
			states{assurance.NoTestsObserved, none, no, held}, "showed no test"},
		"no canary was seen": {func(e *assurance.Evidence) {
			toolbox(e).Runs = append(toolbox(e).Runs[:2:2], toolbox(e).Runs[3])
			delete(e.Observations, at.DownstreamCanary)
		}, states{passed, assurance.VAL1, notRun, held}, "no canary"},
		"a canary passes": {func(e *assurance.Evidence) {
			at.Set(e.Observations[at.DownstreamCanary], at.BoxCanary, assurance.TestPassed, "")
		}, states{assurance.Tampered, none, no, held}, "was not seen failing"},
		"a reporter that can be forged": {func(e *assurance.Evidence) {
			toolbox(e).Class, toolbox(e).Reporter = assurance.Forgeable, "tap"
			toolbox(e).Runs = append(toolbox(e).Runs[:2:2], toolbox(e).Runs[3])
			delete(e.Observations, at.DownstreamCanary)
		}, states{passed, assurance.VAL2, held, held}, "2 tests"},
		"the memory is over": {func(e *assurance.Evidence) { e.Observations[at.DownstreamHead].Run.End = assurance.EndMemory },
			states{assurance.EnvExhausted, none, no, held}, "limit of memory"},
		"it passes without the code": {func(e *assurance.Evidence) { e.Observations[at.DownstreamGutted] = e.Observations[at.DownstreamBase] },
			states{passed, assurance.VAL1, held, no}, "passes without the code of the folders that the change touches (2 files)"},
		"an exit status alone without the code": {func(e *assurance.Evidence) {
			o := *e.Observations[at.DownstreamBase].Run
			o.Exit = 1
			e.Observations[at.DownstreamGutted] = assurance.Observation{Run: &o}
		}, states{passed, assurance.VAL1, held, no}, "shows nothing about it"},
		"no end without the code": {func(e *assurance.Evidence) { e.Observations[at.DownstreamGutted].Run.End = assurance.EndTimeout },
			states{passed, assurance.VAL1, held, notRun}, "gave no answer"},
		"nothing was taken away": {func(e *assurance.Evidence) { toolbox(e).Gone = 0 }, states{passed, assurance.VAL1, held, notRun}, "without the code"},
		"a run is not observed": {func(e *assurance.Evidence) { delete(e.Observations, at.DownstreamHead) },
			states{assurance.LaneFault, none, notRun, held}, "never observed"},
		"the control is not observed by the deadline": {func(e *assurance.Evidence) { delete(e.Observations, at.DownstreamGutted); e.Stop.Deadline = true },
			states{assurance.BudgetExpired, none, notRun, notRun}, ""},
		"another user's was not run": {func(e *assurance.Evidence) {
			e.Plan.Downstream = append(e.Plan.Downstream, assurance.PlannedDownstream{Name: "other", Commit: "00", Unasked: "nobody gave it"})
		}, states{passed, assurance.VAL1, notRun, notRun}, "nobody gave it"},
		"beside a deployment": {at.Rehearse, states{passed, assurance.VAL2, held, held}, "API server v1.37.2 accepts 2 objects"},
		"beside a deployment that is refused": {func(e *assurance.Evidence) { at.Rehearse(e); at.Refuse(e) },
			states{failed, none, no, held}, "refuses 1 of 2 objects"},
		"nobody named one": {func(e *assurance.Evidence) { e.Plan.Downstream = nil }, states{passed, assurance.VAL1, notRun, notRun}, "not asked for"},
	} {
		t.Run(name, func(t *testing.T) {
			v := at.Judged(func(e *assurance.Evidence) { at.WithDownstream(e); c.edit(e) })
			counterpart, control := v.Clause(assurance.Counterpart), v.Clause(assurance.NegativeControl)
			if got := (states{v.Outcome, v.Level, counterpart.State, control.State}); got != c.want {
				t.Errorf("got %+v, want %+v: %s; %s; %s", got, c.want, v.Reason, counterpart.Reason, control.Reason)
			}
			said := counterpart
			if counterpart.State == held && control.State != held {
				said = control
			}
			if text := said.Reason + strings.Join(said.Facts, " "); !strings.Contains(text, c.says) {
				t.Errorf("it says %q, want %q", text, c.says)
			}
		})
	}
}

// The verdict names the tests that break, and what they said.
func TestDownstreamResult(t *testing.T) {
	v := at.Judged(func(e *assurance.Evidence) {
		at.WithDownstream(e)
		for _, id := range []string{at.DownstreamHead, at.DownstreamCanary} {
			at.Set(e.Observations[id], at.Box2, assurance.TestFailed, "the lid is open")
			e.Observations[id].Run.Exit = 1
		}
	})
	if len(v.Downstream) != 1 {
		t.Fatalf("got %+v", v.Downstream)
	}
	d := v.Downstream[0]
	if d.Name != "toolbox" || d.Required != 2 || d.Passed != 1 || d.Runs != 2 || !d.Refused || d.Gone != 2 ||
		len(d.Failed) != 1 || d.Failed[0].ID != at.Box2 || d.Failed[0].Status != "failed" || d.Failed[0].Message != "the lid is open" || len(d.Failed[0].Runs) != 2 {
		t.Errorf("got %+v", d)
	}
	if !strings.Contains(v.Reason, at.Box2) {
		t.Errorf("the reason does not name the test: %s", v.Reason)
	}
}

// A plan that contradicts itself is refused.
func TestDownstreamPlan(t *testing.T) {
	for want, edit := range map[string]func(*assurance.PlannedDownstream){
		"has no commit":                       func(d *assurance.PlannedDownstream) { d.Commit = "" },
		`"" has no name`:                      func(d *assurance.PlannedDownstream) { d.Name = "" },
		"was not run, and has runs":           func(d *assurance.PlannedDownstream) { d.Unasked = "nobody gave it" },
		`task "other", which the plan does`:   func(d *assurance.PlannedDownstream) { d.Task = "other" },
		"both passes and fails with base":     func(d *assurance.PlannedDownstream) { d.BaseFails = d.Tests[:1] },
		`is "hybrid", want one of`:            func(d *assurance.PlannedDownstream) { d.Runs[0].On = assurance.Hybrid },
		`canary "` + at.Box1 + `" of run`:     func(d *assurance.PlannedDownstream) { d.Runs[2].Canaries[0].Test = at.Box1 },
		`id "` + at.HeadPlain + `" names a`:   func(d *assurance.PlannedDownstream) { d.Runs[0].ID = at.HeadPlain },
		`class of the suite of toolbox is ""`: func(d *assurance.PlannedDownstream) { d.Class = "" },
	} {
		v := at.Judged(func(e *assurance.Evidence) { at.WithDownstream(e); edit(&e.Plan.Downstream[0]) })
		if v.Refusal == nil || !strings.Contains(v.Refusal.Msg, want) {
			t.Errorf("%s: %+v", want, v.Refusal)
		}
	}
}

// What is worse of a suite's run depends on the tree: a test that fails is, with base and head, and one that passes without the code.
func TestWorseSuite(t *testing.T) {
	good := at.Good()
	at.WithDownstream(&good)
	for id, bad := range map[string]string{at.DownstreamBase: at.DownstreamGutted, at.DownstreamHead: at.DownstreamGutted, at.DownstreamGutted: at.DownstreamBase} {
		a, b := good.Observations[id], good.Observations[bad]
		if !assurance.Worse(&good.Plan, id, a, b) || assurance.Worse(&good.Plan, id, b, a) {
			t.Errorf("run %s: what %s shows is not worse", id, bad)
		}
	}
}
