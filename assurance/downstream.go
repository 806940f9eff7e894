package assurance

import (
	"fmt"
	"slices"
	"strings"
)

// Gutted is head's tree without the code of the folders in which the change touches code: a suite that says something about the change has to
// say no to it.
const Gutted TreeRole = "gutted"

// PlannedDownstream is the suite of one downstream user of a library, which was to be run against the tree under test.
type PlannedDownstream struct {
	Name   string `json:"name"`
	Source string `json:"source"` // where people find the user's repository
	Commit string `json:"commit"` // of it, in hex: the pin
	// Unasked says in a sentence why its suite was not run; empty where it was.
	Unasked  string   `json:"unasked,omitempty"`
	Task     string   `json:"task"` // of the plan: its closure, dependencies and variables are the suite's
	Place    string   `json:"place"`
	Command  []string `json:"command"`
	Reporter string   `json:"reporter"`
	Class    Class    `json:"class"`
	// Tests have to pass on head. Where there is a base, they pass with it.
	Tests []string `json:"tests"`
	// BaseFails lists tests that do not pass with base, so that nobody blames the change for them; named ones of the spec among them.
	// BrokenOnBase lists units that do not build with it.
	BaseFails    []string `json:"base_fails,omitempty"`
	BrokenOnBase []string `json:"broken_on_base,omitempty"`
	// Named says that the spec names the tests that count. Of these, none may be in BaseFails.
	Named bool `json:"named,omitempty"`
	// Gone counts the files that Gutted lacks of head. All says that it is all code that head has there, since the change touches none.
	Gone int             `json:"gone"`
	All  bool            `json:"all,omitempty"`
	Runs []DownstreamRun `json:"runs"`
}

// DownstreamRun is one execution of a user's suite. Its observation is a RunObservation.
type DownstreamRun struct {
	ID              string   `json:"id"`
	On              TreeRole `json:"on"` // Head, Base or Gutted
	Canaries        []Canary `json:"canaries,omitempty"`
	CanariesFailRun bool     `json:"canaries_fail_run,omitempty"` // as in PlannedRun
}

// DownstreamResult is what the suite of one user came to.
type DownstreamResult struct {
	Name     string `json:"name"`
	Source   string `json:"source"`
	Commit   string `json:"commit"`
	Unasked  string `json:"unasked,omitempty"`
	Required int    `json:"required"`
	Passed   int    `json:"passed"` // in every run on head
	Runs     int    `json:"runs"`   // on head
	// Failed are required tests that did not pass in some run on head.
	Failed []FailedTest `json:"failed,omitempty"`
	// Refused says that the suite said no to the tree without the code.
	Refused bool `json:"refused"`
	Gone    int  `json:"gone"`
}

// title names the suite for people.
func (d *PlannedDownstream) title() string {
	return fmt.Sprintf("the suite of %s at %.12s", d.Name, d.Commit)
}

// task is what the rules for runs of tasks ask of one.
func (d *PlannedDownstream) task() *Task {
	return &Task{Name: "downstream " + d.Name, Command: d.Command, Class: d.Class, BrokenOnBase: d.BrokenOnBase}
}

func (x DownstreamRun) run() *PlannedRun {
	return &PlannedRun{ID: x.ID, Tree: x.On, Canaries: x.Canaries, CanariesFailRun: x.CanariesFailRun}
}

// downstreamRuns pairs the runs of a suite on one tree with what was seen of them.
func (v *view) downstreamRuns(d *PlannedDownstream, on TreeRole) []*run {
	var out []*run
	for _, x := range d.Runs {
		if x.On == on {
			out = append(out, newRun(x.run(), v.run(x.ID)))
		}
	}
	return out
}

// findDownstream returns what the suites of users say against the outcome passed: a test of theirs that passes with base and does not with head
// is a required test that failed.
func (v *view) findDownstream() []finding {
	var out []finding
	for i := range v.plan.Downstream {
		if d := &v.plan.Downstream[i]; d.Unasked == "" {
			out = append(out, v.findSuite(d)...)
		}
	}
	return out
}

func (v *view) findSuite(d *PlannedDownstream) (out []finding) {
	for _, on := range []TreeRole{Base, Gutted} {
		for _, r := range v.downstreamRuns(d, on) {
			if r.obs == nil {
				out = append(out, v.findRun(d.task(), r)...)
			}
		}
	}
	heads := v.downstreamRuns(d, Head)
	for _, r := range heads {
		if r.obs == nil || len(d.Tests) > 0 { // what says nothing with base has nothing to say of head
			out = append(out, v.findRun(d.task(), r)...)
		}
		if len(d.Tests) > 0 {
			out = append(out, d.symptoms(r)...)
		}
	}
	always, sometimes := d.failures(heads)
	if len(always) > 0 {
		out = append(out, finding{outcome: TestsFailed, reason: d.describe(always, "")})
	}
	if len(sometimes) > 0 {
		out = append(out, finding{outcome: Unstable, reason: d.describe(sometimes, " in every run")})
	}
	return out
}

// describe names tests that did not pass.
func (d *PlannedDownstream) describe(tests []string, how string) string {
	which := " that pass with base"
	if len(d.baseRuns()) == 0 {
		which = ""
	}
	return fmt.Sprintf("%s: %d of %s%s do not pass with head%s: %s", d.title(), len(tests), number(len(d.Tests), "test", "tests"), which, how, strings.Join(bound(tests), ", "))
}

func (d *PlannedDownstream) baseRuns() []DownstreamRun {
	return slices.DeleteFunc(slices.Clone(d.Runs), func(x DownstreamRun) bool { return x.On != Base })
}

// failures lists the tests that no run on head shows to pass, and those that one shows to pass and another does not.
func (d *PlannedDownstream) failures(heads []*run) (always, sometimes []string) {
	for _, id := range d.Tests {
		passed, failed := false, false
		for _, r := range heads {
			if r.obs == nil || r.exhausted() {
				continue
			}
			s := r.of(id)
			passed = passed || s == string(TestPassed)
			failed = failed || s == string(TestFailed) || s != string(TestPassed) && !r.cut()
		}
		switch {
		case failed && passed:
			sometimes = append(sometimes, id)
		case failed:
			always = append(always, id)
		}
	}
	return always, sometimes
}

// symptoms returns what is wrong in a run on head beside its tests.
func (d *PlannedDownstream) symptoms(r *run) (out []finding) {
	if r.obs == nil || r.exhausted() || r.cut() {
		return nil
	}
	say := func(reason string) {
		out = append(out, finding{outcome: TestsFailed, reason: fmt.Sprintf("%s, run %s: %s", d.title(), r.plan.ID, reason)})
	}
	for _, u := range sortedUnits(r) {
		if u.Unbuilt && !slices.Contains(d.BrokenOnBase, u.ID) {
			say(u.ID + " does not build with head")
		}
	}
	if r.obs.End == EndSignaled {
		say("the command died of signal " + r.obs.Signal)
	}
	for _, s := range silences(d.task(), r) {
		say(s.reason)
	}
	always, sometimes := d.failures([]*run{r})
	if len(always)+len(sometimes) == 0 && len(r.status) > 0 && r.obs.End == EndExited && r.obs.Exit != 0 && !r.masked() && !d.exitExplained(r) {
		say(fmt.Sprintf("it ends with exit status %d, although every test passes that does with base", r.obs.Exit))
	}
	return out
}

// exitExplained reports whether an exit status other than zero has a cause that is there with base as well.
func (d *PlannedDownstream) exitExplained(r *run) bool {
	for _, id := range d.BaseFails {
		if s := r.of(id); s == string(TestFailed) || s == string(TestUnfinished) {
			return true
		}
	}
	for id, u := range r.units {
		if u.Unbuilt && slices.Contains(d.BrokenOnBase, id) {
			return true
		}
	}
	return false
}

// passesWithBase reports whether a run on base shows every test passing that has to pass on head.
func (d *PlannedDownstream) passesWithBase(r *run) bool {
	return r.whole() && !slices.ContainsFunc(d.Tests, func(id string) bool { return r.of(id) != string(TestPassed) })
}

// saysNo reports whether the suite said no to the tree without the code: not by its exit status alone, which it may have with base, too.
func (d *PlannedDownstream) saysNo(r *run) bool {
	return r.refuses() && slices.ContainsFunc(d.Tests, func(id string) bool { return r.of(id) != string(TestPassed) })
}

// usersPass is held where the suite of every user passes on head.
func (v *view) usersPass() Clause { return v.ofUsers(v.suitePasses) }

// usersRefuse is held where the suite of every user says no to the tree without the code.
func (v *view) usersRefuse() Clause { return v.ofUsers(v.suiteRefuses) }

func (v *view) ofUsers(of func(*PlannedDownstream) Clause) Clause {
	var all []Clause
	for i := range v.plan.Downstream {
		d := &v.plan.Downstream[i]
		switch {
		case d.Unasked != "":
			all = append(all, Clause{State: NotRun, Reason: d.Unasked})
		case len(d.Tests) == 0 && len(d.Runs) > 0:
			why := "no test of it passes with base"
			if len(d.baseRuns()) == 0 {
				why = "no test of it was seen"
			}
			all = append(all, Clause{State: Failed, Code: CodeInconclusive, Reason: d.title() + " can say nothing of head: " + why})
		default:
			all = append(all, of(d))
		}
	}
	return worst(all)
}

func (v *view) suitePasses(d *PlannedDownstream) Clause {
	var bad, unseen []string
	for _, f := range v.findSuite(d) {
		if f.unseen {
			unseen = append(unseen, f.reason)
		} else {
			bad = append(bad, f.reason)
		}
	}
	if d.Named && len(d.BaseFails) > 0 {
		bad = append(bad, fmt.Sprintf("%s: the spec names tests that do not pass with base: %s", d.title(), strings.Join(bound(d.BaseFails), ", ")))
	}
	for _, r := range v.downstreamRuns(d, Base) {
		if r.obs != nil && !d.passesWithBase(r) {
			bad = append(bad, fmt.Sprintf("%s: run %s does not show all of its tests passing with base", d.title(), r.plan.ID))
		}
	}
	heads := v.downstreamRuns(d, Head)
	if !slices.ContainsFunc(heads, func(r *run) bool { return r.obs != nil && !r.masked() }) {
		unseen = append(unseen, d.title()+": no run on head has an exit status of its tests alone")
	}
	if d.Class == InProcess && !slices.ContainsFunc(heads, func(r *run) bool { return r.allCanariesFail() }) {
		unseen = append(unseen, d.title()+": no canary of Lane's was seen failing among its tests")
	}
	c := settle(bad, unseen, d.title(), "passes with head: "+number(len(d.Tests), "test", "tests"), "")
	if c.State == Held {
		if len(d.baseRuns()) > 0 {
			c.Reason += ", all that pass with base"
		}
		c.Facts = []string{d.Name + " is " + d.Source}
		if d.Class == Forgeable {
			c.Facts = append(c.Facts, "what "+d.Reporter+" says of "+d.Name+", the code under test can forge")
		}
	}
	return c
}

// allCanariesFail reports whether a run hosted canaries, and showed each of them failing.
func (r *run) allCanariesFail() bool {
	return len(r.plan.Canaries) > 0 && !slices.ContainsFunc(r.plan.Canaries, func(c Canary) bool { return r.canary[c.Test] != TestFailed })
}

func (v *view) suiteRefuses(d *PlannedDownstream) Clause {
	what := fmt.Sprintf("the code of the folders that the change touches (%s)", number(d.Gone, "file", "files"))
	if d.All {
		what = fmt.Sprintf("any code of the tree (%s)", number(d.Gone, "file", "files"))
	}
	runs := v.downstreamRuns(d, Gutted)
	for _, r := range runs {
		switch {
		case r.obs == nil:
			return Clause{State: NotRun, Reason: fmt.Sprintf("run %s was not observed", r.plan.ID)}
		case r.obs.End == EndExited && !d.saysNo(r):
			return Clause{State: Failed, Code: CodeInconclusive, Reason: fmt.Sprintf("%s passes without %s: it shows nothing about it", d.title(), what)}
		case !d.saysNo(r):
			return Clause{State: NotRun, Code: CodeInconclusive, Reason: fmt.Sprintf("%s gave no answer without %s: the run ended as %q", d.title(), what, r.obs.End)}
		}
	}
	if len(runs) == 0 || d.Gone == 0 {
		return Clause{State: NotRun, Reason: d.title() + " was not run without the code that it uses"}
	}
	return Clause{State: Held, Reason: fmt.Sprintf("%s fails without %s", d.title(), what)}
}

// downstream says what became of each suite.
func (v *view) downstream() []DownstreamResult {
	var out []DownstreamResult
	for i := range v.plan.Downstream {
		out = append(out, v.suite(&v.plan.Downstream[i]))
	}
	return out
}

func (v *view) suite(d *PlannedDownstream) DownstreamResult {
	out := DownstreamResult{Name: d.Name, Source: d.Source, Commit: d.Commit, Unasked: d.Unasked, Required: len(d.Tests), Gone: d.Gone}
	heads := v.downstreamRuns(d, Head)
	for _, r := range heads {
		if r.obs != nil {
			out.Runs++
		}
	}
	always, sometimes := d.failures(heads)
	for _, id := range slices.Concat(always, sometimes) {
		f := FailedTest{ID: id, Task: d.task().Name}
		for _, r := range heads {
			if s := r.of(id); s != string(TestPassed) && r.obs != nil {
				f.Status, f.Runs = s, append(f.Runs, r.plan.ID)
				if f.Message == "" {
					f.Message = r.message[id]
				}
			}
		}
		out.Failed = append(out.Failed, f)
	}
	for _, id := range d.Tests {
		if out.Runs > 0 && !slices.ContainsFunc(heads, func(r *run) bool { return r.of(id) != string(TestPassed) }) {
			out.Passed++
		}
	}
	controls := v.downstreamRuns(d, Gutted)
	out.Refused = len(controls) > 0 && !slices.ContainsFunc(controls, func(r *run) bool { return !d.saysNo(r) })
	return out
}

// downstream notes the ids of planned suites.
func (c *planCheck) downstream(p *Plan) {
	names := map[string]bool{}
	for i := range p.Downstream {
		d := &p.Downstream[i]
		by := "the suite of " + d.Name
		c.name(names, "downstream user", d.Name)
		if d.Commit == "" {
			c.say("%s has no commit", by)
		}
		if d.Unasked != "" {
			if len(d.Runs)+len(d.Tests) > 0 {
				c.say("%s was not run, and has runs or tests", by)
			}
			continue
		}
		oneOf(c, "class of "+by, d.Class, InProcess, Forgeable)
		c.known(c.tasks, "task", d.Task, by)
		tests := map[string]bool{}
		for _, id := range d.Tests {
			c.name(tests, "test of "+d.Name, id)
			if slices.Contains(d.BaseFails, id) {
				c.say("test %q of %s both passes and fails with base", id, d.Name)
			}
		}
		for _, r := range d.Runs {
			c.id("run of a downstream user", r.ID)
			oneOf(c, "what run "+r.ID+" is on", r.On, Head, Base, Gutted)
			for _, k := range r.Canaries {
				if k.Test == "" || tests[k.Test] {
					c.say("canary %q of run %s has no id or that of a test", k.Test, r.ID)
				}
			}
		}
	}
}

// downstream compares two observations of a run of a user's suite: on head as for a run of a task, on base by the tests that have to pass there,
// and without the code by whether it says no.
func (o *order) downstream(p *Plan, id string, a, b Observation) {
	for i := range p.Downstream {
		d := &p.Downstream[i]
		for _, x := range d.Runs {
			if x.ID == id && o.shape(a.Run != nil, b.Run != nil) {
				o.suite(d, newRun(x.run(), a.Run), newRun(x.run(), b.Run))
			}
		}
	}
}

func (o *order) suite(d *PlannedDownstream, was, is *run) {
	switch was.plan.Tree {
	case Base:
		o.best(d.passesWithBase(was), d.passesWithBase(is))
		return
	case Gutted:
		o.best(d.saysNo(was), d.saysNo(is))
		return
	}
	o.ended(was, is)
	for _, t := range testsOf([]*run{was, is}) {
		sa, sb := was.of(t), is.of(t)
		switch {
		case sa == sb:
		case slices.Contains(d.Tests, t):
			o.best(sa == string(TestPassed), sb == string(TestPassed))
			o.same(sa == string(TestPassed))
		default:
			o.same(false)
		}
	}
	o.rest(d.task(), was, is)
}
