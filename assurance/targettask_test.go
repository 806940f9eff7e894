package assurance_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
)

// What may be wrong with a task on the target, what the outcome is then, which clauses do not hold, and what becomes of its criterion.
func TestTargetTasks(t *testing.T) {
	type run = assurance.RunObservation
	seen := func(id string, edit func(*run)) func(*assurance.Evidence) {
		return func(e *assurance.Evidence) { edit(e.Observations[id].Run) }
	}
	set := func(id, test string, s assurance.TestStatus, exit int) func(*assurance.Evidence) {
		return func(e *assurance.Evidence) {
			at.Set(e.Observations[id], test, s, "")
			e.Observations[id].Run.Exit = exit
		}
	}
	planned := func(edit func(*assurance.TargetTask)) func(*assurance.Evidence) {
		return func(e *assurance.Evidence) { edit(&e.Plan.Target.Tasks[0]) }
	}
	dead := func(e *assurance.Evidence) {
		o := e.Observations[at.Target].Target
		o.Alive, o.Check, o.Still, o.Runs = &assurance.TargetAnswer{At: o.Alive.At, Detail: "connection refused"}, nil, nil, nil
		delete(e.Observations, at.ShopLive)
		delete(e.Observations, at.ShopCheck)
	}
	const passed, met, unproven, notMet = assurance.OutcomePassed, assurance.CriterionMet, assurance.CriterionUnproven, assurance.CriterionNotMet
	for _, c := range []struct {
		name    string
		edit    func(*assurance.Evidence)
		outcome assurance.Outcome
		off     string
		state   string
	}{
		{"nothing wrong", func(*assurance.Evidence) {}, passed, "", met},
		{"a test fails", set(at.ShopLive, at.Sum, assurance.TestFailed, 1), assurance.TestsFailed, "required-passed", notMet},
		{"a test is skipped", set(at.ShopLive, at.Up, assurance.TestSkipped, 0), assurance.TestsFailed, "required-passed", met},
		{"a test is missing", seen(at.ShopLive, func(r *run) { r.Tests = r.Tests[1:] }), assurance.TestsFailed, "required-passed", notMet},
		{"the command fails beside its tests", seen(at.ShopLive, func(r *run) { r.Exit = 3 }), assurance.TestsFailed, "required-passed", met},
		{"a failed test and exit status 0", set(at.ShopLive, at.Sum, assurance.TestFailed, 0), assurance.Tampered, "required-passed", notMet},
		{"no canary fails", set(at.ShopCheck, at.ShopCanary, assurance.TestPassed, 1), assurance.Tampered, "required-passed target-made", unproven},
		{"nobody planned canaries", planned(func(x *assurance.TargetTask) { x.Runs = x.Runs[:2] }), passed, "target-made", unproven},
		{"a reporter that can host none", func(e *assurance.Evidence) {
			x := &e.Plan.Target.Tasks[0]
			x.Class, x.Runs = assurance.Forgeable, x.Runs[:2]
		}, passed, "", met},
		{"passes against the stub", set(at.ShopStub, at.Sum, assurance.TestPassed, 0), passed, "target-made", unproven},
		{"is skipped against the stub", set(at.ShopStub, at.Sum, assurance.TestSkipped, 1), passed, "target-made", unproven},
		{"the criterion's test passes against the stub", func(e *assurance.Evidence) {
			at.Set(e.Observations[at.ShopStub], at.Sum, assurance.TestPassed, "")
			at.Set(e.Observations[at.ShopStub], at.Up, assurance.TestFailed, "")
		}, passed, "target-made", unproven},
		{"fails against the stub with exit status 0", seen(at.ShopStub, func(r *run) { r.Exit = 0 }), passed, "target-made", unproven},
		{"hangs at the stub", seen(at.ShopStub, func(r *run) { r.End = assurance.EndTimeout }), passed, "target-made", unproven},
		{"hangs at the target", seen(at.ShopLive, func(r *run) { r.End = assurance.EndTimeout }), assurance.BudgetExpired, "required-passed", met},
		{"never tried at the stub", drop(at.ShopStub), assurance.LaneFault, "required-passed target-made", unproven},
		{"never run", drop(at.ShopLive), assurance.LaneFault, "required-passed", notMet},
		{"nobody planned a run", planned(func(x *assurance.TargetTask) { x.Runs = x.Runs[:1] }), assurance.LaneFault, "required-passed target-made", notMet},
		{"no test at all", planned(func(x *assurance.TargetTask) { x.Tests = nil }), assurance.NoTestsObserved, "required-passed target-made", notMet},
		{"the target was never alive", dead, assurance.NoTestsObserved, "required-passed target-made challenge", notMet},
		{"the target ran out of memory", func(e *assurance.Evidence) {
			set(at.ShopLive, at.Sum, assurance.TestFailed, 1)(e)
			e.Observations[at.Target].Target.Up.End = assurance.EndMemory
		}, assurance.EnvExhausted, "required-passed", notMet},
		{"the target died", func(e *assurance.Evidence) {
			set(at.ShopLive, at.Sum, assurance.TestFailed, 1)(e)
			e.Observations[at.Target].Target.Still.Detail = "connection refused"
		}, assurance.TestsFailed, "required-passed target-made challenge", notMet},
		{"no receipt", func(e *assurance.Evidence) { e.Observations[at.Target].Target.Runs = nil }, passed, "target-made", unproven},
		{"after the target was gone", func(e *assurance.Evidence) {
			o := e.Observations[at.Target].Target
			o.Runs[0].Ended = o.Gone.At
		}, passed, "target-made", unproven},
		{"no check beside it", func(e *assurance.Evidence) {
			o := e.Observations[at.Target].Target
			e.Plan.Target.Check, o.Check, o.Blank = nil, nil, nil
		}, passed, "", met},
	} {
		v := at.Judged(func(e *assurance.Evidence) { at.AddTargetTask(e); c.edit(e) })
		var off []string
		for _, x := range v.Clauses {
			switch x.ID {
			case assurance.RequiredPassed, assurance.TargetMade, assurance.Challenge, assurance.NotProduction:
				if !x.Holds() {
					off = append(off, string(x.ID))
				}
			}
		}
		if got := strings.Join(off, " "); v.Outcome != c.outcome || got != c.off {
			t.Errorf("%s: %s with %q, want %s with %q\n%s\n%+v", c.name, v.Outcome, got, c.outcome, c.off, v.Reason, v.Clause(assurance.TargetMade))
		}
		if got := v.Criteria[len(v.Criteria)-1]; got.ID != "AC-7" || got.State != c.state || got.Reason == "" {
			t.Errorf("%s: criterion %+v, want %s", c.name, got, c.state)
		}
	}
}

// A test that passes against the stub is named, and does not count; one that fails stands in the list of failed tests.
func TestTargetResult(t *testing.T) {
	v := at.Judged(at.AddTargetTask)
	want := assurance.TargetTaskResult{Name: "shop", Kind: "api", Required: 2, Passed: 2, Counted: 1, Idle: []string{at.Up}, Canaries: 1, SeenFailed: 1}
	if v.Target == nil || len(v.Target.Tasks) != 1 || fmt.Sprint(v.Target.Tasks[0]) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", v.Target, want)
	}
	if c := v.Clause(assurance.TargetMade); !slices.ContainsFunc(c.Facts, func(s string) bool { return strings.HasPrefix(s, at.Up) }) {
		t.Errorf("nothing names %s: %+v", at.Up, c)
	}
	v = at.Judged(func(e *assurance.Evidence) {
		at.AddTargetTask(e)
		at.Set(e.Observations[at.ShopLive], at.Sum, assurance.TestFailed, "3 and not 4")
		e.Observations[at.ShopLive].Run.Exit = 1
		e.Observations[at.ShopStub].Run.Census.Left = 2
	})
	if len(v.Leftovers) != 1 || v.Leftovers[0].Run != at.ShopStub || v.Leftovers[0].Left != 2 {
		t.Errorf("left: %+v", v.Leftovers)
	}
	if len(v.Failed) != 1 || fmt.Sprint(v.Failed[0]) != fmt.Sprint(assurance.FailedTest{ID: at.Sum, Task: "shop", Status: "failed", Runs: []string{at.ShopLive}, Message: "3 and not 4"}) {
		t.Errorf("failed: %+v", v.Failed)
	}
}

// What is no plan of a task on a target.
func TestUnsoundTargetTasks(t *testing.T) {
	for name, edit := range map[string]func(*assurance.TargetTask){
		"a task of the tree": func(x *assurance.TargetTask) { x.Name = "unit" },
		"no closure":         func(x *assurance.TargetTask) { x.Closure = "other" },
		"another kind":       func(x *assurance.TargetTask) { x.Kind = "test" },
		"another class":      func(x *assurance.TargetTask) { x.Class = "" },
		"a test twice":       func(x *assurance.TargetTask) { x.Tests[1] = x.Tests[0] },
		"a run elsewhere":    func(x *assurance.TargetTask) { x.Runs[0].On = assurance.Head },
		"an id twice":        func(x *assurance.TargetTask) { x.Runs[0].ID = x.Runs[1].ID },
		"a test as canary":   func(x *assurance.TargetTask) { x.Runs[2].Canaries[0].Test = at.Sum },
	} {
		e := at.Good()
		at.AddTargetTask(&e)
		if p := e.Problems(); len(p) > 0 {
			t.Fatal(p)
		}
		edit(&e.Plan.Target.Tasks[0])
		if p := e.Problems(); len(p) != 1 {
			t.Errorf("%s: problems %q", name, p)
		}
	}
}
