package mutate

import (
	"slices"
	"testing"
	"time"
)

func TestVacuousOnlyAfterRunningAlone(t *testing.T) {
	setup := func() (*doubleRunner, Engine) {
		d, e := newDouble(clean("A", "B", "C")...)
		e.Reach = &Reach{}
		e.Reach.Add("A", "f.go", line(1), line(2))
		e.Reach.Add("B", "f.go", line(1), line(2), line(3))
		e.Reach.Add("C", "f.go", line(1))
		e.Judge = []string{"B"}
		d.answer = func(tr Trial) (TrialResult, error) {
			if slices.Contains(tr.Tests, "A") {
				return ends(tr, EndExited, 1, map[string]Status{"A": Failed}), nil
			}
			return allPass(tr), nil
		}
		return d, e
	}
	ms := []Mutant{at("one", 1), at("two", 2), at("three", 3)}
	t.Run("kills none", func(t *testing.T) {
		d, e := setup()
		j := mustRun(t, e, ms...).Tests[0]
		if j.State != Vacuous || j.Alone != 3 || len(d.asked(ForAlone)) != 3 || len(j.Reaches) != 3 || len(j.Passed) != 3 {
			t.Errorf("%+v after %q", j, d.asked(ForAlone))
		}
	})
	t.Run("kills one alone that another test is always quicker to kill", func(t *testing.T) {
		d, e := setup()
		d.answer = func(tr Trial) (TrialResult, error) {
			how := map[string]Status{"A": Failed}
			if !slices.Contains(tr.Tests, "A") && tr.Mutant.ID == "two" {
				how["B"] = Failed
			}
			exit := 0
			for id := range how {
				if slices.Contains(tr.Tests, id) {
					exit = 1
				}
			}
			return ends(tr, EndExited, exit, how), nil
		}
		if j := mustRun(t, e, ms...).Tests[0]; j.State != Bites {
			t.Errorf("%+v, want bites", j)
		}
	})
	t.Run("budget", func(t *testing.T) {
		_, e := setup()
		e.Budget.CPU = 5 * time.Second // null, three mutants, one alone
		if j := mustRun(t, e, ms...).Tests[0]; j.State != NotAsked || j.Alone != 1 {
			t.Errorf("%+v, want not-asked after one", j)
		}
	})
	t.Run("hangs alone", func(t *testing.T) {
		d, e := setup()
		inner := d.answer
		d.answer = func(tr Trial) (TrialResult, error) {
			if tr.Purpose == ForAlone && tr.Mutant.ID == "three" {
				return TrialResult{End: EndCPU}, nil
			}
			return inner(tr)
		}
		if j := mustRun(t, e, ms...).Tests[0]; j.State != NotAsked {
			t.Errorf("%+v, want not-asked", j)
		}
	})
	t.Run("cannot select", func(t *testing.T) {
		_, e := setup()
		e.Select = false
		if j := mustRun(t, e, ms...).Tests[0]; j.State != NotAsked {
			t.Errorf("%+v, want not-asked", j)
		}
	})
	t.Run("reaches nothing", func(t *testing.T) {
		_, e := setup()
		e.Judge = []string{"C", "nobody"}
		rep := mustRun(t, e, at("two", 2))
		if a, b := rep.Tests[0], rep.Tests[1]; a.State != NotAsked || b.State != NotAsked {
			t.Errorf("%+v %+v, want not-asked", a, b)
		}
	})
}

func TestCriterionBites(t *testing.T) {
	setup := func(tests ...string) (*doubleRunner, Engine) {
		d, e := newDouble(clean("A", "B", "C")...)
		e.Criteria = []Criterion{{ID: "AC", Files: []string{"f.go"}, Tests: tests}}
		d.answer = func(tr Trial) (TrialResult, error) {
			if slices.Equal(tr.Tests, []string{"C"}) {
				return allPass(tr), nil
			}
			how := map[string]Status{"A": Failed}
			if slices.Equal(tr.Tests, []string{"B"}) && tr.Mutant.ID == "two" {
				how["B"] = Failed
			} else if slices.Equal(tr.Tests, []string{"B"}) {
				return allPass(tr), nil
			}
			return ends(tr, EndExited, 1, how), nil
		}
		return d, e
	}
	ms := []Mutant{at("one", 1), at("two", 2)}
	for _, tt := range []struct {
		name   string
		tests  []string
		killed bool
		trials int
	}{
		{"its test was the killer", []string{"A"}, true, 0},
		{"its test kills too, once asked", []string{"B"}, true, 2},
		{"its test does not", []string{"C"}, false, 2},
		{"no test", nil, false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, e := setup(tt.tests...)
			b := mustRun(t, e, ms...).Criteria[0]
			if b.Killed != tt.killed || len(d.asked(ForCriterion)) > tt.trials {
				t.Errorf("%+v after %q", b, d.asked(ForCriterion))
			}
			if !b.Killed && b.Reason == "" {
				t.Error("no reason given")
			}
		})
	}
}
