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
