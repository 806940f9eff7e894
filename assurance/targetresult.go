package assurance

import (
	"fmt"
	"slices"
)

// TargetResult is what became of the tasks on the target.
type TargetResult struct {
	Name  string             `json:"name"`
	Tasks []TargetTaskResult `json:"tasks"`
}

// TargetTaskResult is what became of one of them, in numbers.
type TargetTaskResult struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Required int    `json:"required"`
	Passed   int    `json:"passed"`
	// Counted tests were seen failing against the stub. Idle ones were not, and show nothing; bounded.
	Counted    int      `json:"counted"`
	Idle       []string `json:"idle,omitempty"`
	Canaries   int      `json:"canaries"`
	SeenFailed int      `json:"canaries_seen_failing"`
}

// idleFacts name the tests that pass, and count for nothing.
func (v *view) idleFacts(p *PlannedTarget) (out []string) {
	for i := range p.Tasks {
		_, idle := v.counted(&p.Tasks[i])
		for _, id := range idle {
			out = append(out, id+" was not seen failing against the stub: it does not count")
		}
	}
	return bound(out)
}

// targetCriteria settles the criteria that tests of the target meet.
func (v *view) targetCriteria(results []CriterionResult, clauses map[ClauseID]Clause) {
	p := v.plan.Target
	if p == nil {
		return
	}
	passed, counts := map[string]bool{}, map[string]bool{}
	for i := range p.Tasks {
		t := &p.Tasks[i]
		for _, id := range t.Tests {
			runs := v.targetRuns(t, ordinary)
			passed[id] = len(runs) > 0 && !slices.ContainsFunc(runs, func(r *run) bool { return r.of(id) != string(TestPassed) })
		}
		counted, _ := v.counted(t)
		for _, id := range counted {
			counts[id] = true
		}
	}
	for i := range results {
		r := &results[i]
		if r.Kind != CriterionTarget {
			continue
		}
		r.State, r.Reason = CriterionMet, "its tests pass against the target, and fail against a stub"
		for _, id := range []ClauseID{TargetMade, Challenge} {
			if c := clauses[id]; c.State != Held {
				r.State, r.Reason = CriterionUnproven, c.Reason
				break
			}
		}
		if !slices.ContainsFunc(r.Tests, func(id string) bool { return counts[id] }) {
			r.State, r.Reason = CriterionUnproven, "none of its tests was seen failing against a stub"
		}
		for _, id := range r.Tests {
			if !passed[id] {
				r.State, r.Reason = CriterionNotMet, id+" does not pass against the target"
				break
			}
		}
	}
}

// onTarget fills in what people read of the tasks on the target: counts, and the tests that failed.
func (v *view) onTarget(out *Verdict) {
	p := v.plan.Target
	if p == nil || len(p.Tasks) == 0 {
		return
	}
	out.Target = &TargetResult{Name: p.Name, Tasks: []TargetTaskResult{}}
	for i := range p.Tasks {
		t := &p.Tasks[i]
		counted, idle := v.counted(t)
		r := TargetTaskResult{Name: t.Name, Kind: t.Kind, Required: len(t.Tests), Passed: len(t.Tests), Counted: len(counted), Idle: bound(idle)}
		r.SeenFailed, r.Canaries = v.canariesOnTarget(t)
		for _, x := range v.targetRuns(t, everyRun) {
			if o := x.obs; o != nil && (o.Census.Left > 0 || o.Leaky) {
				out.Leftovers = append(out.Leftovers, Leftover{Run: x.plan.ID, Left: o.Census.Left, Names: o.Census.Names, Leaky: o.Leaky})
			}
		}
		for _, id := range t.Tests {
			f := FailedTest{ID: id, Task: t.Name}
			for _, x := range v.targetRuns(t, ordinary) {
				if s := x.of(id); s != string(TestPassed) {
					f.Status, f.Runs, f.Message = s, append(f.Runs, x.plan.ID), tail(x.message[id])
				}
			}
			if f.Status != "" {
				r.Passed--
				out.Failed = append(out.Failed, f)
			}
		}
		out.Target.Tasks = append(out.Target.Tasks, r)
	}
}

// Label is what a report says of a task on the target in one line.
func (r *TargetTaskResult) Label() string {
	s := fmt.Sprintf("%d of %d passed, %d of them seen failing against a stub", r.Passed, r.Required, r.Counted)
	if r.Canaries > 0 {
		s += fmt.Sprintf("; %d of %s seen failing", r.SeenFailed, number(r.Canaries, "canary", "canaries"))
	}
	return s
}
