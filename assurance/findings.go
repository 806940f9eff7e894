package assurance

import (
	"fmt"
	"slices"
	"strings"
)

// finding is one reason against the outcome passed.
type finding struct {
	outcome Outcome
	reason  string
	unseen  bool // it says that something was not observed, not that it went wrong
}

// findRuns returns what the head runs say against the outcome passed.
func (v *view) findRuns() []finding {
	var out []finding
	required := false
	for i := range v.plan.Tasks {
		t := &v.plan.Tasks[i]
		runs := v.runs[Head][t.Name]
		if len(runs) == 0 {
			o := LaneFault
			if v.ev.Stop.Deadline {
				o = BudgetExpired
			}
			out = append(out, finding{o, fmt.Sprintf("no run of task %s is planned", t.Name), true})
		}
		for _, r := range runs {
			out = append(out, v.findRun(t, r)...)
		}
		out = append(out, v.findSymptoms(t, runs)...)
		required = required || len(v.required(t.Name)) > 0
	}
	if !required {
		out = append(out, finding{outcome: NoTestsObserved, reason: "no test is required, so nothing can pass: none passes on base, none is new, and the spec names none ([tests] required)"})
	}
	return out
}

// findRun returns what one run says by itself.
func (v *view) findRun(t *Task, r *run) []finding {
	id := r.plan.ID
	if r.obs == nil {
		o := LaneFault
		if v.ev.Stop.Deadline {
			o = BudgetExpired
		}
		return []finding{{o, fmt.Sprintf("run %s was planned and never observed", id), true}}
	}
	switch o := r.obs; o.End {
	case EndExited, EndSignaled:
	case EndTimeout, EndDidNotExit:
		return []finding{v.findOverdue(t, r)}
	case EndMemory, EndProcesses, EndFiles, EndDisk, EndCPU:
		return []finding{{outcome: EnvExhausted, reason: fmt.Sprintf("run %s met its limit of %s%s", id, o.End, v.baseWasFine(t))}}
	case EndNoCommand:
		return []finding{{outcome: CommandUnavailable, reason: fmt.Sprintf("task %s: the closure has no command %q", t.Name, first(t.Command))}}
	case EndNoService:
		return []finding{{outcome: CommandUnavailable, reason: sentence(fmt.Sprintf("run %s", id), o.Detail) + v.baseWasServed(t)}}
	case EndInterrupted:
		if v.ev.Stop.Deadline {
			return []finding{{outcome: BudgetExpired, reason: fmt.Sprintf("run %s was ended by the deadline", id)}}
		}
		return []finding{{outcome: LaneFault, reason: fmt.Sprintf("run %s was interrupted", id)}}
	default:
		return []finding{{outcome: LaneFault, reason: sentence(fmt.Sprintf("run %s ended as %q", id, o.End), o.Detail)}}
	}
	if r.obs.Lost {
		return []finding{{outcome: CountsUnparsed, reason: sentence(fmt.Sprintf("run %s: events were lost, so counts are not known", id), r.obs.Detail)}}
	}
	var out []finding
	for _, u := range sortedUnits(r) {
		if u.TimedOut {
			out = append(out, finding{outcome: BudgetExpired, reason: fmt.Sprintf("run %s: the runner's own time limit struck in %s", id, u.ID)})
		}
	}
	for _, c := range v.contradictions(t, r) {
		out = append(out, finding{outcome: Tampered, reason: fmt.Sprintf("run %s: %s", id, c)})
	}
	if len(r.status) == 0 {
		out = append(out, finding{outcome: NoTestsObserved, reason: sentence(fmt.Sprintf("run %s of task %s showed no test", id, t.Name), r.obs.Detail)})
	}
	return out
}

// findOverdue tells a process that had finished and would not end from one that was still at work.
func (v *view) findOverdue(t *Task, r *run) finding {
	done := 0
	for _, p := range v.required(t.Name) {
		if r.of(p.ID) != string(TestPassed) {
			done = -1
			break
		}
		done++
	}
	for _, u := range r.units {
		if u.Started && !u.Ended {
			done = -1
		}
	}
	if done > 0 {
		return finding{outcome: NeverExited, reason: fmt.Sprintf("run %s: every required test passed, and the process never ended", r.plan.ID)}
	}
	return finding{outcome: BudgetExpired, reason: fmt.Sprintf("run %s: its time was over", r.plan.ID)}
}

// baseWasFine adds to the blame: the base tree under the same limits tells a greedy change from a small box.
func (v *view) baseWasFine(t *Task) string {
	for _, r := range v.runs[Base][t.Name] {
		if r.whole() {
			return "; the base tree stays within the same limits, so look at the change first"
		}
	}
	return ""
}

// baseWasServed adds to the blame in the same way.
func (v *view) baseWasServed(t *Task) string {
	for _, r := range v.runs[Base][t.Name] {
		if r.whole() {
			return "; beside base's tests the same services go on, so look at the change first"
		}
	}
	return ""
}

// contradictions returns what cannot all be true in a run whose command ended by itself.
func (v *view) contradictions(t *Task, r *run) []string {
	var out []string
	for _, p := range r.obs.Problems {
		out = append(out, "the events contradict themselves: "+p)
	}
	green := r.obs.End == EndExited && r.obs.Exit == 0
	if r.empty() {
		return bound(out) // no session to contradict: that nothing ran is a finding of its own
	}
	if green {
		for _, id := range r.order {
			if s := r.status[id]; s == TestFailed || s == TestUnfinished {
				out = append(out, fmt.Sprintf("exit status 0 and %s is %s", id, s))
			}
		}
		for _, u := range sortedUnits(r) {
			switch {
			case u.Started && !u.Ended:
				out = append(out, fmt.Sprintf("exit status 0 and the session of %s has no end", u.ID))
			case u.Unbuilt:
				out = append(out, fmt.Sprintf("exit status 0 and %s does not build", u.ID))
			case u.Expected && !u.Started:
				out = append(out, fmt.Sprintf("exit status 0 and the session of %s never reported", u.ID))
			}
		}
		if r.masked() {
			out = append(out, "exit status 0, although a canary has to make it fail")
		}
	}
	if t.Class == InProcess {
		for _, c := range r.plan.Canaries {
			switch s := r.canary[c.Test]; {
			case s == TestFailed:
			case s == TestPassed, s == TestSkipped, green, r.units[c.Unit].Ended:
				out = append(out, fmt.Sprintf("the canary of %s was not seen failing", c.Unit))
			}
		}
	}
	return bound(out)
}

func sortedUnits(r *run) []UnitResult {
	out := make([]UnitResult, 0, len(r.units))
	for _, u := range r.units {
		out = append(out, u)
	}
	slices.SortFunc(out, func(a, b UnitResult) int { return strings.Compare(a.ID, b.ID) })
	return out
}

func first(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	return argv[0]
}

// sentence joins a statement with a detail, if there is one.
func sentence(s, detail string) string {
	if detail == "" {
		return s
	}
	return s + ": " + detail
}
