package mutate_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/mutate"
)

// What never differs is not run; and run all the same, by the audit that tries so few mutants all again, it is noticed by nobody.
func TestMutantsThatNeverDiffer(t *testing.T) {
	t.Parallel()
	var passing []string
	for _, name := range strings.Fields("Boundary Length Sum Area Ratio Negative Together Either First Depth Noisy Wait Concurrently") {
		passing = append(passing, "never_differs.Test"+name)
	}
	never := map[string]bool{
		"boundary: `<` -> `<=`": true, "length: `>` -> `>=`": true, "sum: `+` -> `-`": true, "area: `*` -> `/`": true, "negative: `-n` -> `n`": true,
		"together: `&&` -> `||`": true, "either: `||` -> `&&`": true, "first: `b != nil && b.n > 0` -> `true`": true, "wait: `>=` -> `>`": true,
		"noisy: `>` -> `>=`": true, "concurrently: `i > limit` -> `false`": true,
		"length: `len(s) > 3` -> `true`":        false, // a test sees it
		"ratio: `/` -> `*`":                     false, // it does not divide by zero
		"depth: `b.n > 100` -> `false`":         false, // it does not evaluate what panics
		"first: `&&` -> `||`":                   false, // it may evaluate what panics
		"noisy: `counted(calls) > 0` -> `true`": false, // it leaves a call out
		"concurrently: `i > limit` -> `true`":   false,
	}
	p := loadCovered(t, "testdata/never_differs", passing...)
	p.switchOn(t, "values.go")
	p.engine.Concurrency = 1 // the records lie in one folder here
	name := func(m *mutate.Mutant) string { return m.Func + ": " + m.Description }
	rep := p.run(t, everything(slices.DeleteFunc(p.mutants, func(m mutate.Mutant) bool { _, ok := never[name(&m)]; return !ok })))
	if len(rep.Results) != len(never) || len(rep.Audit) != len(never) {
		t.Errorf("%d mutants and %d of them audited, want all of %d", len(rep.Results), len(rep.Audit), len(never))
	}
	for _, r := range rep.Results {
		if r.Inferred != never[name(&r.Mutant)] {
			t.Errorf("%s: not run is %v: %s %s", &r.Mutant, r.Inferred, r.Verdict, r.Reason)
		}
		if r.Inferred && (r.Verdict != mutate.Survived || r.Trials != 0 || r.Tier != mutate.T2 || !strings.HasPrefix(r.Reason, "never differs")) {
			t.Errorf("%s: %s by %s after %d trials: %s", &r.Mutant, r.Verdict, r.Tier, r.Trials, r.Reason)
		}
	}
	for _, a := range rep.Audit {
		if !a.Agrees {
			t.Errorf("%+v", a)
		}
	}
}

// A loop that does not end is ended where it is counted, long before time runs out.
func TestLoopsAreEnded(t *testing.T) {
	t.Parallel()
	p := loadCovered(t, "testdata/hangs_when_mutated", "hangs_when_mutated.TestSteps")
	p.switchOn(t, "count.go")
	p.engine.Concurrency = 1 // the mark lies in one folder here
	p.engine.Limits.FloorCPU = time.Second
	reasons := map[string]string{}
	for _, r := range p.run(t, everything(p.mutants)).Results {
		reasons[r.Mutant.Description] = string(r.Verdict) + " " + r.Reason
	}
	for name, want := range map[string]string{
		"`+=` -> `-=`":                   "hung a loop went round far more often",
		"assignment `i += n` taken away": "hung a loop went round far more often",
		"step `steps++` taken away":      "killed ",
		"`steps` -> `0`":                 "killed ",
	} {
		if got, ok := reasons[name]; !ok || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
