package assurance_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
)

// Less or worse evidence never raises the level, for a fixed plan: from random evidence, one observation is
// replaced by a random other one, and wherever Worse says that it is worse, the level may not rise.
func TestLevelNeverRises(t *testing.T) {
	const steps = 12_000
	hits := map[string]int{}
	from := map[assurance.Level]int{}
	fell := 0
	for seed := range uint64(steps) {
		kind, where, before, after := worsen(t, seed, 7)
		if kind == "" {
			continue
		}
		hits[kind]++
		if where == "hidden" || where == "target" || where == "downstream" {
			hits[where+" run"]++
		}
		from[before]++
		if after < before {
			fell++
		}
	}
	for _, k := range []string{"run", "closure", "tree", "box", "probe", "mutant", "null", "break", "audit", "target", "hidden run", "target run", "downstream run", "server", "object", "control", "service", "spoilt"} {
		if hits[k] < 50 {
			t.Errorf("only %d worse observations of kind %s: the test shows nothing", hits[k], k)
		}
	}
	if from[assurance.VAL2] < 100 || from[assurance.VAL1] < 500 || from[assurance.VAL0] < 500 || from[assurance.LevelNone] < 500 || fell < 500 {
		t.Errorf("started from %v and fell %d times: the test shows little", from, fell)
	}
}

// FuzzLevelNeverRises goes on where TestLevelNeverRises stops.
func FuzzLevelNeverRises(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) { worsen(t, a, b) })
}

// worsen makes one observation of random evidence worse, where the change at hand is one for the worse, and
// fails if that raises the level. kind is empty where it is not.
func worsen(t *testing.T, seed1, seed2 uint64) (kind, where string, before, after assurance.Level) {
	rng := rand.New(rand.NewPCG(seed1, seed2))
	e := randomEvidence(rng)
	if p := e.Problems(); p != nil {
		t.Fatalf("seed %d %d: the generator makes plans that are refused: %s", seed1, seed2, p)
	}
	id := pick(rng, idsOf(e))
	a := e.Observations[id]
	b := scramble(rng, &e.Plan, clone(a))
	if rng.IntN(8) == 0 {
		b = assurance.Observation{} // taken away
	}
	if !assurance.Worse(&e.Plan, id, a, b) {
		return "", "", 0, 0
	}
	was := assurance.Judge(e)
	e.Observations[id] = b
	is := assurance.Judge(e)
	if is.Level > was.Level {
		t.Fatalf("seed %d %d: the level rises from %s to %s by a worse observation of %s\nbefore: %s\nafter: %s\na %s\nb %s",
			seed1, seed2, was.Level, is.Level, id, reasons(was), reasons(is), dump(a), dump(b))
	}
	where, _, _ = strings.Cut(id, "/")
	if a.Target != nil || where == "target" {
		for i, c := range is.Clauses { // which decide of no level as long as one of those below them is missing
			if c.Holds() && !was.Clauses[i].Holds() && (c.Level == assurance.VAL3 || a.Target != nil) {
				t.Fatalf("seed %d %d: %s holds by a worse observation\na %s\nb %s", seed1, seed2, c.ID, dump(a), dump(b))
			}
		}
	}
	return kindOf(a), where, was.Level, is.Level
}

// Every single observation taken away from evidence of VAL-1 costs the level.
func TestEveryObservationMatters(t *testing.T) {
	for id := range at.Good().Observations {
		switch id {
		case at.Quota, "null/rate/T1", at.Unviable:
			continue // more of the same is there, or it was known before
		}
		if v := at.Judged(drop(id)); v.Level == assurance.VAL1 {
			t.Errorf("without %s it is still %s", id, v.Level)
		}
	}
}

// Every single run of hidden tests taken away costs the level, whatever their kind.
func TestEveryHiddenRunMatters(t *testing.T) {
	for _, kind := range []string{assurance.HiddenInProcess, assurance.HiddenBlackBox} {
		e := at.Good()
		at.WithHidden(&e, kind)
		for _, r := range e.Plan.Hidden.Runs {
			v := at.Judged(func(e *assurance.Evidence) { at.WithHidden(e, kind); delete(e.Observations, r.ID) })
			if v.Level >= assurance.VAL0 {
				t.Errorf("%s: without %s it is still %s", kind, r.ID, v.Level)
			}
		}
	}
}

func randomEvidence(rng *rand.Rand) assurance.Evidence {
	e := at.Good()
	for range rng.IntN(4) {
		pick(rng, planEdits)(rng, &e)
	}
	for range rng.IntN(3) {
		id := pick(rng, idsOf(e))
		e.Observations[id] = scramble(rng, &e.Plan, e.Observations[id])
	}
	return e
}

// planEdits turn Good into other plans, mostly ones in which a rule with an exception applies.
var planEdits = []func(*rand.Rand, *assurance.Evidence){
	func(_ *rand.Rand, e *assurance.Evidence) {
		e.Plan.RequiredDefault = false
		e.Plan.Tests[1].Required = false
	},
	func(_ *rand.Rand, e *assurance.Evidence) {
		e.Plan.Tests = append(e.Plan.Tests[:4:4], assurance.PlannedTest{ID: at.Broken, Task: "unit", Unit: at.Tax, BaseFails: true})
		for _, id := range []string{at.HeadPlain, at.HeadOrder, at.HeadZone, at.OnBase} {
			if o := e.Observations[id].Run; o != nil {
				o.Exit = 1
				add(e, id, at.Broken, assurance.TestFailed)
			}
		}
	},
	func(_ *rand.Rand, e *assurance.Evidence) { e.Plan.Tasks[0].BrokenOnBase = []string{at.Tax} },
	func(_ *rand.Rand, e *assurance.Evidence) { e.Plan.Tasks[0].Class = assurance.Forgeable },
	func(_ *rand.Rand, e *assurance.Evidence) {
		e.Plan.Runs[1].CanariesFailRun = false
		e.Observations[at.HeadOrder].Run.Exit = 0
	},
	func(rng *rand.Rand, e *assurance.Evidence) {
		e.Plan.Change.Kind = pick(rng, []string{assurance.Refactor, assurance.Tree})
		e.Plan.Change.SaidBy = pick(rng, []assurance.Authority{assurance.ByCaller, assurance.ByChange})
	},
	func(rng *rand.Rand, e *assurance.Evidence) {
		e.Plan.Explained = append(e.Plan.Explained, assurance.Explanation{Mutant: pick(rng, e.Plan.Mutants).ID, By: assurance.ByBase, Signed: true, Reason: "same for all inputs"})
	},
	func(rng *rand.Rand, e *assurance.Evidence) {
		e.Plan.Sample = &assurance.Sample{Population: rng.IntN(300), AfterHeadFixed: rng.IntN(2) == 0}
	},
	func(rng *rand.Rand, e *assurance.Evidence) {
		e.Plan.Removals = append(e.Plan.Removals, assurance.Removal{Test: pick(rng, e.Plan.Tests).ID, ListedBy: assurance.ByBase})
	},
	func(_ *rand.Rand, e *assurance.Evidence) { e.Plan.Audits = nil },
	rehearse, rehearse, rehearse,
	func(_ *rand.Rand, e *assurance.Evidence) { e.Plan.Criteria = nil; clearCriteria(e) },
	func(_ *rand.Rand, e *assurance.Evidence) { e.Plan.Places = e.Plan.Places[:1]; onePlace(e) },
	func(_ *rand.Rand, e *assurance.Evidence) { e.Plan.Mutants[2].InChange = false },
	func(_ *rand.Rand, e *assurance.Evidence) { manyMutants(e) },
	func(_ *rand.Rand, e *assurance.Evidence) { e.Plan.Subject.BaseTree = e.Plan.Subject.GitTree },
	justTarget, justTarget, justTarget, justTarget,
	onTarget, onTarget, onTarget,
	hiddenEdit, hiddenEdit, hiddenEdit,
	downstreamEdit, downstreamEdit, downstreamEdit,
	serve, serve, serve, serve, serve,
}

// downstreamEdit adds the suite of a user, once, of whose plan one thing may be another.
func downstreamEdit(rng *rand.Rand, e *assurance.Evidence) {
	if e.Plan.Downstream != nil {
		return
	}
	at.WithDownstream(e)
	d := &e.Plan.Downstream[0]
	switch rng.IntN(8) {
	case 0:
		d.Class = assurance.Forgeable
	case 1:
		d.Tests, d.BaseFails = d.Tests[:1], d.Tests[1:]
	case 2:
		d.BrokenOnBase = []string{at.BoxUnit}
	case 3:
		d.Runs[2].CanariesFailRun = false
		e.Observations[at.DownstreamCanary].Run.Exit = 0
	case 4:
		d.Gone = 0
	}
}

// onTarget adds a target with a task that tests it, once, of which one thing may be another.
func onTarget(rng *rand.Rand, e *assurance.Evidence) {
	if e.Plan.Target != nil {
		return
	}
	at.AddTargetTask(e)
	t := &e.Plan.Target.Tasks[0]
	switch rng.IntN(6) {
	case 0:
		t.Class, t.Runs = assurance.Forgeable, t.Runs[:2]
	case 1:
		t.Tests = t.Tests[:1]
	case 2:
		e.Plan.Criteria[len(e.Plan.Criteria)-1].Tests = []string{at.Up, at.Sum}
	case 3:
		t.Runs[2].CanariesFailRun = false
		e.Observations[at.ShopCheck].Run.Exit = 0
	}
}

// justTarget adds a target without any, once.
func justTarget(_ *rand.Rand, e *assurance.Evidence) {
	if e.Plan.Target == nil {
		at.AddTarget(e)
	}
}

// hiddenEdit puts evidence under a contract with hidden tests, of whose plan one thing may be another.
func hiddenEdit(rng *rand.Rand, e *assurance.Evidence) {
	at.WithHidden(e, pick(rng, []string{assurance.HiddenInProcess, assurance.HiddenBlackBox}))
	h := e.Plan.Hidden
	switch rng.IntN(6) {
	case 0:
		h.Class = assurance.Forgeable
	case 1:
		h.Tests = h.Tests[:1]
	case 2:
		h.Runs = h.Runs[:2] // without its canaries
	case 3:
		h.Runs[2].CanariesFailRun = false
		e.Observations[at.HiddenCanary1].Run.Exit = 0
	case 4:
		h.Archive = "sha256:00"
	}
}

// rehearse adds a deployment, once.
func rehearse(rng *rand.Rand, e *assurance.Evidence) {
	if e.Plan.Deploy != nil {
		return
	}
	at.Rehearse(e)
	e.Plan.Deploy.Objects[0].BaseRefused = rng.IntN(2) == 0
}

// serve adds a service, once.
func serve(rng *rand.Rand, e *assurance.Evidence) {
	if len(e.Plan.Services) > 0 {
		return
	}
	at.AddService(e)
	if rng.IntN(6) == 0 {
		e.Plan.Services[0].Foreign = "sh runs what it is told to"
	}
}

func clearCriteria(e *assurance.Evidence) {
	for i := range e.Plan.Mutants {
		e.Plan.Mutants[i].Criteria = nil
	}
}

func onePlace(e *assurance.Evidence) {
	for i := range e.Plan.Mutants {
		e.Plan.Mutants[i].Places = []string{e.Plan.Places[0].ID}
	}
}

// manyMutants adds enough killed mutants to the change that a quarter of them is several.
func manyMutants(e *assurance.Evidence) {
	for i := range 9 {
		m := e.Plan.Mutants[0]
		m.ID = fmt.Sprintf("m-more-%d-%d", len(e.Plan.Mutants), i)
		e.Plan.Mutants = append(e.Plan.Mutants, m)
		e.Observations[m.ID] = assurance.Observation{Mutant: &assurance.MutantObservation{Verdict: assurance.MutantKilled, Killers: []string{at.Once}}}
	}
}

// scramble changes one thing about an observation, for better or worse.
func scramble(rng *rand.Rand, p *assurance.Plan, o assurance.Observation) assurance.Observation {
	coin := rng.IntN(2) == 0
	switch {
	case o.Run != nil:
		scrambleRun(rng, o.Run)
	case o.Closure != nil:
		switch rng.IntN(3) {
		case 0:
			o.Closure.Digest = pick(rng, []string{"", p.Closures[0].Digest, "sha256:00"})
		case 1:
			o.Closure.Verified = pick(rng, []string{"none", "lstat", "db", "sealed", "full", "?"})
		case 2:
			o.Closure.Sandbox = pick(rng, []string{"on", "off", "unknown", "unneeded", ""})
		}
	case o.Tree != nil:
		sums := []string{"", "00", p.Trees[0].SHA256, p.Trees[1].SHA256, p.Trees[2].SHA256}
		if coin {
			o.Tree.Before = pick(rng, sums)
		} else {
			o.Tree.After = pick(rng, sums)
		}
	case o.Box != nil:
		switch rng.IntN(4) {
		case 0:
			o.Box.UID = rng.IntN(2) * 1000
		case 1:
			o.Box.NoNewPrivs = coin
		case 2:
			o.Box.Capabilities = pick(rng, [][]string{nil, {"cap_chown"}})
		case 3:
			o.Box.Environment = pick(rng, [][]string{nil, {"HOME"}})
		}
	case o.Probe != nil:
		o.Probe.Tried, o.Probe.Control, o.Probe.Reached = rng.IntN(3), rng.IntN(3), rng.IntN(2)
	case o.Mutant != nil:
		scrambleMutant(rng, o.Mutant)
	case o.Null != nil:
		o.Null.Passed = coin
		o.Null.Failed = pick(rng, [][]string{nil, {at.Once}, {at.Once, at.Total}})
	case o.Break != nil:
		o.Break.Noticed = coin
	case o.Audit != nil:
		o.Audit.Verdict = pick(rng, mutantVerdicts)
	case o.Target != nil:
		scrambleTarget(rng, o.Target)
	case o.Server != nil:
		if o.Server.Version == "" {
			o.Server.Version = "v1.37.2"
		} else {
			o.Server.Version = ""
		}
	case o.Object != nil:
		if coin {
			o.Object.Digest = pick(rng, []string{"", "sha256:00", p.Deploy.Objects[0].Digest, p.Deploy.Objects[1].Digest})
		} else {
			o.Object.Answer = pick(rng, []string{assurance.AnswerAccepted, assurance.AnswerRefused, assurance.AnswerUnanswered, "odd"})
		}
	case o.Control != nil:
		o.Control.Refused = coin
	case o.Service != nil:
		s := o.Service
		pick(rng, []func(){func() { s.Healthy = coin }, func() { s.Alive = coin }, func() { s.Connections = rng.Int64N(2) }, func() { s.Answered = rng.Int64N(2) }})()
	case o.Spoilt != nil:
		s := o.Spoilt
		pick(rng, []func(){func() { s.Healthy = coin }, func() { s.Ended = coin }, func() { s.Spoilt = rng.Int64N(2) },
			func() { s.Failed = pick(rng, [][]string{nil, {at.Once}, {at.Once, at.Total}, {"nobody"}}) }})()
	}
	return o
}

var mutantVerdicts = []assurance.MutantVerdict{assurance.MutantKilled, assurance.MutantSurvived, assurance.MutantUncovered,
	assurance.MutantHung, assurance.MutantExhausted, assurance.MutantCrashed, assurance.MutantFlaky, assurance.MutantUnviable,
	assurance.MutantEquivalent, assurance.MutantNotRun, "odd"}

func scrambleMutant(rng *rand.Rand, m *assurance.MutantObservation) {
	if rng.IntN(3) == 0 {
		m.Killers = pick(rng, [][]string{nil, {at.Once}, {at.Total}, {at.Once, at.Total}, {"nobody"}})
		return
	}
	m.Verdict = pick(rng, mutantVerdicts)
}

func scrambleRun(rng *rand.Rand, r *assurance.RunObservation) {
	coin := rng.IntN(2) == 0
	switch rng.IntN(9) {
	case 0:
		r.End = pick(rng, []assurance.End{assurance.EndExited, assurance.EndSignaled, assurance.EndTimeout, assurance.EndDidNotExit,
			assurance.EndMemory, assurance.EndNoCommand, assurance.EndNoService, assurance.EndBoxDied, "odd"})
	case 1:
		r.Exit = pick(rng, []int{0, 1, 3})
	case 2, 3, 4:
		ids := []string{at.Box1, at.Box2, at.BoxCanary, at.Sum, at.Sum, at.Up, at.ShopCanary, at.Hidden1, at.Hidden2, at.HiddenCanary, at.Once, at.Total, at.Empty, at.Round, at.Broken, at.Cart + ".TestAmountQx7", at.Tax + ".TestRateLw2", at.Cart + ".TestNew"}
		id := pick(rng, ids)
		status := pick(rng, []assurance.TestStatus{assurance.TestPassed, assurance.TestFailed, assurance.TestSkipped, assurance.TestUnfinished, ""})
		at.Set(assurance.Observation{Run: r}, id, "", "")
		if status != "" {
			r.Tests = append(r.Tests, assurance.TestResult{ID: id, Status: status})
		}
		if coin && (status == assurance.TestFailed || status == assurance.TestUnfinished) {
			r.Exit = 1
		}
	case 5:
		if len(r.Units) > 0 {
			r.Units[rng.IntN(len(r.Units))] = assurance.UnitResult{ID: pick(rng, []string{at.Cart, at.Tax, at.HiddenUnit, at.BoxUnit, at.ShopUnit}), Expected: rng.IntN(4) > 0,
				Started: rng.IntN(3) > 0, Ended: rng.IntN(3) > 0, Unbuilt: rng.IntN(3) == 0, TimedOut: rng.IntN(5) == 0}
		}
	case 6:
		r.Lost = coin
	case 7:
		r.Problems = pick(rng, [][]string{nil, {"two ends"}})
	case 8:
		r.Leaky = coin
		r.Census = assurance.Census{Peak: rng.IntN(3), Left: rng.IntN(2), Inconclusive: rng.IntN(3) == 0}
	}
}

func pick[T any](rng *rand.Rand, s []T) T { return s[rng.IntN(len(s))] }

func idsOf(e assurance.Evidence) []string {
	var ids []string
	for id := range e.Observations {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func clone(o assurance.Observation) assurance.Observation {
	var out assurance.Observation
	data, err := json.Marshal(o)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		panic(err)
	}
	return out
}

func dump(o assurance.Observation) string {
	data, _ := json.Marshal(o)
	return string(data)
}

func kindOf(o assurance.Observation) string {
	var fields map[string]any
	if err := json.Unmarshal([]byte(dump(o)), &fields); err != nil {
		panic(err)
	}
	for k := range fields {
		return k
	}
	return ""
}
