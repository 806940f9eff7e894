package mutate

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// A whole command that also runs tests that fail anyway must not stop at them.
func TestNoisyCommandDoesNotStopEarly(t *testing.T) {
	for _, noisy := range []bool{true, false} {
		_, e := newDouble(clean("A", "B", "C")...)
		d := &nullDouble{null: func(tr Trial) (TrialResult, error) {
			r := allPass(tr)
			if noisy {
				r.Tests["unknown"], r.Exit = Failed, 1
			}
			return r, nil
		}}
		e.Runner = d
		mustRun(t, e, at("m", 1))
		for _, tr := range d.trials {
			if tr.FailFast == noisy {
				t.Errorf("noisy %v: fail-fast %v", noisy, tr.FailFast)
			}
		}
	}
}

func TestNullMutantComesFirstAndOncePerFileAndTier(t *testing.T) {
	d, e := newDouble(clean("A", "B", "C")...)
	e.Reach = &Reach{}
	e.Reach.Add("A", "f.go", line(1))
	e.Reach.Add("B", "f.go", line(2))
	e.Reach.Measured("C")
	rep := mustRun(t, e, at("one", 1), at("two", 2), at("three", 3))
	if got, want := d.asked(ForNull), []string{"null: A B", "null: "}; !slices.Equal(got, want) && !slices.Equal(got, []string{want[1], want[0]}) {
		t.Errorf("null mutants %q, want %q", got, want)
	}
	if d.trials[0].Purpose != ForNull {
		t.Error("a mutant ran before its null mutant")
	}
	if len(rep.Nulls) != 2 || !rep.Nulls[0].OK {
		t.Errorf("null mutants %+v", rep.Nulls)
	}
	over := d.trials[0].Overlay["f.go"].Data
	if !strings.HasPrefix(string(over), doubleSource) || len(over) <= len(doubleSource) {
		t.Errorf("null mutant is %q", over)
	}
}

type nullDouble struct {
	doubleRunner
	null func(Trial) (TrialResult, error)
}

func (d *nullDouble) Run(ctx context.Context, t Trial) (TrialResult, error) {
	if t.Purpose == ForNull {
		return d.null(t)
	}
	return d.doubleRunner.Run(ctx, t)
}

// A null mutant that says nothing leaves the file's mutants untried, with the reason.
func TestBrokenNullMutant(t *testing.T) {
	for _, tt := range []struct {
		name, reason string
		res          TrialResult
		err          error
	}{
		{"build", "does not build", TrialResult{BuildFailed: true, End: EndExited, Exit: 1}, nil},
		{"time", "ended by timeout", TrialResult{End: EndTimeout}, nil},
		{"nothing ran", "no test reported", TrialResult{End: EndExited}, nil},
		{"exit status", "no test failed", TrialResult{End: EndExited, Exit: 1, Tests: map[string]Status{"A": Passed}}, nil},
		{"runner", "no box", TrialResult{}, errors.New("no box")},
	} {
		d := &nullDouble{null: func(Trial) (TrialResult, error) { return tt.res, tt.err }}
		_, e := newDouble(clean("A")...)
		e.Runner = d
		rep := mustRun(t, e, at("m", 1))
		if r := rep.Results[0]; r.Verdict != NotRun || !strings.Contains(r.Reason, tt.reason) {
			t.Errorf("%s: %s (%s)", tt.name, r.Verdict, r.Reason)
		}
		if rep.Inconclusive == "" || len(rep.Nulls) != 1 || rep.Nulls[0].OK {
			t.Errorf("%s: inconclusive %q, nulls %+v", tt.name, rep.Inconclusive, rep.Nulls)
		}
	}
}

// R12
func TestCanaryMutant(t *testing.T) {
	canary := func(string, []byte) ([]byte, bool) { return []byte("broken"), true }
	for _, noticed := range []bool{true, false} {
		d, e := newDouble(clean("A")...)
		e.Canary = canary
		d.answer = func(tr Trial) (TrialResult, error) {
			r := allPass(tr)
			r.BuildFailed = noticed && tr.Purpose == ForCanary
			return r, nil
		}
		rep := mustRun(t, e, at("m", 1))
		for _, tr := range d.trials {
			if tr.CPU == 0 || tr.Wall == 0 {
				t.Errorf("%s has no budget", tr.ID)
			}
		}
		want := map[bool]Verdict{true: Survived, false: NotRun}[noticed]
		if r := rep.Results[0]; r.Verdict != want || len(rep.Canaries) != 1 || rep.Canaries[0].OK != noticed {
			t.Errorf("noticed %v: %s, canaries %+v", noticed, r.Verdict, rep.Canaries)
		}
		if (rep.Inconclusive == "") != noticed {
			t.Errorf("noticed %v: inconclusive %q", noticed, rep.Inconclusive)
		}
	}
	d, e := newDouble(clean("A")...)
	e.Canary = canary
	d.answer = func(tr Trial) (TrialResult, error) {
		return ends(tr, EndExited, 1, map[string]Status{"A": Failed}), nil
	}
	mustRun(t, e, at("m", 1))
	if n := len(d.asked(ForCanary)); n != 0 {
		t.Errorf("a file with a kill was given %d canaries", n)
	}
}

// A test that fails where a run may end at the first failure fails on the null mutant too, so that it kills nothing.
func TestNullMutantRunsAsMutantsDo(t *testing.T) {
	for _, c := range []struct {
		name  string
		edit  func(*Engine)
		trick func(Trial, TrialResult) TrialResult
		nulls int
	}{
		{"no trick", nil, nil, 1},
		{"fails where it ends early", nil, failing("C", Failed), 2},
		{"ends the process where it ends early", nil, failing("C", Unfinished), 2},
		{"the whole command", func(e *Engine) { e.Reach = nil }, failing("C", Failed), 2},
		{"the whole matrix", func(e *Engine) { e.Whole, e.ConfirmAll, e.Judge = true, true, []string{"C"} }, failing("C", Failed), 1},
	} {
		_, e := newDouble(clean("C", "A")...)
		d := &nullDouble{}
		d.answer = func(tr Trial) (TrialResult, error) {
			if c.trick == nil || !tr.FailFast || tr.Tests != nil && !slices.Contains(tr.Tests, "C") {
				return allPass(tr), nil
			}
			return c.trick(tr, allPass(tr)), nil
		}
		d.null = func(tr Trial) (TrialResult, error) {
			d.trials = append(d.trials, tr)
			return d.answer(tr)
		}
		e.Runner, e.Reach = d, &Reach{}
		e.Reach.Add("C", "f.go", line(1))
		e.Reach.Add("A", "f.go", line(1))
		if c.edit != nil {
			c.edit(&e)
		}
		rep := mustRun(t, e, at("m", 1))
		if r := rep.Results[0]; r.Verdict != Survived || len(d.asked(ForNull)) != c.nulls {
			t.Errorf("%s: %s (%s), null runs %q", c.name, r.Verdict, r.Reason, d.asked(ForNull))
		}
		if null, mutants := strings.Join(d.trials[0].Tests, " "), d.asked(ForMutant); c.trick == nil && "m: "+null != mutants[0] {
			t.Errorf("%s: the null mutant asks %q, mutants %q", c.name, null, mutants)
		}
		for _, tr := range d.trials {
			if e.Whole && tr.FailFast {
				t.Errorf("%s: %s may end early", c.name, tr.ID)
			}
		}
	}
}

// failing makes a run end early at a test that does not pass.
func failing(test string, how Status) func(Trial, TrialResult) TrialResult {
	return func(tr Trial, r TrialResult) TrialResult {
		r.Exit, r.Tests = 1, map[string]Status{test: how}
		return r
	}
}

// All tests that fail on a null mutant are found, also those behind the first.
func TestNullMutantOnWhichSeveralFail(t *testing.T) {
	_, e := newDouble(clean("A", "B", "C")...)
	d := &nullDouble{null: func(tr Trial) (TrialResult, error) {
		r := ends(tr, EndExited, 1, map[string]Status{"A": Failed, "B": Failed})
		if tr.FailFast {
			r.Tests = map[string]Status{"A": Failed}
		}
		return r, nil
	}}
	e.Runner = d
	rep := mustRun(t, e, at("m", 1))
	if got := rep.Nulls; len(got) != 1 || !slices.Equal(got[0].Failed, []string{"A", "B"}) {
		t.Errorf("null mutants: %+v", got)
	}
}
