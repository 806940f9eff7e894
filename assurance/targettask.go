package assurance

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kinds of tasks that test a running target.
const (
	TaskAPI     = "api"
	TaskBrowser = "browser" // as TaskAPI, with a browser of the closure
)

// CriterionTarget is a criterion that tests of tasks on the target meet, and nothing else does.
const CriterionTarget = "target"

// What runs of a task on the target talk to.
const (
	OnTarget TreeRole = "target" // while it is alive
	OnStub   TreeRole = "stub"   // one of Lane's own, which answers everything with 200 and nothing else
)

// TargetTask is a task that tests the running target, from a box that reaches nothing else. It is none of Plan.Tasks: it is not run on base, and on no
// mutant, since each such run needs a target of its own; what shows that its tests can say no is the stub.
type TargetTask struct {
	Name     string   `json:"name"`
	Kind     string   `json:"kind"` // TaskAPI or TaskBrowser
	Command  []string `json:"command"`
	Build    []string `json:"build,omitempty"`
	Closure  string   `json:"closure"` // id of a planned closure
	Reporter string   `json:"reporter"`
	Class    Class    `json:"class"`
	// Browser is the program that LANE_BROWSER names; set where Kind is TaskBrowser.
	Browser string `json:"browser,omitempty"`
	// Tests have to pass against the target: those that the spec names, or else all that any run shows.
	Tests []string    `json:"tests"`
	Runs  []TargetRun `json:"runs"`
}

// TargetRun is one execution of such a task. Its observation is a RunObservation.
type TargetRun struct {
	ID string   `json:"id"`
	On TreeRole `json:"on"` // OnTarget or OnStub
	// Canaries make a run on the target a control: of its tests, those alone count. A second run on the same target may find what the first left.
	Canaries        []Canary `json:"canaries,omitempty"`
	CanariesFailRun bool     `json:"canaries_fail_run,omitempty"` // as in PlannedRun
}

// TargetReceipt says when a run on the target was under way.
type TargetReceipt struct {
	Run     string    `json:"run"` // id
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
}

func (x TargetRun) run() *PlannedRun {
	tree := x.On
	if tree == OnTarget {
		tree = Head // it is head that runs there
	}
	return &PlannedRun{ID: x.ID, Tree: tree, Canaries: x.Canaries, CanariesFailRun: x.CanariesFailRun}
}

// tests reports whether a run is one whose tests count, and no control.
func (x TargetRun) tests() bool {
	return x.On == OnTarget && len(x.Canaries) == 0 && !x.CanariesFailRun
}

// task is what the rules for runs of tasks ask of one.
func (t *TargetTask) task() *Task { return &Task{Name: t.Name, Command: t.Command, Class: t.Class} }

// targetRuns pairs the runs of a task with what was seen of them.
func (v *view) targetRuns(t *TargetTask, which func(TargetRun) bool) (out []*run) {
	for _, x := range t.Runs {
		if which(x) {
			out = append(out, newRun(x.run(), v.run(x.ID)))
		}
	}
	return out
}

func onStub(x TargetRun) bool    { return x.On == OnStub }
func canaried(x TargetRun) bool  { return x.On == OnTarget && !x.tests() }
func ordinary(x TargetRun) bool  { return x.tests() }
func everyRun(x TargetRun) bool  { return true }
func (r *run) no(id string) bool { return r.refuses() && r.of(id) == string(TestFailed) }

// counted splits the tests of a task into those that were seen failing in every run against the stub, and the rest, which show nothing.
func (v *view) counted(t *TargetTask) (counted, idle []string) {
	stubs := v.targetRuns(t, onStub)
	for _, id := range t.Tests {
		if len(stubs) > 0 && !slices.ContainsFunc(stubs, func(r *run) bool { return !r.no(id) }) {
			counted = append(counted, id)
		} else {
			idle = append(idle, id)
		}
	}
	return counted, idle
}

// life is what was seen of the target; nil where that is nothing.
func (v *view) life() *TargetObservation {
	if v.plan.Target == nil {
		return nil
	}
	o, _ := v.observed(v.plan.Target.ID)
	return o.Target
}

// findTarget returns what the tasks on the target say against the outcome passed.
func (v *view) findTarget() []finding {
	if v.plan.Target == nil {
		return nil
	}
	var out []finding
	for i := range v.plan.Target.Tasks {
		t := &v.plan.Target.Tasks[i]
		runs := v.targetRuns(t, everyRun)
		if len(v.targetRuns(t, ordinary)) == 0 {
			out = append(out, finding{LaneFault, fmt.Sprintf("no run of task %s on the target is planned", t.Name), true})
		}
		for _, r := range runs {
			if r.obs == nil {
				out = append(out, v.unseenOnTarget(t, r))
			}
		}
		for _, r := range slices.DeleteFunc(v.targetRuns(t, func(x TargetRun) bool { return x.On == OnTarget }), func(r *run) bool { return r.obs == nil }) {
			out = append(out, v.findRun(t.task(), r)...)
		}
		if len(t.Tests) == 0 && len(out) == 0 {
			out = append(out, finding{outcome: NoTestsObserved, reason: fmt.Sprintf("task %s showed no test of the target, and the spec names none", t.Name)})
		}
		out = append(out, v.failuresOnTarget(t)...)
	}
	return out
}

// unseenOnTarget says why a run is missing: nobody can test a target that is not alive, which says nothing yet of whose fault that is.
func (v *view) unseenOnTarget(t *TargetTask, r *run) finding {
	o := v.life()
	switch {
	case v.ev.Stop.Deadline:
		return finding{BudgetExpired, fmt.Sprintf("run %s was planned and never observed", r.plan.ID), true}
	case o != nil && !o.Alive.alive():
		why := "the target was not alive"
		for _, f := range v.plan.Target.madeFacts(o) {
			if !f.ok && f.seen {
				why = f.say
				break
			}
		}
		return finding{NoTestsObserved, fmt.Sprintf("no test of task %s ran: %s", t.Name, why), true}
	}
	return finding{LaneFault, fmt.Sprintf("run %s was planned and never observed", r.plan.ID), true}
}

// failuresOnTarget are the required tests that did not pass, and what else is wrong in the runs whose tests count. Where the target met a limit of its
// box, that is nobody's failure.
func (v *view) failuresOnTarget(t *TargetTask) (out []finding) {
	outcome, because := TestsFailed, ""
	if o := v.life(); o != nil && o.Up != nil && (&run{obs: &RunObservation{End: o.Up.End}}).exhausted() {
		outcome, because = EnvExhausted, fmt.Sprintf("; the target met its limit of %s", o.Up.End)
	}
	for _, r := range v.targetRuns(t, ordinary) {
		failed := t.failures(r)
		for _, id := range failed {
			out = append(out, finding{outcome: outcome, reason: describe(&PlannedTest{ID: id}, r.of(id)) + " against the target" + because})
		}
		for _, s := range besides(t.task(), r, len(failed) > 0) {
			out = append(out, finding{outcome: outcome, reason: fmt.Sprintf("task %s, run %s: %s%s", t.Name, r.plan.ID, s, because)})
		}
	}
	return out
}

// failures lists the tests that a run shows not to pass.
func (t *TargetTask) failures(r *run) (out []string) {
	if r.obs == nil || r.exhausted() {
		return nil
	}
	for _, id := range t.Tests {
		if s := r.of(id); s == string(TestFailed) || s != string(TestPassed) && !r.cut() {
			out = append(out, id)
		}
	}
	return out
}

// besides says what is wrong in a run beside its tests, some of which failed or none.
func besides(t *Task, r *run, failed bool) (out []string) {
	if r.obs == nil || r.exhausted() || r.cut() {
		return nil
	}
	for _, u := range sortedUnits(r) {
		if u.Unbuilt {
			out = append(out, "they do not build with the change")
			break
		}
	}
	if r.obs.End == EndSignaled {
		out = append(out, "the command died of signal "+r.obs.Signal)
	}
	if len(silences(t, r)) > 0 {
		out = append(out, "a session broke off, or never reported")
	}
	if !failed && len(r.status) > 0 && r.obs.End == EndExited && r.obs.Exit != 0 && !r.masked() {
		out = append(out, fmt.Sprintf("the command ends with exit status %d, although every test passes", r.obs.Exit))
	}
	return out
}

// receiptFacts say of each run on the target that it was under way while the target was alive.
func (p *PlannedTarget) receiptFacts(o *TargetObservation) (out []fact) {
	for _, t := range p.Tasks {
		for _, x := range t.Runs {
			if x.On != OnTarget {
				continue
			}
			i := slices.IndexFunc(o.Runs, func(r TargetReceipt) bool { return r.Run == x.ID })
			if i < 0 {
				out = append(out, fact{false, false, fmt.Sprintf("run %s has no receipt", x.ID)})
				continue
			}
			r := o.Runs[i]
			within := o.Alive != nil && o.Still != nil && !r.Started.Before(o.Alive.At) && !r.Ended.Before(r.Started) && !o.Still.At.Before(r.Ended)
			out = append(out, fact{within, o.Alive != nil && o.Still != nil, fmt.Sprintf("run %s was not under way between two answers of the target", x.ID)})
		}
	}
	return out
}

// taskFacts are what the clause target-made rests on beside the target's own life: that the tests of it can say no.
func (v *view) taskFacts(p *PlannedTarget) (out []fact) {
	counts := map[string]bool{}
	for i := range p.Tasks {
		t := &p.Tasks[i]
		counted, idle := v.counted(t)
		for _, id := range counted {
			counts[id] = true
		}
		seen := !slices.ContainsFunc(v.targetRuns(t, onStub), func(r *run) bool { return r.obs == nil })
		say := fmt.Sprintf("task %s has no test that was seen failing against a stub that answers everything with 200 and nothing else: it shows nothing of the target", t.Name)
		if len(idle) > 0 {
			say += " (" + strings.Join(bound(idle), ", ") + ")"
		}
		out = append(out, fact{len(counted) > 0, seen && len(idle) > 0, say})
		if t.Class != InProcess {
			continue
		}
		failed, planned := v.canariesOnTarget(t)
		out = append(out, fact{planned > 0 && failed == planned, planned > 0, fmt.Sprintf("%d of %d canaries of task %s were seen failing beside the tests of the target", failed, planned, t.Name)})
	}
	for _, c := range v.plan.Criteria {
		if c.Kind == CriterionTarget {
			out = append(out, fact{slices.ContainsFunc(c.Tests, func(id string) bool { return counts[id] }), len(counts) > 0,
				fmt.Sprintf("criterion %s: none of its tests was seen failing against a stub", c.ID)})
		}
	}
	return out
}

func (v *view) canariesOnTarget(t *TargetTask) (failed, planned int) {
	for _, r := range v.targetRuns(t, canaried) {
		for _, c := range r.plan.Canaries {
			planned++
			if r.canary[c.Test] == TestFailed {
				failed++
			}
		}
	}
	return failed, planned
}

// targetTasks checks the plan of the tasks on a target.
func (c *planCheck) targetTasks(p *PlannedTarget) {
	for _, t := range p.Tasks {
		c.name(c.tasks, "task", t.Name)
		c.known(c.closures, "closure", t.Closure, "task "+t.Name)
		oneOf(c, "class of task "+t.Name, t.Class, InProcess, Forgeable)
		oneOf(c, "kind of task "+t.Name, t.Kind, TaskAPI, TaskBrowser)
		tests := map[string]bool{}
		for _, id := range t.Tests {
			c.name(tests, "test of task "+t.Name, id)
		}
		for _, r := range t.Runs {
			c.id("run on the target", r.ID)
			oneOf(c, "what run "+r.ID+" is on", r.On, OnTarget, OnStub)
			for _, k := range r.Canaries {
				if k.Test == "" || tests[k.Test] {
					c.say("canary %q of run %s has no id or that of a test", k.Test, r.ID)
				}
			}
		}
	}
}

// forgeable reports whether a task on the target has a reporter that the code under test can forge.
func (p *PlannedTarget) forgeable() bool {
	return p != nil && slices.ContainsFunc(p.Tasks, func(t TargetTask) bool { return t.Class == Forgeable })
}
