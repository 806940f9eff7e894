package assurance

import (
	"fmt"
	"slices"
)

// maxFacts bounds the facts of a clause and the items of a list in a sentence.
const maxFacts = 20

// bound cuts a list of facts to maxFacts and counts the rest.
func bound(facts []string) []string {
	if len(facts) <= maxFacts {
		return facts
	}
	return append(slices.Clone(facts[:maxFacts]), fmt.Sprintf("and %d more", len(facts)-maxFacts))
}

type testKey struct{ task, id string }

// view is evidence with everything looked up once.
type view struct {
	plan  *Plan
	ev    *Evidence
	tests map[testKey]*PlannedTest
	runs  map[TreeRole]map[string][]*run // by role and task, in the order of the plan
	// removed lists tests whose removal base or a contract allows; refused lists who else lists one.
	removed map[string]bool
	refused map[string]Authority
	mutants []*mutant
}

func newView(e *Evidence) *view {
	v := &view{plan: &e.Plan, ev: e,
		tests:   map[testKey]*PlannedTest{},
		runs:    map[TreeRole]map[string][]*run{Head: {}, Base: {}, Hybrid: {}},
		removed: map[string]bool{},
		refused: map[string]Authority{},
	}
	for i := range v.plan.Tests {
		t := &v.plan.Tests[i]
		v.tests[testKey{t.Task, t.ID}] = t
	}
	for _, r := range v.plan.Removals {
		if r.ListedBy == ByBase || r.ListedBy == ByContract {
			v.removed[r.Test] = true
		} else {
			v.refused[r.Test] = r.ListedBy
		}
	}
	for i := range v.plan.Runs {
		p := &v.plan.Runs[i]
		if tasks := v.runs[p.Tree]; tasks != nil {
			tasks[p.Task] = append(tasks[p.Task], newRun(p, v.run(p.ID)))
		}
	}
	v.mutants = v.readMutants()
	return v
}

// observed returns the observation of an id, where it has exactly one field set.
func (v *view) observed(id string) (Observation, bool) {
	o, ok := v.ev.Observations[id]
	if !ok {
		return o, false
	}
	n := 0
	for _, set := range [...]bool{o.Run != nil, o.Closure != nil, o.Tree != nil, o.Box != nil, o.Probe != nil,
		o.Mutant != nil, o.Null != nil, o.Break != nil, o.Audit != nil, o.Target != nil,
		o.Server != nil, o.Object != nil, o.Control != nil, o.Service != nil, o.Spoilt != nil} {
		if set {
			n++
		}
	}
	return o, n == 1
}

func (v *view) run(id string) *RunObservation {
	if o, ok := v.observed(id); ok {
		return o.Run
	}
	return nil
}

// run is one planned run with what was seen of it.
type run struct {
	plan *PlannedRun
	obs  *RunObservation // nil: not observed
	// status holds each test's worst status, canary that of the planned canaries.
	status, canary map[string]TestStatus
	message        map[string]string
	units          map[string]UnitResult
	order          []string // ids of status, sorted
}

func newRun(p *PlannedRun, o *RunObservation) *run {
	r := &run{plan: p, obs: o, status: map[string]TestStatus{}, canary: map[string]TestStatus{},
		message: map[string]string{}, units: map[string]UnitResult{}}
	if o == nil {
		return r
	}
	canaries := map[string]bool{}
	for _, c := range p.Canaries {
		canaries[c.Test] = true
	}
	for _, t := range o.Tests {
		into := r.status
		if canaries[t.ID] {
			into = r.canary
		}
		old, seen := into[t.ID]
		s := t.Status.clean()
		if !seen || s.rank() > old.rank() {
			into[t.ID] = s
		}
		if s != TestPassed && r.message[t.ID] == "" {
			r.message[t.ID] = t.Message
		}
	}
	for _, u := range o.Units {
		if old, ok := r.units[u.ID]; ok {
			u.Expected = u.Expected || old.Expected
			u.Unbuilt = u.Unbuilt || old.Unbuilt
			u.Started = u.Started || old.Started
			u.Ended = u.Ended && old.Ended
			u.TimedOut = u.TimedOut || old.TimedOut
		}
		r.units[u.ID] = u
	}
	for id := range r.status {
		r.order = append(r.order, id)
	}
	slices.Sort(r.order)
	return r
}

// clean maps a status outside of the closed list to unfinished.
func (s TestStatus) clean() TestStatus {
	if s.rank() == 0 {
		return TestUnfinished
	}
	return s
}

// rank orders statuses, worst highest. 0 is unknown.
func (s TestStatus) rank() int {
	switch s {
	case TestPassed:
		return 1
	case TestSkipped:
		return 2
	case TestUnfinished:
		return 3
	case TestFailed:
		return 4
	}
	return 0
}

// missing is the status of a test that a run did not show.
const missing = "missing"

// of returns the status of a test, or missing.
func (r *run) of(id string) string {
	if s, ok := r.status[id]; ok {
		return string(s)
	}
	return missing
}

// empty reports whether the run showed no test and no canary failing, and its command said that all is well.
func (r *run) empty() bool {
	if r.obs == nil || len(r.status) > 0 {
		return false
	}
	for _, s := range r.canary {
		if s == TestFailed {
			return false
		}
	}
	return r.obs.End == EndExited && r.obs.Exit == 0
}

// cut reports whether the run was ended before its tests could all show themselves, so that only what it did
// show counts.
func (r *run) cut() bool {
	if r.obs == nil || r.obs.Lost || r.empty() {
		return true
	}
	for _, u := range r.units {
		if u.TimedOut {
			return true
		}
	}
	return r.obs.End != EndExited && r.obs.End != EndSignaled && r.obs.End != EndDidNotExit
}

// exhausted reports whether the run met a limit of the box, or had no service to talk to, so that even a failed test may be its doing.
func (r *run) exhausted() bool {
	if r.obs == nil {
		return false
	}
	switch r.obs.End {
	case EndMemory, EndProcesses, EndFiles, EndDisk, EndCPU, EndNoService:
		return true
	}
	return false
}

// whole reports whether a run of base's code can be believed in all that it shows and does not show.
func (r *run) whole() bool {
	return r.obs != nil && (!r.cut() || r.bare()) && !r.exhausted() && len(r.obs.Problems) == 0
}

// bare reports whether the run showed no test because there is none: its command said that all is well,
// and no session of tests was expected. A base without tests loses none.
func (r *run) bare() bool {
	if r.plan.Tree != Base || !r.empty() || r.obs.Lost {
		return false
	}
	for _, u := range r.units {
		if u.Expected || u.Started {
			return false
		}
	}
	return true
}

func (v *view) task(name string) *Task {
	for i := range v.plan.Tasks {
		if v.plan.Tasks[i].Name == name {
			return &v.plan.Tasks[i]
		}
	}
	return nil
}

// required returns the required tests of a task, in the order of the plan.
func (v *view) required(task string) []*PlannedTest {
	var out []*PlannedTest
	for i := range v.plan.Tests {
		if t := &v.plan.Tests[i]; t.Task == task && t.Required {
			out = append(out, t)
		}
	}
	return out
}

// mayBeAbsent reports whether base or a contract allows the test to be gone from head. A test that a criterion
// or task names is required whatever its removal.
func (v *view) mayBeAbsent(t *PlannedTest) bool {
	return v.removed[t.ID] && (v.plan.RequiredDefault || !t.Required)
}

// passesOnHead reports whether a test was seen passing in every head run of every task that has it, and in one
// at least.
func (v *view) passesOnHead(id string) bool {
	seen := false
	for _, runs := range v.runs[Head] {
		in := slices.ContainsFunc(runs, func(r *run) bool { return r.of(id) != missing })
		if !in {
			continue
		}
		for _, r := range runs {
			if r.of(id) != string(TestPassed) {
				return false
			}
		}
		seen = true
	}
	return seen
}
