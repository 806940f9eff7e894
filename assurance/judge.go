package assurance

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Judge decides what evidence has earned. It never panics, whatever the evidence; evidence that cannot be
// judged is refused with the code BadEvidence.
func Judge(e Evidence) Verdict {
	e, digest, err := canonical(e)
	v := newVerdict(&e)
	v.EvidenceDigest = digest
	v.Require = max(LevelNone, min(v.Require, VAL3))
	problems := e.Problems()
	if err != nil {
		problems = []string{err.Error()}
	}
	stop := e.Stop
	stopped := stop != Stop{Phase: stop.Phase}
	var found []finding
	switch {
	case len(problems) == 0:
		w := newView(&e)
		found = w.fill(&v)
	case !stopped || err != nil:
		stop = Stop{Phase: stop.Phase} // what cannot be read has no right to an excuse
		stop.Refusal = &Refusal{Code: BadEvidence, Msg: "the evidence cannot be judged: " + strings.Join(problems, "; "),
			Hint: "this is a fault of whatever made the evidence; please report it"}
	}
	if v.Clauses == nil {
		v.Clauses = unjudged("Lane stopped before there was a plan to judge")
	}
	v.conclude(stop, found)
	return v
}

// canonical returns the evidence as any reader of its JSON would see it, and the digest of that JSON.
func canonical(e Evidence) (Evidence, string, error) {
	data, err := json.Marshal(e)
	if err == nil && bytes.Contains(data, []byte(`\ufffd`)) {
		// Bytes that are no UTF-8 are replaced on the way into JSON; judge what comes out of it.
		var again Evidence
		if err = json.Unmarshal(data, &again); err == nil {
			e = again
			data, err = json.Marshal(e)
		}
	}
	if err != nil {
		return Evidence{}, "", fmt.Errorf("it has no JSON form: %v", err)
	}
	sum := sha256.Sum256(data)
	return e, "sha256:" + hex.EncodeToString(sum[:]), nil
}

func newVerdict(e *Evidence) Verdict {
	p, r := &e.Plan, &e.Record
	venue := r.Venue
	if venue == "" {
		venue = "self"
	}
	return Verdict{
		SchemaVersion: SchemaVersion, Kind: VerdictKind, RulesVersion: RulesVersion, Engine: r.Engine,
		Spec: p.Spec, Contract: p.Contract, Level: LevelNone, Require: p.Require, Phase: e.Stop.Phase,
		WhyNot: []WhyNot{}, Downgrades: []Downgrade{},
		Failed: []FailedTest{}, Unstable: []UnstableTest{}, Lost: []LostTest{}, Vacuous: []VacuousTest{},
		Survivors: []Survivor{}, Criteria: []CriterionResult{}, Leftovers: []Leftover{},
		Authority: p.Spec.Authority, Venue: venue,
		Change: ChangeSummary{Kind: p.Change.Kind, SaidBy: p.Change.SaidBy, Files: len(p.Change.Files),
			Environment: p.Change.Environment, Protected: p.Change.Protected, Ignored: p.Change.Ignored},
		Tasks: append([]Task{}, p.Tasks...), Subject: p.Subject, Closures: []ClosureResult{}, Fence: r.Fence,
		Started: r.Started, Finished: r.Finished, Attempt: r.Attempt, Previous: r.Previous,
		Stages: r.Stages, Logs: r.Logs, Reproduce: r.Reproduce, Notes: r.Notes, Fetched: r.Fetched,
		DoesNotProve: []string{}, Evidence: e,
	}
}

// fill works out clauses and lists, and returns what stands against the outcome passed.
func (w *view) fill(v *Verdict) []finding {
	runs := w.findRuns()
	hidden := w.findHidden()
	asked := w.findTarget()
	found := slices.Concat(runs, w.findTrees(), hidden, w.findObjects(), w.findDownstream(), asked)
	v.Unstable = w.unstable()
	lost, gone := w.noneLost()
	criteria, results := w.criteriaBite()
	clauses := map[ClauseID]Clause{
		ClosurePinned:  w.closurePinned(),
		CommandKnown:   w.commandKnown(),
		RequiredPassed: w.requiredPassed(slices.Concat(runs, asked)),
		NoneLost:       lost,
		TreeBound:      w.treeBound(),
		ClosureSealed:  w.closureSealed(),
		NoNetwork:      w.noNetwork(),
		Clean:          w.clean(),
		Stable:         w.stable(v.Unstable),
		CanarySeen:     w.canary(),
		NullMutant:     w.nullMutant(),
		ProvesChange:   w.provesChange(),
		MutantsKilled:  w.mutantsKilled(),
		CriteriaBite:   criteria,
		CensusClean:    w.census(),

		Counterpart:     w.counterpart(),
		NegativeControl: w.negativeControl(),
	}
	maps.Copy(clauses, w.targetClauses())
	hiddenClause, named := w.hiddenPassed(hidden)
	if named {
		clauses[HiddenPassed] = hiddenClause
	}
	for _, m := range Clauses() {
		c, ok := clauses[m.ID]
		if !ok {
			c = Clause{State: NotRun, Reason: "not asked for by this spec"}
		}
		c.ID, c.Level = m.ID, m.Level
		if c.ID == HiddenPassed && named {
			// Whoever signed hidden tests wants them to have passed before anything is said of the change's own.
			c.Level = VAL1
		}
		v.Clauses = append(v.Clauses, c)
	}
	v.Lost = append(v.Lost, gone...)
	w.blackBoxCriteria(results, hiddenClause)
	w.targetCriteria(results, clauses)
	v.Criteria = append(v.Criteria, results...)
	v.Hidden = w.hiddenResult()
	v.Deploy = w.deploy()
	v.Downstream = w.downstream()
	v.Services = w.services()
	w.lists(v)
	w.onTarget(v)
	return found
}

func unjudged(reason string) []Clause {
	var out []Clause
	for _, m := range Clauses() {
		out = append(out, Clause{ID: m.ID, Level: m.Level, State: NotRun, Reason: reason})
	}
	return out
}

// conclude sets outcome, status, level and everything that follows from them.
func (v *Verdict) conclude(stop Stop, found []finding) {
	v.Status, v.Outcome = StatusDone, OutcomePassed
	switch {
	case stop.Signal != 0:
		v.Status, v.Outcome, v.Signal = StatusFailed, Interrupted, stop.Signal
		v.Reason = "the caller stopped Lane before it was done"
	case stop.Refusal != nil:
		v.Status, v.Outcome, v.Refusal = StatusRefused, "", stop.Refusal
		v.Reason = stop.Refusal.Msg
	default:
		// First, since what was not planned or not seen follows from them.
		if stop.Deadline {
			found = slices.Insert(found, 0, finding{outcome: BudgetExpired, reason: "the deadline of the spec was over"})
		}
		if stop.Fault != "" {
			found = slices.Insert(found, 0, finding{outcome: LaneFault, reason: stop.Fault})
		}
		v.settle(found)
		if stop.Fault != "" {
			v.Status = StatusFailed
		}
	}
	v.Blame = "nobody"
	if m, ok := v.Outcome.meaning(); ok {
		v.Blame = m.Blame
	}
	v.grade()
	v.Exit = v.exit()
	v.DoesNotProve = append(v.DoesNotProve, v.limits()...)
}

// settle takes the worst of the findings as the outcome.
func (v *Verdict) settle(found []finding) {
	v.Reason = "every required test passed"
	n := 0
	for _, f := range found {
		switch {
		case f.outcome.rank() < v.Outcome.rank():
			v.Outcome, v.Reason, n = f.outcome, f.reason, 0
		case f.outcome == v.Outcome && f.reason != v.Reason:
			n++
		}
	}
	if n > 0 {
		v.Reason += fmt.Sprintf(" (and %d more)", n)
	}
}

// grade sets the level: the highest whose clauses, and those of all levels below, hold. Only an outcome of
// passed has one.
func (v *Verdict) grade() {
	v.Level = LevelNone
	if v.Outcome == OutcomePassed && v.Status == StatusDone {
		v.Level = VAL3
		for _, c := range v.Clauses {
			if !c.Holds() {
				v.Level = min(v.Level, c.Level-1)
			}
		}
	}
	for _, c := range v.Clauses {
		if c.Level <= VAL1 && c.State == Failed {
			v.Downgrades = append(v.Downgrades, Downgrade{Clause: c.ID, Code: c.Code, Cap: c.Level - 1, Reason: c.Reason})
		}
	}
	v.NextLevel = min(v.Level+1, VAL3)
	if v.Level == VAL3 {
		return
	}
	if v.Outcome != OutcomePassed || v.Status != StatusDone {
		v.WhyNot = append(v.WhyNot, WhyNot{Reason: v.Reason})
		return
	}
	for _, c := range v.Clauses {
		if c.Level <= v.NextLevel && !c.Holds() {
			v.WhyNot = append(v.WhyNot, WhyNot{Clause: c.ID, Code: c.Code, Reason: c.Reason})
		}
	}
}
