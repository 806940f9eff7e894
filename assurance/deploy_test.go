package assurance_test

import (
	"strings"
	"testing"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
)

// What an API server said decides the clauses of VAL-2, and a refusal of what the change brings decides the outcome.
func TestDeploy(t *testing.T) {
	object := func(e *assurance.Evidence, id string) *assurance.ObjectObservation { return e.Observations[id].Object }
	type states struct {
		outcome              assurance.Outcome
		level                assurance.Level
		counterpart, control assurance.State
		criterion            string
	}
	good := states{assurance.OutcomePassed, assurance.VAL2, assurance.Held, assurance.Held, assurance.CriterionMet}
	for name, c := range map[string]struct {
		edit func(*assurance.Evidence)
		want states
	}{
		"all accepted": {func(*assurance.Evidence) {}, good},
		"one refused": {at.Refuse,
			states{assurance.TestsFailed, assurance.LevelNone, assurance.Failed, assurance.Held, assurance.CriterionNotMet}},
		"one refused, and base's too": {func(e *assurance.Evidence) { at.Refuse(e); e.Plan.Deploy.Objects[0].BaseRefused = true },
			states{assurance.OutcomePassed, assurance.VAL1, assurance.Failed, assurance.Held, assurance.CriterionNotMet}},
		"one without an answer": {func(e *assurance.Evidence) { object(e, at.Web).Answer = assurance.AnswerUnanswered },
			states{assurance.OutcomePassed, assurance.VAL1, assurance.NotRun, assurance.Held, assurance.CriterionUnproven}},
		"an answer that nobody knows": {func(e *assurance.Evidence) { object(e, at.Web).Answer = "sure" },
			states{assurance.OutcomePassed, assurance.VAL1, assurance.NotRun, assurance.Held, assurance.CriterionUnproven}},
		"an answer about another object": {func(e *assurance.Evidence) { object(e, at.Web).Digest = object(e, at.Settings).Digest },
			states{assurance.OutcomePassed, assurance.VAL1, assurance.NotRun, assurance.Held, assurance.CriterionUnproven}},
		"accepted by a word alone": {func(e *assurance.Evidence) { object(e, at.Web).Apply, object(e, at.Web).Create = nil, nil },
			states{assurance.OutcomePassed, assurance.VAL1, assurance.NotRun, assurance.Held, assurance.CriterionUnproven}},
		"accepted without a create": {func(e *assurance.Evidence) { object(e, at.Web).Create = nil },
			states{assurance.OutcomePassed, assurance.VAL1, assurance.NotRun, assurance.Held, assurance.CriterionUnproven}},
		"accepted, and the apply says no": {func(e *assurance.Evidence) { object(e, at.Web).Apply = &assurance.Reply{Code: 422} },
			states{assurance.OutcomePassed, assurance.VAL1, assurance.NotRun, assurance.Held, assurance.CriterionUnproven}},
		"accepted, and there already": {func(e *assurance.Evidence) {
			object(e, at.Web).Create = &assurance.Reply{Code: 409, Reason: "AlreadyExists"}
		}, good},
		"a name that the server makes up": {func(e *assurance.Evidence) { e.Plan.Deploy.Objects[0].Name, object(e, at.Web).Apply = "", nil }, good},
		"a broken copy is refused by a word alone": {func(e *assurance.Evidence) { e.Observations[at.BadWeb].Control.Create = nil },
			states{assurance.OutcomePassed, assurance.VAL1, assurance.Held, assurance.Failed, assurance.CriterionUnproven}},
		"a broken copy is taken by the apply": {func(e *assurance.Evidence) { e.Observations[at.BadWeb].Control.Apply.Code = 200 },
			states{assurance.OutcomePassed, assurance.VAL1, assurance.Held, assurance.Failed, assurance.CriterionUnproven}},
		"one not observed": {func(e *assurance.Evidence) { delete(e.Observations, at.Web) },
			states{assurance.LaneFault, assurance.LevelNone, assurance.NotRun, assurance.Held, assurance.CriterionUnproven}},
		"one not observed by the deadline": {func(e *assurance.Evidence) { delete(e.Observations, at.Web); e.Stop.Deadline = true },
			states{assurance.BudgetExpired, assurance.LevelNone, assurance.NotRun, assurance.Held, assurance.CriterionUnproven}},
		"a broken copy is accepted": {func(e *assurance.Evidence) { e.Observations[at.BadWeb].Control.Refused = false },
			states{assurance.OutcomePassed, assurance.VAL1, assurance.Held, assurance.Failed, assurance.CriterionUnproven}},
		"a broken copy is not observed": {func(e *assurance.Evidence) { delete(e.Observations, at.BadConfig) },
			states{assurance.OutcomePassed, assurance.VAL1, assurance.Held, assurance.NotRun, assurance.CriterionUnproven}},
		"a kind has no broken copy": {func(e *assurance.Evidence) {
			e.Plan.Deploy.Controls = e.Plan.Deploy.Controls[:1]
			delete(e.Observations, at.BadConfig)
		}, states{assurance.OutcomePassed, assurance.VAL1, assurance.Held, assurance.NotRun, assurance.CriterionUnproven}},
		"the server is not known": {func(e *assurance.Evidence) { e.Observations[at.APIServer].Server.Version = "" },
			states{assurance.OutcomePassed, assurance.VAL1, assurance.NotRun, assurance.NotRun, assurance.CriterionUnproven}},
		"no object": {func(e *assurance.Evidence) { e.Plan.Deploy.Objects, e.Plan.Deploy.Controls = nil, nil },
			states{assurance.OutcomePassed, assurance.VAL1, assurance.Failed, assurance.Failed, assurance.CriterionNotMet}},
		"nobody asked": {func(e *assurance.Evidence) {
			e.Plan.Deploy = &assurance.PlannedDeploy{Unasked: "no API server was given"}
		},
			states{assurance.OutcomePassed, assurance.VAL1, assurance.NotRun, assurance.NotRun, assurance.CriterionUnverifiable}},
		"not declared": {func(e *assurance.Evidence) { e.Plan.Deploy = nil },
			states{assurance.OutcomePassed, assurance.VAL1, assurance.NotRun, assurance.NotRun, assurance.CriterionUnverifiable}},
	} {
		t.Run(name, func(t *testing.T) {
			v := at.Judged(func(e *assurance.Evidence) { at.Rehearse(e); c.edit(e) })
			got := states{v.Outcome, v.Level, v.Clause(assurance.Counterpart).State, v.Clause(assurance.NegativeControl).State, ""}
			for _, r := range v.Criteria {
				if r.Kind == assurance.CriterionDeploy {
					got.criterion = r.State
				}
			}
			if got != c.want {
				t.Errorf("got %+v, want %+v: %s", got, c.want, v.Reason)
			}
		})
	}
}

// An object that is only accepted because one of its name is there is named: elsewhere it could not be made.
func TestRefusedCreateIsNamed(t *testing.T) {
	for _, c := range []struct {
		reply assurance.Reply
		named bool
	}{
		{assurance.Reply{Code: 422, Reason: "Invalid", Message: "spec.template: Required value"}, true},
		{assurance.Reply{Code: 403, Reason: "Forbidden", Message: "denied"}, true},
		{assurance.Reply{Code: 409, Reason: "AlreadyExists", Message: "it is there"}, false},
		{assurance.Reply{Code: 200}, false},
	} {
		v := at.Judged(func(e *assurance.Evidence) { at.Rehearse(e); e.Observations[at.Web].Object.Create = &c.reply })
		counterpart := v.Clause(assurance.Counterpart)
		if named := strings.Contains(strings.Join(counterpart.Facts, "\n"), "its create is refused"); named != c.named || counterpart.State != assurance.Held {
			t.Errorf("after %+v it is %s with %q", c.reply, counterpart.State, counterpart.Facts)
		}
	}
}

// A credential that can write on a server of somebody's is named.
func TestCredentialIsNamed(t *testing.T) {
	v := at.Judged(func(e *assurance.Evidence) {
		at.Rehearse(e)
		e.Plan.Deploy.Disposable = false
		s := e.Observations[at.APIServer].Server
		s.Everything, s.CanWrite = true, []string{"patch deployments.apps in shop"}
	})
	facts := strings.Join(v.Clause(assurance.Counterpart).Facts, "\n")
	for _, want := range []string{"the credential may do anything", "really patch deployments.apps in shop"} {
		if !strings.Contains(facts, want) {
			t.Errorf("the facts of counterpart do not say %q: %s", want, facts)
		}
	}
	if v.Deploy == nil || !v.Deploy.Everything {
		t.Errorf("the verdict does not say it: %+v", v.Deploy)
	}
}
