package assurance

import (
	"slices"
	"unicode/utf8"
)

// maxMessage bounds what a verdict repeats of a test's own words, in bytes. The end is kept.
const maxMessage = 4096

func tail(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	s = s[len(s)-maxMessage:]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
}

// unstable returns every test, required or not, whose runs of head differ. A run that was cut short is not
// held against a test that it does not show, and neither is any run against one that the plan does not ask
// for: a part of a test may have a name with a time or a path in it, and then is never the same twice.
func (v *view) unstable() []UnstableTest {
	out := []UnstableTest{}
	for _, t := range v.plan.Tasks {
		runs := v.runs[Head][t.Name]
		for _, id := range testsOf(runs) {
			p := v.tests[testKey{t.Name, id}]
			asked := p != nil && (p.Required || p.BasePasses)
			var list []RunStatus
			statuses := map[string]bool{}
			message := ""
			for _, r := range runs {
				s := r.of(id)
				if s == missing && (r.cut() || !asked) || r.exhausted() {
					continue
				}
				statuses[s] = true
				list = append(list, RunStatus{Run: r.plan.ID, Variation: r.plan.Variation, Status: s})
				if message == "" && s != string(TestPassed) {
					message = tail(r.message[id])
				}
			}
			if len(statuses) < 2 {
				continue
			}
			out = append(out, UnstableTest{ID: id, Task: t.Name, Required: p != nil && p.Required,
				PreExisting: v.flipsOnBase(t.Name, id), Runs: list, Message: message})
		}
	}
	return out
}

func testsOf(runs []*run) []string {
	var ids []string
	for _, r := range runs {
		ids = append(ids, r.order...)
	}
	return unique(ids)
}

func (v *view) flipsOnBase(task, id string) bool {
	statuses := map[string]bool{}
	for _, r := range v.runs[Base][task] {
		if r.whole() {
			statuses[r.of(id)] = true
		}
	}
	return len(statuses) > 1
}

// lists fills in what people read: counts, failed tests, survivors, leftovers.
func (v *view) lists(out *Verdict) {
	for i := range v.plan.Tasks {
		v.countTests(out, &v.plan.Tasks[i])
	}
	out.Vacuous = append(out.Vacuous, v.vacuous()...)
	out.Mutants = v.countMutants()
	for _, m := range v.mutants {
		if m.survived() && !m.out {
			out.Survivors = append(out.Survivors, Survivor{ID: m.plan.ID, File: m.plan.File, Line: m.plan.Line,
				Operator: m.plan.Operator, Description: m.plan.Description, Diff: m.plan.Diff,
				Verdict: m.verdict, InChange: m.plan.InChange, Explained: m.explained})
		}
	}
	for _, c := range v.plan.Closures {
		r := ClosureResult{Name: c.label(), Digest: c.Digest, Verified: VerifiedNone, Sandbox: SandboxUnknown}
		if o := v.closure(c.ID); o != nil {
			r.Verified, r.Sandbox = o.Verified, o.Sandbox
		}
		out.Closures = append(out.Closures, r)
	}
	for _, p := range v.plan.Runs {
		if o := v.run(p.ID); o != nil && (o.Census.Left > 0 || o.Leaky) {
			out.Leftovers = append(out.Leftovers, Leftover{Run: p.ID, Left: o.Census.Left, Names: o.Census.Names, Leaky: o.Leaky})
		}
	}
}

func (v *view) countTests(out *Verdict, t *Task) {
	runs := v.runs[Head][t.Name]
	c := &out.Tests
	for _, r := range runs {
		if r.obs != nil {
			c.Runs++
		}
		c.Canaries += len(r.plan.Canaries)
		for _, s := range r.canary {
			if s == TestFailed {
				c.SeenFailed++
			}
		}
	}
	c.Observed += len(testsOf(runs))
	for _, p := range v.required(t.Name) {
		c.Required++
		worst, where, message := v.worst(p, runs)
		switch worst {
		case "":
			c.Passed++
			continue
		case string(TestSkipped):
			c.Skipped++
		case missing:
			c.Missing++
		default:
			c.Failed++
		}
		out.Failed = append(out.Failed, FailedTest{ID: p.ID, Task: t.Name, Status: worst, Runs: where, Message: tail(message)})
	}
}

// worst returns the worst status of a required test over its head runs, "" where it passed in all of them.
func (v *view) worst(p *PlannedTest, runs []*run) (status string, where []string, message string) {
	for _, r := range runs {
		s := r.of(p.ID)
		if s == string(TestPassed) || s == missing && v.mayBeAbsent(p) {
			continue
		}
		where = append(where, r.plan.ID)
		if status == "" || worseStatus(s, status) {
			status, message = s, r.message[p.ID]
		}
	}
	if len(runs) == 0 {
		status = missing
	}
	return status, where, message
}

// worseStatus orders what did not pass: failed, unfinished, skipped, missing, worst first.
func worseStatus(a, b string) bool { return TestStatus(a).rank() > TestStatus(b).rank() }

func (v *view) countMutants() MutantCounts {
	var c MutantCounts
	for _, m := range v.mutants {
		switch {
		case !m.plan.InChange:
			c.Quota++
			continue
		case m.out:
			c.Planned++
			c.Arid++
			continue
		}
		c.Planned++
		switch {
		case m.verdict == MutantUnviable:
			c.Unviable++
			continue
		case m.verdict == MutantEquivalent:
			c.Equivalent++
			continue
		case m.verdict == MutantKilled:
			c.Killed++
		case m.survived():
			c.Survived++
			if m.verdict == MutantUncovered {
				c.Uncovered++
			}
			if m.explained != "" {
				c.Explained++
			}
		case m.inconclusive():
			c.Inconclusive++
		default:
			c.NotRun++
		}
		c.Viable++
	}
	if c.Viable > 0 {
		c.Lower = float64(c.Killed) / float64(c.Viable)
		c.Upper = float64(c.Killed+c.Inconclusive+c.NotRun) / float64(c.Viable)
	}
	return c
}

// limits lists what nobody should read into the verdict, in the order of how much it matters.
func (v *Verdict) limits() []string {
	var out []string
	say := func(s string) { out = append(out, s) }
	if v.Outcome != OutcomePassed || v.Status != StatusDone {
		return []string{"that the change is good or bad beyond what is listed: this verdict has no level, and passes no gate"}
	}
	if v.Level < VAL1 {
		say("that the tests would notice a fault: see the clauses of VAL-1 that do not hold")
	}
	if v.Level < VAL2 {
		say("that it works with anything but its own tests: nothing from outside answered (VAL-2)")
	}
	if slices.ContainsFunc(v.Tasks, func(t Task) bool { return t.Class == Forgeable }) || v.Evidence.Plan.Target.forgeable() {
		say("that the counts are honest: a reporter that the code under test can forge was used")
	} else {
		say("that no code under test could have fooled the reporter: it runs in the same process, which makes cheating evident and not impossible")
	}
	if v.Level == VAL3 {
		say("that it works where it will run: the target was a box of Lane's own, with nothing around it")
	}
	if s := v.hiddenLimit(); s != "" {
		say(s)
	}
	if slices.ContainsFunc(v.Criteria, func(c CriterionResult) bool { return c.State == CriterionUnverifiable }) {
		say("that the criteria marked unverifiable are met")
	}
	if v.Authority == ByChange {
		say("that these are the rules you want: the change brought its own spec")
	}
	if v.Venue == "self" {
		say("who ran it: the verdict is made by whoever asked for it")
	}
	return out
}
