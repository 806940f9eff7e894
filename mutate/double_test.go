package mutate

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// doubleRunner stands in for a real runner where the engine's own rules are tested: what is asked, in which order and
// under which budget, and what is made of each kind of end. Real runs are in behaviour_test.go.
type doubleRunner struct {
	mu     sync.Mutex
	trials []Trial
	// answer is what happens to a trial; nil = every asked test passes.
	answer func(Trial) (TrialResult, error)
	// nulls is what happens to null mutants; nil = they pass.
	nulls func(Trial) (TrialResult, error)
}

func (d *doubleRunner) Run(_ context.Context, t Trial) (TrialResult, error) {
	d.mu.Lock()
	d.trials = append(d.trials, t)
	d.mu.Unlock()
	if d.answer != nil && t.Purpose != ForNull {
		return d.answer(t)
	}
	if d.nulls != nil && t.Purpose == ForNull {
		return d.nulls(t)
	}
	return allPass(t), nil
}

// asked returns the trials of one purpose, as "mutant: tests".
func (d *doubleRunner) asked(p Purpose) []string {
	var out []string
	for _, t := range d.trials {
		if t.Purpose == p {
			name := "null"
			if t.Mutant != nil {
				name = t.Mutant.ID
			}
			out = append(out, name+": "+strings.Join(t.Tests, " "))
		}
	}
	return out
}

func allPass(t Trial) TrialResult {
	r := TrialResult{End: EndExited, Tests: map[string]Status{}, CPU: time.Second, Wall: time.Second}
	tests := t.Tests
	if tests == nil {
		tests = []string{"A", "B", "C"}
	}
	for _, id := range tests {
		r.Tests[id] = Passed
	}
	return r
}

// ends is a result in which the named tests, so far as they were asked, ended in the given ways and all others passed.
// X is a test that appears by itself.
func ends(t Trial, end End, exit int, how map[string]Status) TrialResult {
	r := allPass(t)
	r.End, r.Exit = end, exit
	for id, st := range how {
		if t.Tests == nil || slices.Contains(t.Tests, id) || id == "X" {
			r.Tests[id] = st
		}
	}
	return r
}

func clean(ids ...string) []CleanTest {
	var out []CleanTest
	for i, id := range ids {
		out = append(out, CleanTest{ID: id, Status: Passed, CPU: 100 * time.Millisecond, Wall: time.Duration(i+1) * 100 * time.Millisecond})
	}
	return out
}

const doubleSource = "one\ntwo\nthree\nfour\n"

// at makes a mutant on a line of doubleSource.
func at(id string, line int) Mutant {
	offset := 0
	for i, l := range strings.SplitAfter(doubleSource, "\n") {
		if i+1 == line {
			return Mutant{
				ID: id, File: "f.go", Line: line, EndLine: line, Col: 1, Offset: offset, Length: len(l) - 1, Original: Text(l[:len(l)-1]), Replacement: Text(id),
				Operator: "op", Func: "F", Origin: Own, Exact: true, Reach: Range{line, line},
			}
		}
		offset += len(l)
	}
	panic("no such line")
}

func line(n int) Block { return Block{n, 1, n, 100} }

func newDouble(tests ...CleanTest) (*doubleRunner, Engine) {
	d := &doubleRunner{}
	return d, Engine{
		Runner: d, Clean: tests, Select: true, Concurrency: 1,
		Source: func(string) ([]byte, error) { return []byte(doubleSource), nil },
	}
}

func mustRun(t *testing.T, e Engine, ms ...Mutant) *Report {
	t.Helper()
	rep, err := e.Run(t.Context(), NewPlan(ms, Scope{All: true}))
	if err != nil {
		t.Fatal(err)
	}
	return rep
}
