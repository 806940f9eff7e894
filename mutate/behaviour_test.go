package mutate_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/mutate"
)

// only keeps the mutants of one operator whose description contains a text.
func only(ms []mutate.Mutant, operator, text string) []mutate.Mutant {
	return slices.DeleteFunc(slices.Clone(ms), func(m mutate.Mutant) bool {
		return m.Operator != operator || !strings.Contains(m.Description, text)
	})
}

// one fails the test unless the report has exactly one mutant, and returns what became of it.
func one(t *testing.T, rep *mutate.Report) mutate.Result {
	t.Helper()
	if len(rep.Results) != 1 {
		t.Fatalf("%d mutants, want 1", len(rep.Results))
	}
	return rep.Results[0]
}

func everything(ms []mutate.Mutant) mutate.Plan {
	return mutate.NewPlan(ms, mutate.Scope{All: true})
}

func TestVerdictsOfARealSuite(t *testing.T) {
	t.Parallel()
	p := loadCovered(t, "testdata/limits_an_age", "limits_an_age.TestAdult", "limits_an_age.TestNegative")
	rep := p.run(t, everything(slices.Concat(
		only(p.mutants, "boundary", ""), only(p.mutants, "return", "price"), only(p.mutants, "arithmetic", ""),
	)))
	want := map[string]mutate.Verdict{
		"`<` -> `<=`":        mutate.Survived, // nobody tests the age of 0
		"`>=` -> `>`":        mutate.Killed,
		"`price / 2` -> `0`": mutate.Uncovered,
		"`/` -> `*`":         mutate.Uncovered,
	}
	for _, r := range rep.Results {
		if w := want[r.Mutant.Description]; r.Verdict != w {
			t.Errorf("%s: %s, want %s", &r.Mutant, r.Verdict, w)
		}
	}
	if len(rep.Plan.Arid) != 1 || rep.Plan.Arid[0].Arid != "error text" {
		t.Errorf("arid: %v, want the text of ErrNegative", rep.Plan.Arid)
	}
	if s := rep.Score; s.Killed != 1 || s.Viable != 4 || s.Lower != 0.25 || s.Upper != 0.25 || s.Arid != 1 {
		t.Errorf("score %+v", s)
	}
	if len(rep.Nulls) != 1 || !rep.Nulls[0].OK {
		t.Errorf("null mutants %+v", rep.Nulls)
	}
}

// M1, M8: a mutant that does not compile is never a kill, and with nothing else to try the run proves nothing.
func TestUnviableOnly(t *testing.T) {
	t.Parallel()
	p := load(t, "testdata/unviable_only", "unviable_only.TestGreeting")
	rep := p.run(t, everything(p.mutants))
	if r := one(t, rep); r.Verdict != mutate.Unviable || r.Trials != 0 {
		t.Errorf("%s after %d trials, want unviable before any", r.Verdict, r.Trials)
	}
	if rep.Inconclusive == "" || rep.Score.Killed != 0 {
		t.Errorf("score %v, inconclusive %q", rep.Score, rep.Inconclusive)
	}
	// The build comes to the same verdict where types prove nothing.
	plan := everything(p.mutants)
	plan.Mutants[0].Known = ""
	if r := one(t, p.run(t, plan)); r.Verdict != mutate.Unviable || r.Trials != 1 {
		t.Errorf("by its build: %s after %d trials, want unviable after 1", r.Verdict, r.Trials)
	}
}

// M2: a loop without an end is hung, within its budget of CPU time.
func TestHangsWhenMutated(t *testing.T) {
	t.Parallel()
	p := load(t, "testdata/hangs_when_mutated", "hangs_when_mutated.TestSteps")
	p.engine.Limits.FloorCPU = time.Second
	r := one(t, p.run(t, everything(only(p.mutants, "arithmetic", ""))))
	if r.Verdict != mutate.Hung {
		t.Errorf("%s (%s), want hung", r.Verdict, r.Reason)
	}
}

// M4: memory that runs out is the mutant's doing and no kill.
func TestAppendsForever(t *testing.T) {
	t.Parallel()
	p := load(t, "testdata/appends_forever", "appends_forever.TestFill")
	p.memory = 3 << 30
	r := one(t, p.run(t, everything(only(p.mutants, "incdec", ""))))
	if r.Verdict != mutate.Exhausted {
		t.Errorf("%s (%s), want exhausted", r.Verdict, r.Reason)
	}
}

// M5: children that a mutant leaves are ended, counted and told.
func TestLeavesChildren(t *testing.T) {
	t.Parallel()
	p := load(t, "testdata/leaves_children", "leaves_children.TestSpawn")
	rep := p.run(t, everything(only(p.mutants, "statement", "deferred")))
	if r := one(t, rep); r.Verdict != mutate.Survived || r.Left == 0 {
		t.Errorf("%s with %d left, want survived with one left", r.Verdict, r.Left)
	}
	if rep.Left == 0 || len(rep.Facts) == 0 {
		t.Errorf("left %d, facts %q", rep.Left, rep.Facts)
	}
}

// M7: a test that differed between clean runs cannot kill, and one that does so later is found out.
func TestFlipsWithClock(t *testing.T) {
	p := load(t, "testdata/flips_with_clock", "flips_with_clock.TestFlips")
	t.Setenv("CLOCK", filepath.Join(t.TempDir(), "odd"))
	plan := everything(only(p.mutants, "arithmetic", ""))

	p.engine.Clean[0].Quarantined = true
	if r := one(t, p.run(t, plan)); r.Verdict != mutate.NotRun || r.Trials != 0 {
		t.Errorf("quarantined: %s after %d trials, want not-run", r.Verdict, r.Trials)
	}
	p.engine.Clean[0].Quarantined, p.engine.Clean[0].Flipped = false, true
	if r := one(t, p.run(t, plan)); r.Verdict != mutate.Flaky {
		t.Errorf("flipped: %s (%s), want flaky", r.Verdict, r.Reason)
	}
}

// C29: a test that hashes the source would kill every mutant. The null mutant gives it away.
func TestHashesItsSource(t *testing.T) {
	t.Parallel()
	p := loadCovered(t, "testdata/hashes_its_source", "hashes_its_source.TestSource", "hashes_its_source.TestTwice")
	rep := p.run(t, everything(only(p.mutants, "arithmetic", "")))
	want := map[string]mutate.Verdict{"Sum": mutate.Uncovered, "Twice": mutate.Killed}
	for _, r := range rep.Results {
		if r.Verdict != want[r.Mutant.Func] {
			t.Errorf("%s: %s (%s), want %s", r.Mutant.Func, r.Verdict, r.Reason, want[r.Mutant.Func])
		}
	}
	if len(rep.Nulls) != 1 || rep.Nulls[0].OK || !slices.Contains(rep.Nulls[0].Failed, "example.org/hashes_its_source.TestSource") {
		t.Errorf("null mutants %+v", rep.Nulls)
	}
}

func TestAlreadyFailing(t *testing.T) {
	t.Parallel()
	p := load(t, "testdata/already_failing", "already_failing.TestHalfOfZero")
	plan := everything(only(p.mutants, "arithmetic", ""))
	for _, r := range p.run(t, plan).Results {
		if r.Verdict != mutate.Survived {
			t.Errorf("%s: %s by %v, want survived", &r.Mutant, r.Verdict, r.Killers)
		}
	}
}

// C30: a test without an assertion kills nothing, and only a test that was asked alone is called vacuous.
func TestNoAssertions(t *testing.T) {
	t.Parallel()
	p := loadCovered(t, "testdata/no_assertions", "no_assertions.TestRunsIt", "no_assertions.TestNegative")
	const runsIt, negative = "example.org/no_assertions.TestRunsIt", "example.org/no_assertions.TestNegative"
	p.engine.Judge = []string{runsIt, negative}
	p.engine.Criteria = []mutate.Criterion{
		{ID: "AC-1", Files: []string{"sign.go"}, Tests: []string{negative}},
		{ID: "AC-2", Files: []string{"sign.go"}, Tests: []string{runsIt}},
	}
	rep := p.run(t, everything(slices.Concat(only(p.mutants, "unary", ""), only(p.mutants, "return", "`1` -> `0`"))))
	if j := rep.Tests[0]; j.State != mutate.Vacuous || j.Alone == 0 {
		t.Errorf("%+v, want vacuous", j)
	}
	if j := rep.Tests[1]; j.State != mutate.Bites {
		t.Errorf("%+v, want bites", j)
	}
	if b := rep.Criteria[0]; !b.Killed {
		t.Errorf("%+v, want a kill", b)
	}
	if b := rep.Criteria[1]; b.Killed || b.Asked == 0 || b.Reason == "" {
		t.Errorf("%+v, want asked in vain", b)
	}
	for _, r := range rep.Results {
		if c := rep.Matrix.Cell(runsIt, r.Mutant.ID); c != mutate.CellPassed {
			t.Errorf("%s on %s: %s, want passed", runsIt, &r.Mutant, c)
		}
	}
}

// M9: programs and nested modules are tested by their own tests.
func TestPackageMainAndNestedModule(t *testing.T) {
	for _, tt := range []struct {
		project, operator string
		killers           map[string]string // by file
	}{
		{"package_main", "logical", map[string]string{"cmd/double/main.go": "package_main/cmd/double.TestDouble"}},
		{"nested_module", "comparison", map[string]string{"outer.go": "nested_module.TestLess", "inner/inner.go": "inner.TestMore"}},
	} {
		t.Run(tt.project, func(t *testing.T) {
			t.Parallel()
			p := loadCovered(t, "testdata/"+tt.project, slices.Collect(maps.Values(tt.killers))...)
			rep := p.run(t, everything(only(p.mutants, tt.operator, "")))
			if len(rep.Results) != len(tt.killers) {
				t.Errorf("%d mutants, want %d", len(rep.Results), len(tt.killers))
			}
			for _, r := range rep.Results {
				if want := "example.org/" + tt.killers[r.Mutant.File]; r.Verdict != mutate.Killed || !slices.Equal(r.Killers, []string{want}) {
					t.Errorf("%s: %s by %v, want killed by %s", &r.Mutant, r.Verdict, r.Killers, want)
				}
			}
		})
	}
}

// A panic in another goroutine ends the process before any test can fail: the one that was running noticed. A panic
// before any test is nobody's kill.
func TestPanicsElsewhere(t *testing.T) {
	t.Parallel()
	p := load(t, "testdata/panics_elsewhere", "panics_elsewhere.TestWork", "panics_elsewhere.TestByZero")
	rep := p.run(t, everything(slices.DeleteFunc(only(p.mutants, "condition", "false"), func(m mutate.Mutant) bool { return m.Func != "Work" })))
	if r := one(t, rep); r.Verdict != mutate.Killed || !slices.Equal(r.Killers, []string{"example.org/panics_elsewhere.TestByZero"}) {
		t.Errorf("%s by %v (%s), want killed by TestByZero", r.Verdict, r.Killers, r.Reason)
	}
	rep = p.run(t, everything(only(p.mutants, "condition", "`len(table) != 2` -> `true`")))
	if r := one(t, rep); r.Verdict != mutate.Crashed {
		t.Errorf("%s by %v (%s), want crashed", r.Verdict, r.Killers, r.Reason)
	}
}

// R12: the suite tests an installed copy. A canary mutant shows it, and nothing is said to have survived.
func TestNotUnderTest(t *testing.T) {
	t.Parallel()
	p := load(t, "testdata/not_under_test", "not_under_test.TestMax")
	rep := p.run(t, everything(slices.DeleteFunc(only(p.mutants, "comparison", ""), func(m mutate.Mutant) bool {
		return m.File != "lib/lib.go"
	})))
	if r := one(t, rep); r.Verdict != mutate.NotRun {
		t.Errorf("%s (%s), want not-run", r.Verdict, r.Reason)
	}
	if rep.Inconclusive == "" || len(rep.Canaries) != 1 || rep.Canaries[0].OK {
		t.Errorf("inconclusive %q, canaries %+v", rep.Inconclusive, rep.Canaries)
	}
}

// Each hunk of a change is put back to base and run: in code, in a removed and in an added file.
func TestRevertsAreTried(t *testing.T) {
	t.Parallel()
	p := load(t, "testdata/limits_an_age", "limits_an_age.TestAdult", "limits_an_age.TestNegative")
	head, err := os.ReadFile(filepath.Join(p.dir, "age.go"))
	if err != nil {
		t.Fatal(err)
	}
	base := strings.NewReplacer("age >= 18", "age > 18", "price / 2", "price / 3").Replace(string(head))
	ms := mutate.Reverts([]mutate.FileChange{{Path: "age.go", Base: &mutate.Blob{Data: []byte(base)}, Head: &mutate.Blob{Data: head}}})
	rep := p.run(t, mutate.NewPlan(ms, mutate.Scope{}))
	want := map[string]mutate.Verdict{"age.go:14": mutate.Killed, "age.go:19": mutate.Survived}
	for _, r := range rep.Results {
		if r.Verdict != want[r.Mutant.Place()] {
			t.Errorf("%s: %s (%s), want %s", &r.Mutant, r.Verdict, r.Reason, want[r.Mutant.Place()])
		}
	}
	if len(rep.Groups) != 2 {
		t.Errorf("groups %+v, want two hunks", rep.Groups)
	}
}
