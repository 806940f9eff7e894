package assurance_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
)

// Each thing that may be wrong with a target takes its own clause, and no other one of the target's.
func TestTargetClauses(t *testing.T) {
	type life = assurance.TargetObservation
	seen := func(edit func(*life)) func(*assurance.Evidence) {
		return func(e *assurance.Evidence) { edit(e.Observations[at.Target].Target) }
	}
	planned := func(edit func(*assurance.PlannedTarget)) func(*assurance.Evidence) {
		return func(e *assurance.Evidence) { edit(e.Plan.Target) }
	}
	for _, c := range []struct {
		name string
		edit func(*assurance.Evidence)
		off  string
	}{
		{"nothing wrong", func(*assurance.Evidence) {}, ""},
		{"not put up", drop(at.Target), "target-made=not-run challenge=not-run not-production=not-run"},
		{"no target planned", func(e *assurance.Evidence) { e.Plan.Target = nil }, "target-made=not-run challenge=not-run not-production=not-run"},
		{"still up from before", seen(func(o *life) { o.Free = false }), "target-made=failed"},
		{"does not build", seen(func(o *life) { o.Build.Exit = 1 }), "target-made=failed"},
		{"never built", seen(func(o *life) { o.Build = nil }), "target-made=not-run"},
		{"no receipt of up", seen(func(o *life) { o.Up.Stdout = "" }), "target-made=failed"},
		{"up ends by itself and leaves a daemon", func(e *assurance.Evidence) {
			o := e.Observations[at.Target].Target
			e.Plan.Target.Down, o.Down, o.Up.End = nil, nil, assurance.EndExited
		}, "target-made=failed"},
		{"up never started", seen(func(o *life) { o.Up = nil }), "target-made=not-run"},
		{"never alive", seen(func(o *life) { o.Alive = &assurance.TargetAnswer{At: o.Alive.At, Detail: "connection refused"} }), "target-made=failed challenge=failed"},
		{"redirects", seen(func(o *life) { o.Alive.Status = 302 }), "target-made=failed challenge=failed"},
		{"nobody asked", seen(func(o *life) { o.Alive = nil }), "target-made=not-run challenge=not-run"},
		{"died during the check", seen(func(o *life) { o.Still.Status, o.Still.Detail = 0, "connection refused" }), "target-made=failed challenge=failed"},
		{"check says no", seen(func(o *life) { o.Check.Exit = 1 }), "target-made=failed"},
		{"check timed out", seen(func(o *life) { o.Check.End = assurance.EndTimeout }), "target-made=failed"},
		{"check never ran", seen(func(o *life) { o.Check = nil }), "target-made=not-run"},
		{"check says yes to a blank stub", seen(func(o *life) { o.Blank.Exit = 0 }), "target-made=failed"},
		{"check hangs at a blank stub", seen(func(o *life) { o.Blank.End = assurance.EndTimeout }), "target-made=failed"},
		{"check never tried at a blank stub", seen(func(o *life) { o.Blank = nil }), "target-made=not-run"},
		{"down says no", seen(func(o *life) { o.Down.Exit = 1 }), "target-made=failed"},
		{"down never ran", seen(func(o *life) { o.Down = nil }), "target-made=not-run"},
		{"no down asked for", func(e *assurance.Evidence) {
			e.Plan.Target.Down, e.Observations[at.Target].Target.Down = nil, nil
		}, ""},
		{"somebody still answers", seen(func(o *life) { o.Gone.Refused = false }), "target-made=failed"},
		{"a process is left", seen(func(o *life) { o.Gone.Left = 1 }), "target-made=failed"},
		{"not seen gone", seen(func(o *life) { o.Gone = nil }), "target-made=not-run"},
		{"alive before it was put up", seen(func(o *life) { o.Alive.At = o.Up.Started.Add(-time.Hour) }), "target-made=failed"},
		{"gone before the check", seen(func(o *life) { o.Gone.At = o.Check.Started }), "target-made=failed"},

		{"no challenge in the answer", seen(func(o *life) { o.Alive.Echo = "" }), "challenge=failed"},
		{"challenge of an earlier run", seen(func(o *life) { o.Still.Echo = strings.Repeat("f", 32) }), "challenge=failed"},
		{"challenge that can be guessed", func(e *assurance.Evidence) {
			o := e.Observations[at.Target].Target
			e.Plan.Target.Challenge, o.Alive.Echo, o.Still.Echo = "1", "1", "1"
		}, "challenge=failed"},
		{"empty challenge", func(e *assurance.Evidence) {
			o := e.Observations[at.Target].Target
			e.Plan.Target.Challenge, o.Alive.Echo, o.Still.Echo = "", "", ""
		}, "challenge=failed"},

		{"name without label", planned(func(p *assurance.PlannedTarget) { p.Name = "shop" }), "not-production=failed"},
		{"empty label", planned(func(p *assurance.PlannedTarget) { p.Label = "" }), "not-production=failed"},
		{"name of production", planned(func(p *assurance.PlannedTarget) { p.Name += "-PROD2" }), "not-production=failed"},
		{"name that the caller calls production", planned(func(p *assurance.PlannedTarget) { p.ProductionWords = []string{"x", "sho?-*"} }), "not-production=failed"},
		{"context of production", planned(func(p *assurance.PlannedTarget) { p.Context = "live" }), "not-production=failed"},
		{"context that nobody knows", planned(func(p *assurance.PlannedTarget) { p.Context = "cluster" }), "not-production=failed"},
		{"box with a network", seen(func(o *life) { o.Interfaces = []string{"lo", "eth0"} }), "not-production=failed"},
		{"nobody looked at the network", seen(func(o *life) { o.Interfaces = nil }), "not-production=not-run"},
	} {
		e := at.Good()
		at.AddTarget(&e)
		c.edit(&e)
		v := assurance.Judge(e)
		var got []string
		for _, x := range v.Clauses {
			switch x.ID {
			case assurance.TargetMade, assurance.Challenge, assurance.NotProduction:
				if !x.Holds() {
					got = append(got, fmt.Sprintf("%s=%s", x.ID, x.State))
				}
				if x.Reason == "" {
					t.Errorf("%s: %s is %s without a reason", c.name, x.ID, x.State)
				}
			}
		}
		if strings.Join(got, " ") != c.off {
			t.Errorf("%s: %s, want %s\n%+v", c.name, got, c.off, v.Clauses[17:])
		}
		if v.Level != assurance.VAL1 {
			t.Errorf("%s: %s, by a target alone", c.name, v.Level)
		}
	}
}

// Words and patterns of the caller's come to Lane's own, and take none away.
func TestProductionWord(t *testing.T) {
	for _, c := range []struct{ name, more, want string }{
		{"shop-lane-0123", "", ""}, {"product-delivery", "", ""}, {"olive", "", ""}, {"shop_PROD", "", "prod"}, {"eu.prd1", "", "prd1"}, {"live", "", "live"}, {"a-production-b", "", "production"},
		{"shop-prod", "kunde", "prod"}, {"shop-Kunde", "kunde", "kunde"}, {"shop-kunde7", "kunde", "kunde7"}, {"shop-kunden", "kunde", ""}, {"eu1-shop", "eu1", "eu1"},
		{"shop-eu-west", "*-eu-*", "*-eu-*"}, {"shop-europe", "*-eu-*", ""}, {"shop-lane-0123456789ab", "*1234*", ""}, {"shop-1234-lane-0123456789ab", "*1234*", "*1234*"},
		{"shop", "[", "["},
	} {
		p := assurance.PlannedTarget{Name: c.name, Label: "lane-0123456789ab"}
		if c.more != "" {
			p.ProductionWords = []string{c.more}
		}
		if got := p.ProductionWord(); got != c.want {
			t.Errorf("%s beside %q: %q, want %q", c.name, c.more, got, c.want)
		}
	}
	// What stands in the place of a label hides nothing.
	hidden := assurance.PlannedTarget{Name: "shop-live-customers-1", Label: "live-customers-1"}
	if hidden.ProductionWord() != "live" || hidden.ProductionWord("*customers*") != "live" {
		t.Errorf("%+v", hidden)
	}
	hidden.Name, hidden.Label = "shop-customers-1", "customers-1"
	if hidden.ProductionWord("*customers*") == "" {
		t.Errorf("%+v", hidden)
	}
	for in, want := range map[string]string{" Kunde ": "kunde", "*-EU-*": "*-eu-*", "": "", "a-b": "", "[": "", "kund\u00e9": ""} {
		if got, err := assurance.ReadProductionWord(in); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
}

// A plan whose target nobody could put up is no plan.
func TestUnsoundTarget(t *testing.T) {
	e := at.Good()
	at.AddTarget(&e)
	e.Plan.Target.ID = at.HeadPlain
	e.Plan.Target.Up = nil
	if p := e.Problems(); len(p) != 2 {
		t.Errorf("problems: %q", p)
	}
}

// scrambleTarget changes one thing about the life of a target, for better or worse.
func scrambleTarget(rng *rand.Rand, o *assurance.TargetObservation) {
	coin := rng.IntN(2) == 0
	good := at.Good()
	at.AddTarget(&good)
	fine := good.Observations[at.Target].Target
	switch rng.IntN(7) {
	case 6:
		o.Runs = pick(rng, [][]assurance.TargetReceipt{nil, {{Run: at.ShopLive, Started: fine.Check.Ended, Ended: fine.Still.At}, {Run: at.ShopCheck, Started: fine.Check.Ended, Ended: fine.Still.At}},
			{{Run: at.ShopLive, Started: fine.Up.Started, Ended: fine.Still.At}}})
	case 0:
		o.Free = coin
	case 1:
		r := pick(rng, []**assurance.Receipt{&o.Build, &o.Up, &o.Blank, &o.Check, &o.Down})
		*r = pick(rng, []*assurance.Receipt{nil, fine.Build, fine.Check, fine.Blank, fine.Up, {End: assurance.EndExited}})
	case 2:
		a := pick(rng, []**assurance.TargetAnswer{&o.Alive, &o.Still})
		*a = pick(rng, []*assurance.TargetAnswer{nil, fine.Alive, fine.Still, {Status: 200, At: fine.Alive.At}, {Detail: "refused"}})
	case 3:
		o.Interfaces = pick(rng, [][]string{nil, {"lo"}, {"lo", "eth0"}})
	case 4:
		o.Gone = pick(rng, []*assurance.TargetGone{nil, fine.Gone, {At: fine.Gone.At, Left: 1, Refused: true}, {Refused: true}})
	case 5:
		if o.Check != nil {
			again := *o.Check
			again.Exit = rng.IntN(2)
			o.Check = &again
		}
	}
}
