package assurance

import "slices"

// Worse reports whether b shows less than a of the planned thing with that id, or something worse, and
// nothing better. It is the order that Judge respects: replacing a by b never raises the level. What is
// neither better nor worse (a test that nobody requires, one way to die against another) has to be the same
// in both.
//
// A worsening never repairs a contradiction. An exit status of 0 beside a failed test is worse than an exit
// status of 1, and the other way round beside passed ones; a mutant that an audit disagrees with does not
// get worse by coming to agree with it.
func Worse(p *Plan, id string, a, b Observation) bool {
	before := newView(&Evidence{Plan: *p, Observations: map[string]Observation{id: a}})
	after := newView(&Evidence{Plan: *p, Observations: map[string]Observation{id: b}})
	if _, ok := after.observed(id); !ok {
		return true
	}
	if _, ok := before.observed(id); !ok {
		return false
	}
	o := order{v: before}
	for _, x := range p.Closures {
		if x.ID == id {
			o.closure(x, a.Closure, b.Closure)
		}
	}
	for _, x := range p.Trees {
		if x.ID == id && o.shape(a.Tree != nil, b.Tree != nil) {
			o.best(a.Tree.Before == x.SHA256, b.Tree.Before == x.SHA256)
			o.best(a.Tree.After == x.SHA256, b.Tree.After == x.SHA256)
			o.same((a.Tree.After == "") == (b.Tree.After == ""))
		}
	}
	for _, x := range p.Boxes {
		if x.ID == id && o.shape(a.Box != nil, b.Box != nil) {
			o.best(a.Box.UID != 0, b.Box.UID != 0)
			o.best(len(a.Box.Capabilities) == 0, len(b.Box.Capabilities) == 0)
			o.best(a.Box.NoNewPrivs, b.Box.NoNewPrivs)
			o.best(len(a.Box.Environment) == 0, len(b.Box.Environment) == 0)
		}
	}
	for _, x := range p.Probes {
		if x.ID == id && o.shape(a.Probe != nil, b.Probe != nil) {
			o.best(a.Probe.good(), b.Probe.good())
		}
	}
	for i, x := range p.Runs {
		if x.ID == id && o.shape(a.Run != nil, b.Run != nil) {
			o.run(newRun(&p.Runs[i], a.Run), newRun(&p.Runs[i], b.Run))
		}
	}
	o.mutation(p, id, a, b)
	if p.Target != nil && p.Target.ID == id {
		o.target(p.Target, a.Target, b.Target)
	}
	o.targetRun(p.Target, id, a, b)
	o.hidden(p, id, a, b)
	o.deploy(p.Deploy, id, a, b)
	o.downstream(p, id, a, b)
	o.service(p, id, a, b)
	return !o.no && o.worse
}

// order collects what the parts of two observations say.
type order struct {
	v     *view
	worse bool // b is worse in some respect
	no    bool // b is better in some respect, or not comparable
}

// best notes a respect that is either as it should be or not.
func (o *order) best(a, b bool) {
	o.worse = o.worse || a && !b
	o.no = o.no || b && !a
}

func (o *order) same(ok bool) { o.no = o.no || !ok }

// shape reports whether both observations are of the right kind; one that is not counts as not-run.
func (o *order) shape(a, b bool) bool {
	o.best(a, b)
	return a && b
}

func (p *ProbeObservation) good() bool {
	return p.Tried > 0 && p.Control == p.Tried && p.Reached == 0
}

func (o *order) closure(x PlannedClosure, a, b *ClosureObservation) {
	if !o.shape(a != nil, b != nil) {
		return
	}
	o.best(a.Digest == x.Digest, b.Digest == x.Digest)
	for _, least := range []string{VerifiedLstat, VerifiedSealed} {
		o.best(verifiedRank(a.Verified) >= verifiedRank(least), verifiedRank(b.Verified) >= verifiedRank(least))
	}
	on := func(c *ClosureObservation) bool { return c.Sandbox == SandboxOn || c.Sandbox == SandboxUnneeded }
	o.best(on(a), on(b))
}

func (o *order) run(a, b *run) {
	o.ended(a, b)
	t := o.v.task(a.plan.Task)
	if t == nil {
		return
	}
	for _, id := range testsOf([]*run{a, b}) {
		o.test(t, a, b, id)
	}
	o.rest(t, a, b)
}

// ended compares how two runs ended.
func (o *order) ended(a, b *run) {
	o.best(a.obs.End == EndExited, b.obs.End == EndExited)
	o.same(a.obs.End == EndExited || a.obs.End == b.obs.End)
	o.best(!a.obs.Lost, !b.obs.Lost)
	o.best(len(a.obs.Problems) == 0, len(b.obs.Problems) == 0)
}

// rest compares all of two runs but their ends and tests.
func (o *order) rest(t *Task, a, b *run) {
	for _, c := range a.plan.Canaries {
		o.best(a.canary[c.Test] == TestFailed, b.canary[c.Test] == TestFailed)
		o.same(a.canary[c.Test] == TestFailed || a.canary[c.Test] == b.canary[c.Test])
	}
	for _, u := range unitsOf(a, b) {
		o.unit(t, a, b, u)
	}
	o.exit(a, b)
	o.best(!a.obs.Leaky && a.obs.Census.Left == 0, !b.obs.Leaky && b.obs.Census.Left == 0)
	o.best(!a.obs.Census.Inconclusive && a.obs.Census.Peak > 0, !b.obs.Census.Inconclusive && b.obs.Census.Peak > 0)
}

// test compares one test of a run. On head it is best to pass; on base it is best to do what the plan says;
// under the change's tests on base's code it is best to fail.
func (o *order) test(t *Task, a, b *run, id string) {
	sa, sb := a.of(id), b.of(id)
	p := o.v.tests[testKey{t.Name, id}]
	known := p != nil && p.BasePasses
	switch {
	case sa == sb:
	case a.plan.Tree == Head && (known || p != nil && p.Required), a.plan.Tree == Base && known:
		o.best(sa == string(TestPassed), sb == string(TestPassed))
		o.same(sa == string(TestPassed))
	case a.plan.Tree == Head:
		o.same(false)
	default:
		ranks := []string{string(TestPassed), string(TestSkipped), missing, string(TestUnfinished), string(TestFailed)}
		o.best(slices.Index(ranks, sa) > slices.Index(ranks, sb), slices.Index(ranks, sb) > slices.Index(ranks, sa))
	}
}

func (o *order) unit(t *Task, a, b *run, id string) {
	ua, ub := a.units[id], b.units[id]
	o.best(!ua.TimedOut, !ub.TimedOut)
	o.same(ua.Expected == ub.Expected)
	if a.plan.Tree != Head {
		o.best(ua.Unbuilt, ub.Unbuilt)
		o.same(ua.Started == ub.Started && ua.Ended == ub.Ended)
		return
	}
	if slices.Contains(t.BrokenOnBase, id) {
		o.same(ua.Unbuilt == ub.Unbuilt)
	}
	o.best(!ua.Unbuilt, !ub.Unbuilt)
	whole := func(u UnitResult) bool { return u.Started && u.Ended }
	o.best(whole(ua), whole(ub))
	o.same(whole(ua) || ua.Started == ub.Started && ua.Ended == ub.Ended)
}

// exit compares exit statuses: on head the one that fits what the run shows is better, and elsewhere one that
// says no.
func (o *order) exit(a, b *run) {
	if a.obs.End != EndExited || b.obs.End != EndExited || a.obs.Exit == b.obs.Exit {
		return
	}
	za, zb := a.obs.Exit == 0, b.obs.Exit == 0
	if a.plan.Tree != Head {
		o.best(!za, !zb)
		return
	}
	wantZero := !a.masked()
	for _, s := range a.status {
		wantZero = wantZero && s != TestFailed && s != TestUnfinished
	}
	for _, u := range a.units {
		wantZero = wantZero && !u.Unbuilt
	}
	o.best(za == wantZero, zb == wantZero)
}

func unitsOf(a, b *run) []string {
	var ids []string
	for id := range a.units {
		ids = append(ids, id)
	}
	for id := range b.units {
		ids = append(ids, id)
	}
	return unique(ids)
}

func (o *order) mutation(p *Plan, id string, a, b Observation) {
	for i, x := range p.Mutants {
		if x.ID == id && o.shape(a.Mutant != nil, b.Mutant != nil) {
			o.mutant(&p.Mutants[i], a.Mutant, b.Mutant)
		}
	}
	for _, x := range p.Nulls {
		if x.ID == id && o.shape(a.Null != nil, b.Null != nil) {
			o.best(a.Null.Passed, b.Null.Passed)
			o.best(len(a.Null.Failed) == 0, len(b.Null.Failed) == 0)
			o.same(within(a.Null.Failed, b.Null.Failed))
		}
	}
	for _, x := range p.Breaks {
		if x.ID == id && o.shape(a.Break != nil, b.Break != nil) {
			o.best(a.Break.Noticed, b.Break.Noticed)
		}
	}
	for _, x := range p.Audits {
		if x.ID == id && o.shape(a.Audit != nil, b.Audit != nil) {
			o.best(a.Audit.Verdict.clean() != MutantNotRun, b.Audit.Verdict.clean() != MutantNotRun)
			o.same(b.Audit.Verdict.clean() == MutantNotRun || a.Audit.Verdict == b.Audit.Verdict)
		}
	}
}

// mutant compares two verdicts. A mutant that does not count (unviable, equivalent, a survivor that is
// accounted for) is not comparable with a kill, and better than every other.
func (o *order) mutant(p *PlannedMutant, a, b *MutantObservation) {
	explained := ""
	for _, m := range o.v.mutants {
		if m.plan == p {
			explained = m.explained
		}
	}
	aside := func(m *MutantObservation) bool {
		switch m.Verdict.clean() {
		case MutantUnviable, MutantEquivalent:
			return true
		case MutantSurvived, MutantUncovered:
			return explained != ""
		}
		return false
	}
	rank := func(m *MutantObservation) int {
		v := m.Verdict.clean()
		switch {
		case v == MutantKilled, aside(m):
			return 3
		case v == MutantSurvived, v == MutantUncovered:
			return 1
		case v == MutantNotRun:
			return 0
		}
		return 2
	}
	o.same(aside(a) == aside(b) || rank(b) < 3)
	o.best(rank(a) > rank(b), rank(b) > rank(a))
	o.best(p.Known == "" || a.Verdict == p.Known, p.Known == "" || b.Verdict == p.Known)
	o.same(a.Tier == b.Tier)
	if a.Verdict == MutantKilled && b.Verdict == MutantKilled {
		o.best(!within(a.Killers, b.Killers), !within(b.Killers, a.Killers))
		o.same(within(b.Killers, a.Killers))
	}
	for _, x := range o.v.plan.Audits {
		if x.Mutant == p.ID {
			o.same(a.Verdict == b.Verdict)
		}
	}
}

// within reports whether every one of a is in b.
func within(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}
