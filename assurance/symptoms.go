package assurance

import (
	"fmt"
	"slices"
	"strings"
)

// symptom is something wrong in one run that may be absent in another: if it always shows it is a failure,
// if it comes and goes it is instability.
type symptom struct {
	key    string
	reason string
}

// findSymptoms compares the runs of a task: a symptom that every run shows which could show it is a failure,
// one that comes and goes is instability.
func (v *view) findSymptoms(t *Task, runs []*run) []finding {
	type seen struct {
		reason      string
		ill, health int
	}
	all, order := map[string]*seen{}, []string{}
	ill := make([]map[string]bool, len(runs))
	for i, r := range runs {
		ill[i] = map[string]bool{}
		for _, s := range v.symptoms(t, r) {
			ill[i][s.key] = true
			if all[s.key] == nil {
				all[s.key] = &seen{reason: s.reason}
				order = append(order, s.key)
			}
			all[s.key].ill++
		}
	}
	var out []finding
	for _, k := range order {
		s := all[k]
		for i, r := range runs {
			if !ill[i][k] && r.healthy(k) {
				s.health++
			}
		}
		if s.health > 0 {
			out = append(out, finding{outcome: Unstable, reason: fmt.Sprintf("%s in %d of %d runs", s.reason, s.ill, s.ill+s.health)})
		} else {
			out = append(out, finding{outcome: TestsFailed, reason: s.reason})
		}
	}
	return out
}

// Keys of symptoms that not every run can show to be absent.
const (
	testSymptom   = "test "
	silentSymptom = "silent "
	exitSymptom   = "exit"
)

// healthy reports whether a run without a symptom shows that it is absent, and not only that nobody looked.
func (r *run) healthy(symptom string) bool {
	if id, ok := strings.CutPrefix(symptom, testSymptom); ok {
		return r.of(id) == string(TestPassed)
	}
	if unit, ok := strings.CutPrefix(symptom, silentSymptom); ok {
		return r.units[unit].Started
	}
	return !r.cut() && !(symptom == exitSymptom && r.masked())
}

// masked reports whether canaries make the run's exit status say nothing about its tests.
func (r *run) masked() bool { return r.plan.CanariesFailRun && len(r.plan.Canaries) > 0 }

// symptoms returns what is wrong in one run and is the doing of code or tests.
func (v *view) symptoms(t *Task, r *run) []symptom {
	if r.obs == nil || r.exhausted() {
		return nil
	}
	var out []symptom
	whole := !r.cut()
	if whole {
		for _, u := range sortedUnits(r) {
			if u.Unbuilt && !slices.Contains(t.BrokenOnBase, u.ID) {
				out = append(out, symptom{"unbuilt " + u.ID, fmt.Sprintf("%s does not build", u.ID)})
			}
		}
		if r.obs.End == EndSignaled {
			out = append(out, symptom{"signal", fmt.Sprintf("the command of task %s died of signal %s", t.Name, r.obs.Signal)})
		}
		out = append(out, silences(t, r)...)
	}
	bad := 0
	for _, p := range v.required(t.Name) {
		s := r.of(p.ID)
		switch {
		case s == string(TestPassed), s == missing && v.mayBeAbsent(p):
			continue
		case s != string(TestFailed) && !whole:
			continue // it may yet have passed, had the run gone on
		}
		bad++
		out = append(out, symptom{testSymptom + p.ID, describe(p, s)})
	}
	if whole && bad == 0 && len(r.status) > 0 && r.obs.End == EndExited && r.obs.Exit != 0 && !v.exitExplained(t, r) {
		out = append(out, symptom{exitSymptom, fmt.Sprintf("task %s ends with exit status %d, although every required test passes%s",
			t.Name, r.obs.Exit, v.otherFailures(r))})
	}
	return out
}

// silences returns the sessions that did not come to their end, or never began although a canary waited in
// them. Where the exit status says that all is well, that is a contradiction, found elsewhere.
func silences(t *Task, r *run) []symptom {
	var out []symptom
	for _, u := range sortedUnits(r) {
		if u.Started && !u.Ended {
			out = append(out, symptom{"open " + u.ID, fmt.Sprintf("the session of %s broke off", u.ID)})
		}
	}
	if t.Class != InProcess {
		return out
	}
	for _, c := range r.plan.Canaries {
		if u := r.units[c.Unit]; r.canary[c.Test] != TestFailed && !u.Started {
			out = append(out, symptom{silentSymptom + c.Unit, fmt.Sprintf("no session of %s reported", c.Unit)})
		}
	}
	return out
}

func describe(p *PlannedTest, status string) string {
	switch status {
	case string(TestSkipped):
		return p.ID + " was skipped, which is not passed"
	case string(TestUnfinished):
		return p.ID + " did not finish"
	case missing:
		if p.BasePasses {
			return "lost: " + p.ID + " passes on base and does not run on head"
		}
		return p.ID + " is required and did not run"
	}
	return p.ID + " failed"
}

// exitExplained reports whether an exit status other than zero has a cause that is not the change's: canaries,
// or what fails on base just as well.
func (v *view) exitExplained(t *Task, r *run) bool {
	if r.masked() {
		return true
	}
	for _, id := range r.order {
		p := v.tests[testKey{t.Name, id}]
		if s := r.status[id]; (s == TestFailed || s == TestUnfinished) && p != nil && p.BaseFails {
			return true
		}
	}
	for _, u := range r.units {
		if u.Unbuilt && slices.Contains(t.BrokenOnBase, u.ID) {
			return true
		}
	}
	return false
}

// otherFailures names failed tests that nobody requires.
func (v *view) otherFailures(r *run) string {
	var names []string
	for _, id := range r.order {
		if r.status[id] == TestFailed {
			names = append(names, id)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; failed: " + strings.Join(bound(names), ", ")
}
