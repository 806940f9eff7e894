package assurance_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
)

// fixture is Good with one thing wrong.
type fixture struct {
	name string
	edit func(*assurance.Evidence)
	// off lists the clauses of VAL-0 and VAL-1 that do not hold, as "clause=state" or "clause=state:code".
	off   string
	level assurance.Level
}

func drop(id string) func(*assurance.Evidence) {
	return func(e *assurance.Evidence) { delete(e.Observations, id) }
}

// alone has, for each clause of VAL-0 and VAL-1, fixtures in which it is the only one that does not hold.
var alone = []fixture{
	{"nothing wrong", nil, "", assurance.VAL1},

	{"closure not pinned", func(e *assurance.Evidence) { e.Plan.Closures[0].Pinned = false }, "closure-pinned=failed", assurance.LevelNone},
	{"closure is another", func(e *assurance.Evidence) { e.Observations["closure"].Closure.Digest = "sha256:00" }, "closure-pinned=failed", assurance.LevelNone},

	{"command invented", func(e *assurance.Evidence) { e.Plan.Tasks[0].From = "detected" }, "command-known=failed", assurance.LevelNone},
	{"command empty", func(e *assurance.Evidence) { e.Plan.Tasks[0].Command = nil }, "command-known=failed", assurance.LevelNone},

	{"exit status unexplained", func(e *assurance.Evidence) {
		for _, id := range []string{at.HeadPlain, at.HeadZone} {
			e.Observations[id].Run.Exit = 3
		}
	}, "required-passed=failed", assurance.LevelNone},
	{"exit status never that of the tests alone", func(e *assurance.Evidence) {
		for i, id := range []string{at.HeadPlain, at.HeadOrder, at.HeadZone} {
			e.Plan.Runs[i].Canaries, e.Plan.Runs[i].CanariesFailRun = e.Plan.Runs[1].Canaries, true
			o := e.Observations[id]
			o.Run.Exit, o.Run.Tests = 1, e.Observations[at.HeadOrder].Run.Tests
		}
	}, "required-passed=not-run", assurance.LevelNone},

	{"base never ran", drop(at.OnBase), "none-lost=not-run", assurance.LevelNone},
	{"base's run not planned", func(e *assurance.Evidence) {
		e.Plan.Runs = slices.Delete(e.Plan.Runs, 3, 4)
		e.Plan.Trees = slices.Delete(e.Plan.Trees, 1, 2)
	}, "none-lost=not-run", assurance.LevelNone},
	{"plan leaves out a test that passes on base", func(e *assurance.Evidence) {
		e.Plan.Tests[3].BasePasses = false
	}, "none-lost=failed", assurance.LevelNone},
	{"plan makes up a test that passes on base", func(e *assurance.Evidence) {
		at.Set(e.Observations[at.OnBase], at.Round, assurance.TestFailed, "")
		e.Observations[at.OnBase].Run.Exit = 1
	}, "none-lost=failed", assurance.LevelNone},

	{"tree not measured after", func(e *assurance.Evidence) { e.Observations["tree/head"].Tree.After = "" }, "tree-bound=not-run", assurance.LevelNone},
	{"tree not observed", drop("tree/head"), "tree-bound=not-run", assurance.LevelNone},
	{"base tree not observed", drop("tree/base"), "tree-bound=not-run", assurance.LevelNone},
	{"subject is another tree", func(e *assurance.Evidence) { e.Plan.Subject.TreeSHA256 = "00" }, "tree-bound=failed", assurance.LevelNone},

	{"closure looked at by name only", func(e *assurance.Evidence) { e.Observations["closure"].Closure.Verified = assurance.VerifiedDB }, "closure-sealed=failed", assurance.VAL0},
	{"closure built without sandbox (N8)", func(e *assurance.Evidence) { e.Observations["closure"].Closure.Sandbox = assurance.SandboxOff }, "closure-sealed=failed", assurance.VAL0},
	{"closure built nobody knows how", func(e *assurance.Evidence) { e.Observations["closure"].Closure.Sandbox = "" }, "closure-sealed=failed", assurance.VAL0},

	{"box reached the network", func(e *assurance.Evidence) { e.Observations["probe/unit"].Probe.Reached = 1 }, "no-network=failed", assurance.VAL0},
	{"control could not reach its own listener", func(e *assurance.Evidence) { e.Observations["probe/unit"].Probe.Control = 1 }, "no-network=not-run", assurance.VAL0},
	{"network not tried", drop("probe/unit"), "no-network=not-run", assurance.VAL0},
	{"network probe not planned", func(e *assurance.Evidence) { e.Plan.Probes = nil }, "no-network=not-run", assurance.VAL0},

	{"work tree with edits", func(e *assurance.Evidence) { e.Plan.Subject.Dirty = true }, "clean=failed:dirty", assurance.VAL0},
	{"flake edited by the change", func(e *assurance.Evidence) {
		e.Plan.Change.Environment = []assurance.EnvironmentEdit{{Path: "flake.lock", ListedBy: assurance.ByChange}}
	}, "clean=failed:environment-edited", assurance.VAL0},
	{"flake edit listed by base", func(e *assurance.Evidence) {
		e.Plan.Change.Environment = []assurance.EnvironmentEdit{{Path: "flake.lock", ListedBy: assurance.ByBase}}
	}, "", assurance.VAL1},
	{"dependencies without a hash", func(e *assurance.Evidence) {
		e.Plan.Unhashed = []assurance.Unhashed{{File: "requirements.txt", Why: "has no hash", Names: []string{"a==1"}, Count: 1}}
	}, "clean=failed:unhashed-dependencies", assurance.VAL0},
	{"ran as root", func(e *assurance.Evidence) { e.Observations["box/unit"].Box.UID = 0 }, "clean=failed", assurance.VAL0},
	{"ran with capabilities", func(e *assurance.Evidence) { e.Observations["box/unit"].Box.Capabilities = []string{"cap_sys_admin"} }, "clean=failed", assurance.VAL0},
	{"could gain privileges", func(e *assurance.Evidence) { e.Observations["box/unit"].Box.NoNewPrivs = false }, "clean=failed", assurance.VAL0},
	{"saw the host's environment", func(e *assurance.Evidence) { e.Observations["box/unit"].Box.Environment = []string{"GOFLAGS"} }, "clean=failed", assurance.VAL0},
	{"nobody looked into the box", drop("box/unit"), "clean=not-run", assurance.VAL0},

	{"two runs", func(e *assurance.Evidence) { e.Plan.Runs = slices.Delete(e.Plan.Runs, 2, 3) }, "stable=failed", assurance.VAL0},
	{"runs not varied", func(e *assurance.Evidence) { e.Plan.Runs[2].Variation = nil }, "stable=failed", assurance.VAL0},
	{"a test that nobody requires flips", func(e *assurance.Evidence) {
		e.Plan.Tests = append(e.Plan.Tests, assurance.PlannedTest{ID: at.Broken, Task: "unit", Unit: at.Tax, BaseFails: true})
		add(e, at.HeadPlain, at.Broken, assurance.TestPassed)
		add(e, at.HeadOrder, at.Broken, assurance.TestPassed)
		add(e, at.HeadZone, at.Broken, assurance.TestFailed)
		e.Observations[at.HeadZone].Run.Exit = 1
	}, "stable=failed:flaky", assurance.VAL0},

	{"no canary planned", func(e *assurance.Evidence) { noCanaries(e) }, "canary=not-run", assurance.VAL0},
	{"a session without a canary", func(e *assurance.Evidence) {
		e.Plan.Runs[1].Canaries = e.Plan.Runs[1].Canaries[:1]
		at.Set(e.Observations[at.HeadOrder], at.Tax+".TestRateLw2", "", "")
	}, "canary=not-run", assurance.VAL0},

	{"null mutant fails (C29)", func(e *assurance.Evidence) {
		*e.Observations["null/rate/T1"].Null = assurance.NullObservation{Failed: []string{at.Round}}
	}, "null-mutant=failed", assurance.VAL0},
	{"null mutant did not run", drop("null/cart/T1"), "null-mutant=not-run", assurance.VAL0},
	{"null mutant of another tier", func(e *assurance.Evidence) {
		e.Plan.Mutants[2].File, e.Plan.Mutants[2].Tier = "cart/sum.go", "T0"
	}, "null-mutant=not-run", assurance.VAL0},

	{"every test passes on base as well", func(e *assurance.Evidence) {
		at.Set(e.Observations[at.OnHybrid], at.Once, assurance.TestPassed, "")
		e.Observations[at.OnHybrid].Run.Exit = 0
	}, "proves-change=failed", assurance.VAL0},
	{"change's tests not run on base's code", drop(at.OnHybrid), "proves-change=not-run", assurance.VAL0},
	{"change's tests hang on base's code", func(e *assurance.Evidence) { e.Observations[at.OnHybrid].Run.End = assurance.EndTimeout }, "proves-change=not-run", assurance.VAL0},

	{"survivor", verdictOf(at.Other, assurance.MutantSurvived), "mutants-killed=failed:survivor", assurance.VAL0},
	{"uncovered", verdictOf(at.Other, assurance.MutantUncovered), "mutants-killed=failed:survivor", assurance.VAL0},
	{"mutant not judged", drop(at.Other), "mutants-killed=not-run", assurance.VAL0},
	{"control of the file under test (R12)", func(e *assurance.Evidence) { e.Observations["break/cart/T1"].Break.Noticed = false }, "mutants-killed=failed:inconclusive", assurance.VAL0},
	{"audit disagrees", func(e *assurance.Evidence) {
		e.Observations["audit/"+at.Killed].Audit.Verdict = assurance.MutantSurvived
	}, "mutants-killed=failed:inconclusive", assurance.VAL0},
	{"audit not run", drop("audit/" + at.Killed), "mutants-killed=not-run", assurance.VAL0},
	{"changed function without a kill", verdictOf(at.Other, assurance.MutantHung), "mutants-killed=failed:inconclusive", assurance.VAL0},
	{"kills by a plugin beside many without a clear verdict", func(e *assurance.Evidence) {
		more(2, assurance.MutantHung)(e)
		first := len(e.Plan.Mutants)
		more(20, assurance.MutantKilled)(e)
		for i := range e.Plan.Mutants[first:] {
			e.Plan.Mutants[first+i].Origin = assurance.OriginPlugin
		}
	}, "mutants-killed=failed:inconclusive", assurance.VAL0},
	{"kill by a plugin only", func(e *assurance.Evidence) { e.Plan.Mutants[2].Origin = assurance.OriginPlugin }, "mutants-killed=failed:inconclusive", assurance.VAL0},

	{"criterion's tests kill nothing", func(e *assurance.Evidence) {
		for _, id := range []string{at.Killed, at.Reverted, at.Quota} {
			e.Observations[id].Mutant.Killers = []string{at.Total}
		}
	}, "criteria-bite=failed:survivor", assurance.VAL0},
	{"criterion's test is vacuous (C30)", func(e *assurance.Evidence) {
		for _, id := range []string{at.Killed, at.Reverted, at.Quota} {
			*e.Observations[id].Mutant = assurance.MutantObservation{Verdict: assurance.MutantKilled, Killers: []string{at.Total},
				Reach: []string{at.Total, at.Once}, PassedAlone: []string{at.Once}}
		}
	}, "criteria-bite=failed:vacuous", assurance.VAL0},
	{"criterion names no test", func(e *assurance.Evidence) { e.Plan.Criteria[0].Tests = nil }, "criteria-bite=failed:inconclusive", assurance.VAL0},
	{"criterion without a mutant", func(e *assurance.Evidence) {
		for i := range e.Plan.Mutants {
			e.Plan.Mutants[i].Criteria = nil
		}
	}, "criteria-bite=failed:inconclusive", assurance.VAL0},

	{"left a process (F21)", func(e *assurance.Evidence) { e.Observations[at.HeadZone].Run.Census.Left = 1 }, "census=failed", assurance.VAL0},
	{"held its output (R7)", func(e *assurance.Evidence) { e.Observations[at.HeadZone].Run.Leaky = true }, "census=failed", assurance.VAL0},
	{"census saw nothing", func(e *assurance.Evidence) { e.Observations[at.HeadZone].Run.Census = assurance.Census{} }, "census=not-run", assurance.VAL0},
}

func add(e *assurance.Evidence, run, test string, status assurance.TestStatus) {
	r := e.Observations[run].Run
	r.Tests = append(r.Tests, assurance.TestResult{ID: test, Unit: at.Tax, Status: status})
}

func noCanaries(e *assurance.Evidence) {
	for _, c := range e.Plan.Runs[1].Canaries {
		at.Set(e.Observations[at.HeadOrder], c.Test, "", "")
	}
	e.Plan.Runs[1].Canaries, e.Plan.Runs[1].CanariesFailRun = nil, false
	e.Observations[at.HeadOrder].Run.Exit = 0
}

func verdictOf(id string, to assurance.MutantVerdict) func(*assurance.Evidence) {
	return func(e *assurance.Evidence) { *e.Observations[id].Mutant = assurance.MutantObservation{Verdict: to} }
}

// off lists the clauses up to VAL-1 that do not hold.
func off(v assurance.Verdict) string {
	var out []string
	for _, c := range v.Clauses {
		if c.Level > assurance.VAL1 || c.Holds() {
			continue
		}
		s := fmt.Sprintf("%s=%s", c.ID, c.State)
		if c.Code != "" {
			s += ":" + c.Code
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestEachClauseAlone(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range alone {
		if id, _, only := strings.Cut(f.off, "="); only && !strings.Contains(f.off, " ") {
			seen[id] = true
		}
		t.Run(f.name, func(t *testing.T) {
			v := at.Judged(f.edit)
			if got := off(v); got != f.off {
				t.Errorf("clauses that do not hold: %s\nwant: %s\n%s", got, f.off, reasons(v))
			}
			if v.Level != f.level {
				t.Errorf("level %s, want %s", v.Level, f.level)
			}
		})
	}
	for _, c := range assurance.Clauses() {
		if c.Level <= assurance.VAL1 && !seen[string(c.ID)] {
			t.Errorf("no fixture in which only %s does not hold", c.ID)
		}
	}
}

func reasons(v assurance.Verdict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", v.Outcome, v.Reason)
	for _, c := range v.Clauses {
		if !c.Holds() && c.Level <= assurance.VAL1 {
			fmt.Fprintf(&b, "%s: %s: %s %q\n", c.ID, c.State, c.Reason, c.Facts)
		}
	}
	return b.String()
}
