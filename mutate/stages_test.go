package mutate

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// slowEngine has four tests that all reach four mutants of one function: A takes 10 ms, B 1 s, C 4 s and D 15 s.
func slowEngine() (*doubleRunner, Engine, []Mutant) {
	tests := clean("A", "B", "C", "D")
	for i, wall := range []time.Duration{10 * time.Millisecond, time.Second, 4 * time.Second, 15 * time.Second} {
		tests[i].Wall = wall
	}
	d, e := newDouble(tests...)
	e.Reach = &Reach{}
	for _, t := range tests {
		e.Reach.Add(t.ID, "f.go", line(1))
	}
	switching(&e)
	return d, e, []Mutant{at("m0", 1), at("m1", 1), at("m2", 1), at("m3", 1)}
}

// Behind the switch, a mutant is asked of long tests in stages, of which the first are short; a null mutant is, too.
func TestStages(t *testing.T) {
	d, e, ms := slowEngine()
	d.answer = func(tr Trial) (TrialResult, error) {
		killer := map[string]string{"m0": "A", "m1": "C", "m2": "C"}[tr.Mutant.ID]
		if slices.Contains(tr.Tests, killer) || killer != "" && tr.Tests == nil {
			return ends(tr, EndExited, 1, map[string]Status{killer: Failed}), nil
		}
		r := allPass(tr)
		if tr.Tests == nil {
			r.Tests["D"] = Passed
		}
		return r, nil
	}
	rep := mustRun(t, e, ms...)
	var of []string
	for _, a := range d.asked(ForMutant) {
		of = append(of, strings.TrimSpace(a))
	}
	want := []string{
		"m3: A B", "m3: C", "m3: D",
		"m1: A B", "m1: C",
		"m2: A", "m2: C B", // C noticed one in the same function: it goes before B
		"m0: A",
	}
	if !slices.Equal(of, want) {
		t.Errorf("asked %q, want %q", of, want)
	}
	if nulls := d.asked(ForNull); !slices.Contains(nulls, "null: A B") || !slices.Contains(nulls, "null: C") || !slices.Contains(nulls, "null: D") {
		t.Errorf("null mutants %q", nulls)
	}
	for _, r := range rep.Results {
		if (r.Verdict == Survived) != (r.Mutant.ID == "m3") || r.Tier != T2 {
			t.Errorf("%s is %s by %s (%s)", r.Mutant.ID, r.Verdict, r.Tier, r.Reason)
		}
	}
	if rep.Matrix.Cell("D", "m3") != CellPassed || rep.Matrix.Cell("A", "m3") != CellPassed || rep.Matrix.Cell("D", "m1") == CellPassed {
		t.Error("the matrix does not say what was asked")
	}
	if disagreed(rep.Audit) > 0 {
		t.Errorf("audit %+v", rep.Audit)
	}
}

// A test that only passes after another one fails on the null mutant as soon as they are in two stages, and kills nothing.
func TestStagesOfTestsThatNeedEachOther(t *testing.T) {
	d, e, ms := slowEngine()
	d.nulls = func(tr Trial) (TrialResult, error) {
		if tr.Tier == T2 && slices.Contains(tr.Tests, "D") && !slices.Contains(tr.Tests, "A") {
			return ends(tr, EndExited, 1, map[string]Status{"D": Failed}), nil
		}
		return allPass(tr), nil
	}
	rep := mustRun(t, e, ms...)
	for _, r := range rep.Results {
		if r.Verdict == Killed || r.Tier == T2 {
			t.Errorf("%s is %s by %s", r.Mutant.ID, r.Verdict, r.Tier)
		}
	}
	if !strings.Contains(strings.Join(rep.Facts, "\n"), "D does not pass on copies that change nothing") {
		t.Errorf("facts %q", rep.Facts)
	}
}

// A stage whose tests are all skipped on the mutant says nothing, as it would not among others; only where all are, nothing is known.
func TestStagesThatAreSkipped(t *testing.T) {
	for skipped, want := range map[string]Verdict{"A B": Survived, "D": Survived, "C D": Survived, "A B C D": NotRun} {
		d, e, ms := slowEngine()
		d.answer = func(tr Trial) (TrialResult, error) {
			how := map[string]Status{}
			for _, id := range strings.Fields(skipped) {
				how[id] = Skipped
			}
			return ends(tr, EndExited, 0, how), nil
		}
		rep := mustRun(t, e, ms[0])
		if r := rep.Results[0]; r.Verdict != want || r.Trials != 3 {
			t.Errorf("%s skipped: %s (%s) after %d trials, want %s", skipped, r.Verdict, r.Reason, r.Trials, want)
		}
	}
}

// Where each trial may build, tests have to take longer than that.
func TestStagesOfT1(t *testing.T) {
	d, e, ms := slowEngine()
	e.Switch = nil
	mustRun(t, e, ms[0])
	if of := d.asked(ForMutant); !slices.Equal(of, []string{"m0: A B", "m0: C", "m0: D"}) {
		t.Errorf("asked %q", of)
	}
}

// Where all tests are long, the first stage has one all the same.
func TestStagesOfLongTests(t *testing.T) {
	d, e, ms := slowEngine()
	e.Clean = e.Clean[2:]
	e.Clean[0].Wall = 9 * time.Second
	mustRun(t, e, ms[0])
	if of := d.asked(ForMutant); !slices.Equal(of, []string{"m0: C", "m0: D"}) {
		t.Errorf("asked %q", of)
	}
}

// Short tests are asked in one process, and so is everything where the answers of all tests are wanted.
func TestOneStage(t *testing.T) {
	for name, change := range map[string]func(*Engine){
		"short":  func(e *Engine) { e.Clean = clean("A", "B", "C") },
		"built":  func(e *Engine) { e.Switch, e.Clean[3].Wall = nil, 4*time.Second },
		"matrix": func(e *Engine) { e.Whole = true },
	} {
		d, e, ms := slowEngine()
		change(&e)
		mustRun(t, e, ms...)
		for _, tr := range d.trials {
			if tr.Purpose == ForMutant && len(tr.Tests) < 3 {
				t.Errorf("%s: asked %q", name, tr.Tests)
			}
		}
	}
}
