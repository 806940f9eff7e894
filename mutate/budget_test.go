package mutate

import (
	"context"
	"strings"
	"testing"
	"time"
)

// M3: budgets come from CPU time of exactly the selected tests; a suite of 5 ms gets seconds, and what building costs
// is not taken from it.
func TestBudgets(t *testing.T) {
	d, e := newDouble(CleanTest{ID: "A", Status: Passed, CPU: 5 * time.Millisecond, Wall: 5 * time.Millisecond}, CleanTest{ID: "B", Status: Passed, CPU: 7 * time.Second, Wall: 9 * time.Second})
	e.Reach = &Reach{}
	e.Reach.Add("A", "f.go", line(1))
	e.Reach.Add("B", "f.go", line(2))
	d.answer = func(tr Trial) (TrialResult, error) { return allPass(tr), nil }
	mustRun(t, e, at("quick", 1), at("slow", 2))
	for _, tr := range d.trials {
		switch {
		case tr.Purpose == ForNull:
		case tr.Mutant.ID == "quick" && (tr.CPU < 5*time.Second || tr.CPU > 15*time.Second || tr.Wall < 20*time.Second):
			t.Errorf("quick: CPU %v, wall %v", tr.CPU, tr.Wall)
		case tr.Mutant.ID == "slow" && (tr.CPU < 70*time.Second || tr.Wall < 90*time.Second):
			t.Errorf("slow: CPU %v, wall %v", tr.CPU, tr.Wall)
		}
	}
	l := Limits{}.withDefaults()
	cpu, wall := l.budget(newSuite(clean("A", "B")), []string{"B"}, &nullState{buildCPU: 2 * time.Second, buildWall: 3 * time.Second})
	if cpu != 5*time.Second+6*time.Second+time.Second || wall != 20*time.Second+15*time.Second+2*time.Second {
		t.Errorf("budget %v, %v: not the documented formula", cpu, wall)
	}
}

// Where nothing is built, a loop that does not end is ended early: the floor of the CPU time is a fifth.
func TestBudgetsByTier(t *testing.T) {
	r := &run{limits: Limits{}.withDefaults(), suite: newSuite([]CleanTest{{ID: "A", Status: Passed}})}
	for tier, want := range map[Tier][2]time.Duration{
		T0: {5 * time.Second, 20 * time.Second}, T1: {5 * time.Second, 20 * time.Second},
		T2: {time.Second, 20 * time.Second}, T3: {time.Second, 10 * time.Second},
	} {
		tr := Trial{Tier: tier, Tests: []string{"A"}}
		if r.budget(&tr, &nullState{}); tr.CPU != want[0] || tr.Wall != want[1] {
			t.Errorf("%s: CPU %v, wall %v, want %v", tier, tr.CPU, tr.Wall, want)
		}
	}
}

// M3: a run that was starved by a busy machine, at its start or later, gets more time before anybody calls it hung.
func TestStarvedIsNotHung(t *testing.T) {
	for _, tt := range []struct {
		name   string
		cpu    time.Duration
		want   Verdict
		trials int
	}{
		{"starved", 10 * time.Millisecond, Survived, 2},
		{"waits for ever", 2 * time.Second, Hung, 1},
		{"slow and at work", 6 * time.Second, Survived, 2},
	} {
		d, e := newDouble(clean("A", "B", "C")...)
		d.answer = func(tr Trial) (TrialResult, error) {
			if strings.HasSuffix(tr.ID, "/longer") {
				return allPass(tr), nil
			}
			return TrialResult{End: EndTimeout, CPU: tt.cpu, Wall: tr.Wall}, nil
		}
		if r := mustRun(t, e, at("m", 1)).Results[0]; r.Verdict != tt.want || r.Trials != tt.trials {
			t.Errorf("%s: %s after %d trials, want %s after %d", tt.name, r.Verdict, r.Trials, tt.want, tt.trials)
		}
	}
}

func TestBudgetOfTheWholeRun(t *testing.T) {
	d, e := newDouble(clean("A", "B", "C")...)
	e.Budget.CPU = 3 * time.Second // the null mutant and two more at a second each
	rep := mustRun(t, e, at("one", 1), at("two", 2), at("three", 3), at("four", 4))
	if s := rep.Score; s.Counts[Survived] != 2 || s.Counts[NotRun] != 2 || s.Lower != 0 || s.Upper != 0.5 {
		t.Errorf("score %+v", s)
	}
	for _, r := range rep.Results {
		if r.Verdict == NotRun && r.Reason != "budget" {
			t.Errorf("not run for %q", r.Reason)
		}
	}
	_ = d
}

// A test of a forked session may use the floor, and ten times what one used at most on the null mutant.
func TestBudgetOfOneTest(t *testing.T) {
	d, e, ms := switchedEngine()
	forkedSession(&e)
	d.answer = func(tr Trial) (TrialResult, error) {
		if tr.Purpose == ForCanary {
			return ends(tr, EndExited, 1, nil), nil
		}
		return allPass(tr), nil
	}
	inner := e.Runner
	e.Runner = runnerFunc(func(tr Trial) (TrialResult, error) {
		r, err := inner.Run(context.Background(), tr)
		if tr.Purpose == ForNull {
			r.Most = 50 * time.Millisecond
		}
		return r, err
	})
	mustRun(t, e, ms...)
	n := 0
	for _, tr := range d.trials {
		want := time.Duration(0)
		if tr.Purpose == ForMutant && tr.Tier == T3 {
			want = 1500 * time.Millisecond
			n++
		}
		if tr.Purpose != ForCanary && tr.Each != want {
			t.Errorf("%s may use %v for a test, want %v", tr.ID, tr.Each, want)
		}
	}
	if n != len(ms) {
		t.Errorf("%d mutants were forked", n)
	}
}
