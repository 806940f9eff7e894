package assurance_test

import (
	"strings"
	"testing"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
)

// What was seen of a service decides the clauses of VAL-2, and never the outcome.
func TestService(t *testing.T) {
	use := func(e *assurance.Evidence) *assurance.ServiceObservation { return e.Observations[at.UseOrder].Service }
	spoilt := func(e *assurance.Evidence) *assurance.SpoiltObservation { return e.Observations[at.Spoilt].Spoilt }
	const held, failed, notRun = assurance.Held, assurance.Failed, assurance.NotRun
	for name, c := range map[string]struct {
		edit            func(*assurance.Evidence)
		answer, control assurance.State
		says            string // by the reason of the clause that does not hold
	}{
		"it answers, and is missed":    {func(*assurance.Evidence) {}, held, held, ""},
		"it is none of the closure's":  {func(e *assurance.Evidence) { e.Plan.Services[0].Program = "" }, failed, held, "no counterpart"},
		"it runs what it is told":      {func(e *assurance.Evidence) { e.Plan.Services[0].Foreign = "sh runs what it is told" }, failed, held, "sh runs what it is told"},
		"it is not ready":              {func(e *assurance.Evidence) { use(e).Healthy, use(e).Detail = false, "no such port" }, failed, held, "no such port"},
		"it dies":                      {func(e *assurance.Evidence) { use(e).Alive = false }, failed, held, "did not outlive run " + at.HeadOrder},
		"nobody connects":              {func(e *assurance.Evidence) { use(e).Connections = 0 }, failed, held, "no test of run " + at.HeadOrder},
		"it says nothing":              {func(e *assurance.Evidence) { use(e).Answered = 0 }, failed, held, "no test of run " + at.HeadOrder},
		"one run was not seen":         {func(e *assurance.Evidence) { delete(e.Observations, at.UseZone) }, notRun, held, "was not seen in run " + at.HeadZone},
		"no run was spoilt":            {func(e *assurance.Evidence) { delete(e.Observations, at.Spoilt) }, held, notRun, "no run was made"},
		"it is not ready to be spoilt": {func(e *assurance.Evidence) { spoilt(e).Healthy = false }, held, failed, "was not ready"},
		"nothing was spoilt":           {func(e *assurance.Evidence) { spoilt(e).Spoilt = 0 }, held, failed, "no test asked"},
		"the spoilt run hangs":         {func(e *assurance.Evidence) { spoilt(e).Ended = false }, held, failed, "did not end by itself"},
		"no test misses it":            {func(e *assurance.Evidence) { spoilt(e).Failed = nil }, held, failed, "none needs them"},
		"a stranger misses it":         {func(e *assurance.Evidence) { spoilt(e).Failed = []string{"nobody"} }, held, failed, "none needs them"},
	} {
		t.Run(name, func(t *testing.T) {
			v := at.Judged(func(e *assurance.Evidence) { at.AddService(e); c.edit(e) })
			answer, control := v.Clause(assurance.Counterpart), v.Clause(assurance.NegativeControl)
			level := assurance.VAL1
			if c.answer == held && c.control == held {
				level = assurance.VAL2
			}
			if answer.State != c.answer || control.State != c.control || v.Level != level || v.Outcome != assurance.OutcomePassed {
				t.Errorf("counterpart %s, control %s, %s %s: %s %s", answer.State, control.State, v.Outcome, v.Level, answer.Reason, control.Reason)
			}
			if !strings.Contains(answer.Reason+"\n"+control.Reason, c.says) {
				t.Errorf("%q and %q do not say %q", answer.Reason, control.Reason, c.says)
			}
		})
	}
}

// A test that fails also with the service's answers does not show that it needs them.
func TestFailingTestMissesNoService(t *testing.T) {
	v := at.Judged(func(e *assurance.Evidence) {
		at.AddService(e)
		for i, r := range e.Observations[at.HeadZone].Run.Tests {
			if r.ID == at.Once {
				e.Observations[at.HeadZone].Run.Tests[i].Status = assurance.TestFailed
			}
		}
	})
	if c := v.Clause(assurance.NegativeControl); c.State != assurance.Failed {
		t.Errorf("the control is %s: %s", c.State, c.Reason)
	}
}

// Tests that fail without their service are nobody's fault, whatever they say; where base's go on, that is said.
func TestNoService(t *testing.T) {
	v := at.Judged(func(e *assurance.Evidence) {
		at.AddService(e)
		for _, id := range []string{at.HeadPlain, at.HeadOrder, at.HeadZone} {
			r := e.Observations[id].Run
			r.End, r.Exit, r.Detail = assurance.EndNoService, 1, "the service cache ended while the tests ran"
			for i := range r.Tests {
				r.Tests[i].Status = assurance.TestFailed
			}
		}
	})
	if v.Outcome != assurance.CommandUnavailable || !strings.Contains(v.Reason, "cache ended") || !strings.Contains(v.Reason, "look at the change first") {
		t.Errorf("%s: %s", v.Outcome, v.Reason)
	}
}

// Every kind of counterpart that a spec names has to hold: a deployment does not make up for a service.
func TestServiceBesideDeployment(t *testing.T) {
	v := at.Judged(func(e *assurance.Evidence) {
		at.Rehearse(e)
		at.AddService(e)
		e.Observations[at.UsePlain].Service.Answered = 0
	})
	if c := v.Clause(assurance.Counterpart); c.State != assurance.Failed || v.Level != assurance.VAL1 {
		t.Errorf("%s: %s, %s", c.State, c.Reason, v.Level)
	}
}

// A plan in which a run of head has no use of a service is refused: what was not seen would not be missed.
func TestServicesOfPlans(t *testing.T) {
	for name, edit := range map[string]func(*assurance.PlannedService){
		"a run is left out": func(s *assurance.PlannedService) { s.Uses = s.Uses[1:] },
		"a run of base's, too": func(s *assurance.PlannedService) {
			s.Uses = append(s.Uses, assurance.PlannedUse{ID: "more", Run: at.OnBase})
		},
		"a run of base's":       func(s *assurance.PlannedService) { s.Uses[0].Run = at.OnBase },
		"a run twice":           func(s *assurance.PlannedService) { s.Uses[0].Run = s.Uses[1].Run },
		"no control":            func(s *assurance.PlannedService) { s.Control = "" },
		"no task":               func(s *assurance.PlannedService) { s.Task = "other" },
		"nothing to start":      func(s *assurance.PlannedService) { s.Up = nil },
		"an id that is a run's": func(s *assurance.PlannedService) { s.Control = at.HeadPlain },
	} {
		e := at.Good()
		at.AddService(&e)
		if p := e.Problems(); p != nil {
			t.Fatalf("a sound plan has problems: %s", p)
		}
		edit(&e.Plan.Services[0])
		if e.Problems() == nil {
			t.Errorf("%s, and the plan is sound", name)
		}
	}
}
