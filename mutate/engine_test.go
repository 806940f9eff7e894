package mutate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// A panic in a goroutine of the engine goes on in the caller of Run, who can catch it.
func TestPanicReachesTheCaller(t *testing.T) {
	d, e := newDouble(clean("A")...)
	d.answer = func(Trial) (TrialResult, error) { panic("planted") }
	defer func() {
		if v := fmt.Sprint(recover()); !strings.Contains(v, "planted") || !strings.Contains(v, "engine.go") {
			t.Errorf("recovered %q, want the value and the stack", v)
		}
	}()
	_, err := e.Run(t.Context(), Plan{Mutants: []Mutant{at("m", 1)}})
	t.Errorf("no panic, %v", err)
}

// Code that is put back may be asked for by what every test loads. That is as if it did not build, and no verdict on the tests;
// a fault beside which nothing loads is a crash.
func TestNothingLoadsWithoutTheChange(t *testing.T) {
	for origin, want := range map[Origin]Verdict{Revert: Unviable, Own: Crashed} {
		d, e := newDouble(clean("A")...)
		d.answer = func(tr Trial) (TrialResult, error) { return TrialResult{End: EndExited, Exit: 4}, nil }
		m := at("m", 1)
		m.Origin = origin
		if res := mustRun(t, e, m).Results[0]; res.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", origin, res.Verdict, res.Reason, want)
		}
	}
}

// The verdict of each kind of end, with one mutant that three tests reach.
func TestVerdictOfEachEnd(t *testing.T) {
	for _, tt := range []struct {
		name    string
		end     End
		exit    int
		how     map[string]Status
		build   bool
		excused bool
		silent  bool              // no test reports
		alone   map[string]Status // how tests end when they are asked alone to confirm
		want    Verdict
		killers []string
	}{
		{name: "all pass", end: EndExited, want: Survived},
		{name: "words of a failed build where there was none", end: EndExited, exit: 1, excused: true, silent: true, want: Survived},
		{name: "the same, and a test of another part fails", end: EndExited, exit: 1, excused: true, how: map[string]Status{"A": Failed}, want: Killed, killers: []string{"A"}},
		{name: "one fails", end: EndExited, exit: 1, how: map[string]Status{"A": Failed}, want: Killed, killers: []string{"A"}},
		{name: "no build", end: EndExited, exit: 2, build: true, want: Unviable},
		{name: "no build of one part, and a test of another fails", end: EndExited, exit: 1, build: true, how: map[string]Status{"A": Failed}, want: Unviable},
		{name: "a test of no clean run fails", end: EndExited, exit: 1, how: map[string]Status{"X": Failed}, want: Survived},
		{name: "exit status without a failure", end: EndExited, exit: 3, want: Crashed},
		{name: "nothing reports", end: EndExited, silent: true, want: NotRun},
		{name: "nothing reports, and the exit status is bad", end: EndExited, exit: 2, silent: true, want: Crashed},
		{name: "an asked test does not report", end: EndExited, how: map[string]Status{"A": "gone"}, want: Crashed},
		{name: "all are skipped", end: EndExited, how: map[string]Status{"A": Skipped, "B": Skipped, "C": Skipped}, want: NotRun},
		{name: "a failure with exit status 0", end: EndExited, how: map[string]Status{"A": Failed}, want: Crashed},
		{name: "the process dies while one test runs", end: EndExited, exit: 2, how: map[string]Status{"B": Unfinished}, want: Killed, killers: []string{"B"}},
		{name: "the process dies while several run, one of which shows it alone", end: EndExited, exit: 2,
			how: map[string]Status{"A": Unfinished, "B": Unfinished}, alone: map[string]Status{"B": Failed}, want: Killed, killers: []string{"B"}},
		{name: "the process dies while several run, and none shows it alone", end: EndExited, exit: 2,
			how: map[string]Status{"A": Unfinished, "B": Unfinished}, want: Crashed},
		{name: "exit status 0 in the middle of a test", end: EndExited, how: map[string]Status{"B": Unfinished}, want: Crashed},
		{name: "CPU budget", end: EndCPU, how: map[string]Status{"B": Unfinished}, want: Hung},
		{name: "wall budget", end: EndTimeout, how: map[string]Status{"B": Unfinished}, want: Hung},
		{name: "wall budget after a failure that repeats alone", end: EndTimeout, how: map[string]Status{"A": Failed}, alone: map[string]Status{"A": Failed}, want: Killed, killers: []string{"A"}},
		{name: "wall budget after a failure that does not repeat", end: EndTimeout, how: map[string]Status{"A": Failed}, want: Hung},
		{name: "never exits", end: EndNoExit, want: Hung},
		{name: "never exits after a failure", end: EndNoExit, how: map[string]Status{"C": Failed}, want: Killed, killers: []string{"C"}},
		{name: "memory", end: EndMemory, how: map[string]Status{"B": Unfinished}, want: Exhausted},
		{name: "processes", end: EndProcesses, want: Exhausted},
		{name: "disk, with a test that fails for it", end: EndDisk, how: map[string]Status{"B": Failed}, want: Exhausted},
		{name: "signal", end: EndSignaled, how: map[string]Status{"B": Unfinished}, want: Crashed},
		{name: "the place gives out", end: EndLost, how: map[string]Status{"B": Failed}, want: NotRun},
		{name: "an end that nobody knows", end: "??", want: NotRun},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, e := newDouble(clean("A", "B", "C")...)
			d.answer = func(tr Trial) (TrialResult, error) {
				if tr.Purpose == ForConfirm {
					exit := 0
					for id := range tt.alone {
						if slices.Contains(tr.Tests, id) {
							exit = 1
						}
					}
					return ends(tr, EndExited, exit, tt.alone), nil
				}
				r := ends(tr, tt.end, tt.exit, tt.how)
				r.BuildFailed, r.Excused = tt.build, tt.excused
				if tt.silent {
					r.Tests = nil
				}
				maps.DeleteFunc(r.Tests, func(_ string, st Status) bool { return st == "gone" })
				return r, nil
			}
			e.Reach = &Reach{} // all three reach it, so that they are asked by name
			for _, id := range []string{"A", "B", "C"} {
				e.Reach.Add(id, "f.go", line(1))
			}
			res := mustRun(t, e, at("m", 1)).Results[0]
			if res.Verdict != tt.want || !slices.Equal(res.Killers, tt.killers) {
				t.Errorf("%s by %v (%s), want %s by %v", res.Verdict, res.Killers, res.Reason, tt.want, tt.killers)
			}
		})
	}
}

// A command that is always run whole names no tests: one that says no while a test is missing has noticed something, and killed nothing.
func TestWholeCommandWithATestMissing(t *testing.T) {
	for exit, want := range map[int]Verdict{0: Survived, 1: Crashed} {
		d, e := newDouble(clean("A", "B", "C")...)
		e.Select = false
		d.answer = func(tr Trial) (TrialResult, error) {
			r := ends(tr, EndExited, exit, map[string]Status{"X": Skipped})
			if exit != 0 {
				r.Tests["X"] = Failed
			}
			delete(r.Tests, "A")
			return r, nil
		}
		if res := mustRun(t, e, at("m", 1)).Results[0]; res.Verdict != want {
			t.Errorf("exit status %d: %s (%s), want %s", exit, res.Verdict, res.Reason, want)
		}
	}
}

// A name that begins with the whole name of another is a part of it only where nobody knows better.
func TestTopOfATest(t *testing.T) {
	s := newSuite([]CleanTest{
		{ID: "a.js > adds", Top: "a.js > adds", Status: Passed}, {ID: "a.js > adds up", Top: "a.js > adds up", Status: Passed},
		{ID: "a.js > cart", Top: "a.js > cart", Status: Passed}, {ID: "a.js > cart > empty", Top: "a.js > cart", Status: Passed},
		{ID: "p.TestA", Status: Passed}, {ID: "p.TestA/sub", Status: Passed},
	})
	for id, want := range map[string]string{"a.js > adds up": "a.js > adds up", "a.js > cart > empty": "a.js > cart", "p.TestA/sub": "p.TestA", "p.TestA/new": "p.TestA"} {
		if got := s.top(id); got != want {
			t.Errorf("%s is a part of %s, want %s", id, got, want)
		}
	}
	if want := []string{"a.js > adds", "a.js > adds up", "a.js > cart", "p.TestA"}; !slices.Equal(s.tops, want) {
		t.Errorf("asked: %q, want %q", s.tops, want)
	}
}

func TestOnlyReachingTestsAreAsked(t *testing.T) {
	d, e := newDouble(clean("A", "B", "C")...)
	e.Reach = &Reach{}
	e.Reach.Add("A", "f.go", line(1))
	e.Reach.Add("B", "f.go", line(1), line(2))
	e.Reach.Known("f.go", line(3))
	rep := mustRun(t, e, at("one", 1), at("two", 2), at("three", 3), at("four", 4))
	// C was never measured: it may reach anything. Line 4 was never measured: it may be reached by anyone.
	got := d.asked(ForMutant)
	slices.Sort(got)
	if want := []string{"four: ", "one: A B C", "three: C", "two: B C"}; !slices.Equal(got, want) {
		t.Errorf("asked %q, want %q", got, want)
	}
	for _, r := range rep.Results {
		if want := map[string]Tier{"one": T1, "two": T1, "three": T1, "four": T0}[r.Mutant.ID]; r.Tier != want {
			t.Errorf("%s: tier %s, want %s", r.Mutant.ID, r.Tier, want)
		}
	}
}

func TestUncoveredIsNotRun(t *testing.T) {
	d, e := newDouble(clean("A")...)
	e.Reach = &Reach{}
	e.Reach.Add("A", "f.go", line(1))
	e.Reach.Known("f.go", line(2))
	for _, e.Select = range []bool{true, false} {
		rep := mustRun(t, e, at("m", 2))
		if r := rep.Results[0]; r.Verdict != Uncovered || len(d.trials) != 0 {
			t.Errorf("%s after %d trials", r.Verdict, len(d.trials))
		}
		if rep.Inconclusive == "" {
			t.Error("every mutant is uncovered, and the report is conclusive")
		}
	}
}

func TestLikeliestKillerFirst(t *testing.T) {
	d, e := newDouble(clean("A", "B", "C")...)
	e.Reach = &Reach{}
	for _, id := range []string{"A", "B", "C"} {
		e.Reach.Add(id, "f.go", line(1), line(2))
	}
	d.answer = func(tr Trial) (TrialResult, error) {
		return ends(tr, EndExited, 1, map[string]Status{"C": Failed}), nil
	}
	mustRun(t, e, at("one", 1), at("two", 2))
	got := d.asked(ForMutant)
	if !strings.HasSuffix(got[0], ": A B C") || !strings.HasSuffix(got[1], ": C A B") {
		t.Errorf("asked %q, want the quickest first, then the last killer", got)
	}
	for _, tr := range d.trials {
		if tr.Purpose == ForMutant && !tr.FailFast {
			t.Error("a selected run does not stop at the first failure")
		}
	}
}

func TestTestsThatCannotKill(t *testing.T) {
	tests := clean("A", "A/sub", "Q", "Q/sub")
	tests = append(tests, CleanTest{ID: "F", Status: Failed}, CleanTest{ID: "S", Status: Skipped})
	tests[2].Quarantined = true
	for _, id := range []string{"Q", "Q/sub", "F", "S", "new"} {
		d, e := newDouble(tests...)
		d.answer = func(tr Trial) (TrialResult, error) {
			r := ends(tr, EndExited, 1, nil)
			r.Tests[id] = Failed
			return r, nil
		}
		if r := mustRun(t, e, at("m", 1)).Results[0]; r.Verdict != Survived {
			t.Errorf("%s fails: %s by %v, want survived", id, r.Verdict, r.Killers)
		}
		for _, tr := range d.trials {
			if slices.Contains(tr.Tests, "Q") || tr.FailFast {
				t.Errorf("%s fails: asked %v, fail-fast %v", id, tr.Tests, tr.FailFast)
			}
		}
	}
	s := newSuite(tests)
	if s.top("A/sub") != "A" || s.top("p/q.Test/x") != "p/q.Test/x" || !s.canKill("A/sub") {
		t.Error("subtests do not find their test")
	}
}

func TestConfirmation(t *testing.T) {
	fails := func(tr Trial) (TrialResult, error) {
		return ends(tr, EndExited, 1, map[string]Status{"A": Failed}), nil
	}
	once := func() func(Trial) (TrialResult, error) {
		n := 0
		return func(tr Trial) (TrialResult, error) {
			if n++; n == 1 {
				return fails(tr)
			}
			return allPass(tr), nil
		}
	}
	for _, tt := range []struct {
		name   string
		set    func(*Engine)
		answer func(Trial) (TrialResult, error)
		want   Verdict
		trials int
	}{
		{"a kill without a doubt", func(*Engine) {}, fails, Killed, 1},
		{"a killer that has flipped fails again", func(e *Engine) { e.Clean[0].Flipped = true }, fails, Killed, 2},
		{"a killer that has flipped passes", func(e *Engine) { e.Clean[0].Flipped = true }, once(), Flaky, 2},
		{"every kill, by order", func(e *Engine) { e.ConfirmAll = true }, once(), Flaky, 2},
		{"without a way to select, the whole command again", func(e *Engine) { e.ConfirmAll, e.Select = true, false }, once(), Flaky, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, e := newDouble(clean("A", "B", "C")...)
			tt.set(&e)
			d.answer = tt.answer
			rep := mustRun(t, e, at("m", 1))
			if r := rep.Results[0]; r.Verdict != tt.want || r.Trials != tt.trials {
				t.Errorf("%s after %d trials (%s), want %s after %d", r.Verdict, r.Trials, r.Reason, tt.want, tt.trials)
			}
			if c := rep.Matrix.Cell("A", "m"); (c == CellKilled) != (tt.want == Killed) {
				t.Errorf("matrix says %s", c)
			}
		})
	}
	t.Run("a killer that does not reach the mutant", func(t *testing.T) {
		d, e := newDouble(clean("A", "B", "C")...)
		e.Reach = &Reach{}
		for _, id := range []string{"A", "B", "C"} {
			e.Reach.Measured(id)
		}
		e.Reach.Add("B", "f.go", line(1))
		d.answer = once()
		m := at("m", 1)
		e.Select = false
		if r := mustRun(t, e, m).Results[0]; r.Verdict != Flaky {
			t.Errorf("%s (%s), want flaky", r.Verdict, r.Reason)
		}
	})
}

func TestInterruptLeavesACompleteReport(t *testing.T) {
	d, e := newDouble(clean("A")...)
	e.Judge = []string{"A"}
	e.Criteria = []Criterion{{ID: "AC", Files: []string{"f.go"}, Tests: []string{"A"}}}
	ctx, cancel := context.WithCancel(t.Context())
	d.answer = func(tr Trial) (TrialResult, error) {
		cancel()
		return TrialResult{}, ctx.Err()
	}
	var events []EventKind
	e.OnEvent = func(ev Event) { events = append(events, ev.Kind) }
	rep, err := e.Run(ctx, NewPlan([]Mutant{at("one", 1), at("two", 2)}, Scope{All: true}))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rep.Results {
		if r.Verdict != NotRun || r.Reason != "interrupted" {
			t.Errorf("%s (%s), want not-run, interrupted", r.Verdict, r.Reason)
		}
	}
	if rep.Tests[0].State != NotAsked || rep.Criteria[0].Killed || rep.Inconclusive == "" {
		t.Errorf("tests %+v, criteria %+v, inconclusive %q", rep.Tests, rep.Criteria, rep.Inconclusive)
	}
	if n := len(events); n != 5 { // null, two mutants, criterion, test
		t.Errorf("%d events: %v", n, events)
	}
}

func TestRunnerThatGivesOut(t *testing.T) {
	d, e := newDouble(clean("A")...)
	d.answer = func(Trial) (TrialResult, error) { return TrialResult{}, errors.New("no box") }
	var ms []Mutant
	for i := range 10 {
		ms = append(ms, at(fmt.Sprint("m", i), 1+i%4))
	}
	rep := mustRun(t, e, ms...)
	if rep.Score.Counts[NotRun] != 10 {
		t.Errorf("counts %v", rep.Score.Counts)
	}
	if n := len(d.asked(ForMutant)); n != maxLost {
		t.Errorf("%d trials were lost before the engine gave up, want %d", n, maxLost)
	}
}

// M8
func TestNothingToTryIsInconclusive(t *testing.T) {
	_, e := newDouble(clean("A")...)
	unviable, arid := at("u", 1), at("a", 2)
	unviable.Known, arid.Arid = Unviable, "log line"
	for name, ms := range map[string][]Mutant{"none": nil, "unviable": {unviable}, "arid": {arid}} {
		if rep := mustRun(t, e, ms...); rep.Inconclusive == "" {
			t.Errorf("%s: conclusive, with %v", name, rep.Score)
		}
	}
	_, e = newDouble(CleanTest{ID: "A", Status: Failed})
	if rep := mustRun(t, e, at("m", 1)); rep.Inconclusive == "" || rep.Results[0].Verdict != NotRun {
		t.Errorf("a suite that fails: %v, inconclusive %q", rep.Score, rep.Inconclusive)
	}
	_, e = newDouble()
	if rep := mustRun(t, e, at("m", 1)); rep.Inconclusive == "" {
		t.Errorf("a suite that never ran: %v", rep.Score)
	}
}

func TestTrialsHaveIDsOfTheirOwnAndTheSameInEveryRun(t *testing.T) {
	ids := func() []string {
		d, e := newDouble(clean("A", "B", "C")...)
		e.ConfirmAll = true
		e.Judge = []string{"B", "C"}
		e.Criteria = []Criterion{{ID: "AC-1", Files: []string{"f.go"}, Tests: []string{"B", "C"}}, {ID: "AC-2", Files: []string{"f.go"}, Tests: []string{"B"}}}
		d.answer = func(tr Trial) (TrialResult, error) {
			if len(tr.Tests) == 1 && tr.Tests[0] == "B" || tr.Tests != nil && slices.Equal(tr.Tests, []string{"B", "C"}) {
				return allPass(tr), nil
			}
			return ends(tr, EndExited, 1, map[string]Status{"A": Failed, "C": Failed}), nil
		}
		mustRun(t, e, at("one", 1), at("two", 2), at("three", 3))
		var out []string
		for _, tr := range d.trials {
			out = append(out, tr.ID)
		}
		return out
	}
	a, b := ids(), ids()
	if !slices.Equal(a, b) {
		t.Errorf("%q and %q", a, b)
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values(a)))); n != len(a) {
		t.Errorf("%d trials with %d ids: %q", len(a), n, a)
	}
}

func TestConcurrencyLosesNothing(t *testing.T) {
	d, e := newDouble(clean("A", "B", "C")...)
	e.Concurrency = 8
	e.Judge = []string{"A", "B", "C"}
	d.answer = func(tr Trial) (TrialResult, error) {
		if strings.HasSuffix(tr.Mutant.ID, "0") {
			return ends(tr, EndExited, 1, map[string]Status{"A": Failed}), nil
		}
		return allPass(tr), nil
	}
	var ms []Mutant
	for i := range 200 {
		ms = append(ms, at(fmt.Sprintf("m%d", i), 1+i%4))
	}
	last := 0
	e.OnEvent = func(ev Event) {
		if ev.Kind == EventMutant {
			last = ev.Done
		}
	}
	rep := mustRun(t, e, ms...)
	if rep.Score.Killed != 20 || rep.Score.Counts[Survived] != 180 || last != 200 {
		t.Errorf("score %+v, last event %d", rep.Score, last)
	}
}
