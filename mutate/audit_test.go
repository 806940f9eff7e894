package mutate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// switching gives every mutant a value, its own id.
func switching(e *Engine, left ...string) {
	e.SwitchAll = true
	e.Switch = func(_ context.Context, ms []*Mutant) (*Switched, error) {
		sw := &Switched{Value: map[string]string{}, Null: map[string]string{"f.go": "null"}}
		for _, m := range ms {
			if !strings.Contains(strings.Join(left, " "), m.ID) {
				sw.Value[m.ID] = m.ID
			}
		}
		return sw, nil
	}
}

func switchedEngine() (*doubleRunner, Engine, []Mutant) {
	d, e := newDouble(clean("A")...)
	e.Reach = &Reach{}
	e.Reach.Add("A", "f.go", line(1))
	switching(&e)
	var ms []Mutant
	for i := range 4 {
		ms = append(ms, at(fmt.Sprintf("m%d", i), 1))
	}
	return d, e, ms
}

// A verdict behind the switch that a build of its own does not confirm costs the whole file the switch.
func TestAuditDisagrees(t *testing.T) {
	d, e, ms := switchedEngine()
	d.answer = func(tr Trial) (TrialResult, error) {
		if tr.Switch == "m2" { // a false kill
			return ends(tr, EndExited, 1, map[string]Status{"A": Failed}), nil
		}
		return allPass(tr), nil
	}
	rep := mustRun(t, e, ms...)
	if a := rep.Audit; len(a) != 4 || disagreed(a) != 1 || !slices.Contains(a, Audited{"m2", "f.go", Killed, Survived, false}) {
		t.Errorf("audit %+v", a)
	}
	for _, r := range rep.Results {
		if r.Verdict != Survived || r.Tier != T1 {
			t.Errorf("%s is %s by %s, want survived by T1", r.Mutant.ID, r.Verdict, r.Tier)
		}
	}
	if rep.Matrix.Cell("A", "m2") != CellPassed {
		t.Errorf("the matrix still says %s", rep.Matrix.Cell("A", "m2"))
	}
	if !strings.Contains(strings.Join(rep.Facts, "\n"), "m2 of f.go was killed at T2 and survived at T0") {
		t.Errorf("facts %q", rep.Facts)
	}
}

func disagreed(as []Audited) (n int) {
	for _, a := range as {
		if !a.Agrees {
			n++
		}
	}
	return n
}

func TestAuditAgrees(t *testing.T) {
	d, e, ms := switchedEngine()
	d.answer = func(tr Trial) (TrialResult, error) {
		if tr.Mutant != nil && tr.Mutant.ID == "m2" {
			return ends(tr, EndExited, 1, map[string]Status{"A": Failed}), nil
		}
		return allPass(tr), nil
	}
	rep := mustRun(t, e, ms...)
	if a := rep.Audit; len(a) != 4 || disagreed(a) != 0 {
		t.Errorf("audit %+v", a)
	}
	for _, r := range rep.Results {
		if r.Tier != T2 || (r.Verdict == Killed) != (r.Mutant.ID == "m2") {
			t.Errorf("%s is %s by %s", r.Mutant.ID, r.Verdict, r.Tier)
		}
	}
}

// Code that knows that it is behind a switch fails the null mutant there, and gains nothing: its mutants have builds of their own.
func TestNullMutantFailsBehindTheSwitch(t *testing.T) {
	_, e, ms := switchedEngine()
	e.Runner = runnerFunc(func(tr Trial) (TrialResult, error) {
		if tr.Switch != "" {
			return ends(tr, EndExited, 1, map[string]Status{"A": Failed}), nil
		}
		return allPass(tr), nil
	})
	rep := mustRun(t, e, ms...)
	if rep.Audit != nil {
		t.Errorf("something was judged behind the switch: %+v", rep.Audit)
	}
	for _, r := range rep.Results {
		if r.Verdict != Survived || r.Tier != T1 {
			t.Errorf("%s is %s by %s, want survived by T1", r.Mutant.ID, r.Verdict, r.Tier)
		}
	}
}

type runnerFunc func(Trial) (TrialResult, error)

func (f runnerFunc) Run(_ context.Context, t Trial) (TrialResult, error) { return f(t) }

func TestMutantsThatCannotBeSwitched(t *testing.T) {
	_, e, ms := switchedEngine()
	switching(&e, "m1")
	for _, r := range mustRun(t, e, ms...).Results {
		if want := map[bool]Tier{true: T1, false: T2}[r.Mutant.ID == "m1"]; r.Tier != want {
			t.Errorf("%s by %s, want %s", r.Mutant.ID, r.Tier, want)
		}
	}
}

// Below twice the audit, everything that a switch saves would be tried again.
func TestFewMutantsAreNotSwitched(t *testing.T) {
	_, e, ms := switchedEngine()
	e.SwitchAll = false
	if rep := mustRun(t, e, ms...); rep.Results[0].Tier != T1 || rep.Audit != nil {
		t.Errorf("%s, %+v", rep.Results[0].Tier, rep.Audit)
	}
}

func TestSwitchThatDoesNotBuild(t *testing.T) {
	_, e, ms := switchedEngine()
	e.Switch = func(context.Context, []*Mutant) (*Switched, error) { return nil, fmt.Errorf("no room") }
	rep := mustRun(t, e, ms...)
	if rep.Results[0].Tier != T1 || len(rep.Facts) != 1 || !strings.Contains(rep.Facts[0], "no room") {
		t.Errorf("%s, %q", rep.Results[0].Tier, rep.Facts)
	}
}

// A canary of a file that was switched builds, and gets the time that building takes: a null mutant of its tier comes first.
func TestCanaryOfASwitchedFileHasTimeToBuild(t *testing.T) {
	_, e, ms := switchedEngine()
	var order []string
	e.Canary = func(string, []byte) ([]byte, bool) { return []byte("broken"), true }
	e.Runner = runnerFunc(func(tr Trial) (TrialResult, error) {
		order = append(order, string(tr.Purpose)+" "+string(tr.Tier))
		r := allPass(tr)
		if tr.Switch == "" {
			r.CPU = time.Minute // to build
		}
		if tr.Purpose == ForCanary && tr.CPU < time.Minute {
			r.End = EndCPU
		}
		return r, nil
	})
	rep := mustRun(t, e, ms[0])
	at := slices.Index(order, "canary T1")
	if null := slices.Index(order, "null T1"); at < 0 || null < 0 || null > at {
		t.Errorf("trials %q, want a null mutant of T1 before the canary", order)
	}
	if len(rep.Canaries) != 1 || rep.Canaries[0].OK || rep.Results[0].Verdict != NotRun {
		t.Errorf("canary %+v, mutant %s: a canary that nobody noticed", rep.Canaries, rep.Results[0].Verdict)
	}
}

// Copies that change nothing and do not pass keep their file off the switch, and are no evidence: what its mutants get rests on another
// control.
func TestNullMutantOfTheSwitchFails(t *testing.T) {
	_, e, ms := switchedEngine()
	inner := e.Runner
	e.Runner = runnerFunc(func(tr Trial) (TrialResult, error) {
		if tr.Purpose == ForNull && tr.Tier == T2 {
			return ends(tr, EndExited, 1, map[string]Status{"A": Failed}), nil
		}
		return inner.Run(context.Background(), tr)
	})
	rep := mustRun(t, e, ms...)
	for _, r := range rep.Results {
		if r.Tier != T1 {
			t.Errorf("%s is judged by %s", r.Mutant.ID, r.Tier)
		}
	}
	if len(rep.Nulls) != 1 || rep.Nulls[0].Tier != T1 || !rep.Nulls[0].OK {
		t.Errorf("null mutants %+v", rep.Nulls)
	}
	if !strings.Contains(strings.Join(rep.Facts, "\n"), "f.go: its mutants had runs of their own: A does not pass on copies that change nothing") {
		t.Errorf("facts %q", rep.Facts)
	}
}
