// Package assurancetest has sample evidence for tests of whatever reads verdicts. It makes up everything that
// it says, and may be imported by tests only.
package assurancetest

import (
	"time"

	"github.com/vallane/lane/assurance"
)

// Ids in the evidence of Good.
const (
	Cart   = "example.org/shop/cart"
	Tax    = "example.org/shop/tax"
	Once   = Cart + ".TestDiscountAppliesOnce" // added by the change, of criterion AC-1
	Total  = Cart + ".TestTotal"
	Empty  = Cart + ".TestTotal/empty"
	Round  = Tax + ".TestRound"
	Broken = Tax + ".TestRoundHuge" // fails on base, and is not required

	Killed    = "m-lt"     // in the change, by an operator of Lane's
	Reverted  = "m-revert" // the hunk put back
	Other     = "m-return" // in the change, in a second function
	Quota     = "m-quota"  // of AC-1, outside of the change
	Arid      = "m-log"
	Unviable  = "m-unviable"
	HeadPlain = "run/unit/head/1"
	HeadOrder = "run/unit/head/2"
	HeadZone  = "run/unit/head/3"
	OnBase    = "run/unit/base/1"
	OnHybrid  = "run/unit/hybrid/1"
)

const (
	headTree = "5f0c2c1e8a3cbb0c8cf1a1c2c8a4d1c3b5a6978877665544332211000f1e2d3c"
	baseTree = "0d1e2f3a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6"
	mixTree  = "77aa88bb99cc00dd11ee22ff33445566778899aabbccddeeff00112233445566"
	closure  = "sha256:9b2c7d1e0f3a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4"
)

// Good returns evidence that earns VAL-1. The caller may change every part of it.
func Good() assurance.Evidence {
	start := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	return assurance.Evidence{
		Version:      assurance.EvidenceVersion,
		Plan:         plan(),
		Observations: observations(),
		Record: assurance.Record{
			Engine: "0.1.0", Started: start, Finished: start.Add(8*time.Second + 400*time.Millisecond), Attempt: 2,
			Previous: "sha256:1111111111111111111111111111111111111111111111111111111111111111", Fence: "local",
			Stages: []assurance.Timing{{Name: "warm", MS: 3}, {Name: "runs", MS: 2100}, {Name: "mutation", MS: 6100}},
			Logs:   []assurance.Log{{Name: "head run 1", Path: "/state/cart-discounts/2/head-1.log.zst"}},
		},
	}
}

// Judged returns the verdict on Good after edit, which may be nil.
func Judged(edit func(*assurance.Evidence)) assurance.Verdict {
	e := Good()
	if edit != nil {
		edit(&e)
	}
	return assurance.Judge(e)
}

func plan() assurance.Plan {
	canaries := []assurance.Canary{{Test: Cart + ".TestAmountQx7", Unit: Cart}, {Test: Tax + ".TestRateLw2", Unit: Tax}}
	return assurance.Plan{
		Spec: assurance.Spec{ID: "cart-discounts", Title: "A discount code applies once per order", Path: "specs/cart.toml",
			Digest: "sha256:2222222222222222222222222222222222222222222222222222222222222222", Authority: assurance.ByBase},
		Change: assurance.Change{Kind: assurance.Feature, SaidBy: assurance.ByBase, Files: []assurance.ChangedFile{
			{Path: "cart/cart.go", Kind: assurance.FileCode}, {Path: "cart/cart_test.go", Kind: assurance.FileTest}}},
		Subject: assurance.Subject{TreeSHA256: headTree, GitTree: "aaaa1111bbbb2222cccc3333dddd4444eeee5555",
			Commit: "1111aaaa2222bbbb3333cccc4444dddd5555eeee", BaseTree: "9999888877776666555544443333222211110000",
			BaseCommit: "0000111122223333444455556666777788889999"},
		Require:         assurance.VAL1,
		RequiredDefault: true,
		Tasks: []assurance.Task{{Name: "unit", Command: []string{"go", "test", "./..."}, From: "spec", Closure: "closure",
			Reporter: "go", Class: assurance.InProcess}},
		Tests: []assurance.PlannedTest{
			{ID: Once, Task: "unit", Unit: Cart, Required: true, Added: true, Why: []string{"added", "criterion:AC-1"}},
			{ID: Total, Task: "unit", Unit: Cart, Required: true, BasePasses: true, Why: []string{"base-passes"}},
			{ID: Empty, Task: "unit", Unit: Cart, Required: true, BasePasses: true, Why: []string{"base-passes"}},
			{ID: Round, Task: "unit", Unit: Tax, Required: true, BasePasses: true, Why: []string{"base-passes"}},
		},
		Criteria: []assurance.Criterion{{ID: "AC-1", Kind: assurance.CriterionTest,
			Text: "A discount code applies at most once per order", Tests: []string{Once}}},
		Closures: []assurance.PlannedClosure{{ID: "closure", Name: ".#lane-env", Digest: closure, Pinned: true}},
		Trees: []assurance.PlannedTree{
			{ID: "tree/head", Role: assurance.Head, SHA256: headTree, GitTree: "aaaa1111bbbb2222cccc3333dddd4444eeee5555"},
			{ID: "tree/base", Role: assurance.Base, SHA256: baseTree, GitTree: "9999888877776666555544443333222211110000"},
			{ID: "tree/hybrid", Role: assurance.Hybrid, SHA256: mixTree}},
		Boxes:  []assurance.PlannedBox{{ID: "box/unit", Task: "unit"}},
		Probes: []assurance.PlannedProbe{{ID: "probe/unit", Task: "unit"}},
		Runs: []assurance.PlannedRun{
			{ID: HeadPlain, Task: "unit", Tree: assurance.Head},
			{ID: HeadOrder, Task: "unit", Tree: assurance.Head, Variation: map[string]string{"order": "1847"},
				Canaries: canaries, CanariesFailRun: true},
			{ID: HeadZone, Task: "unit", Tree: assurance.Head, Variation: map[string]string{"timezone": "Asia/Kolkata"}},
			{ID: OnBase, Task: "unit", Tree: assurance.Base},
			{ID: OnHybrid, Task: "unit", Tree: assurance.Hybrid}},
		Places: []assurance.Place{
			{ID: "hunk cart/cart.go:41-44", Kind: assurance.PlaceHunk, File: "cart/cart.go", Line: 41},
			{ID: "function cart/cart.go (*Order).Apply", Kind: assurance.PlaceFunction, File: "cart/cart.go", Line: 38, Name: "(*Order).Apply"},
			{ID: "function cart/cart.go sum", Kind: assurance.PlaceFunction, File: "cart/cart.go", Line: 60, Name: "sum"}},
		Mutants: mutants(),
		Nulls: []assurance.PlannedNull{{ID: "null/cart/T1", File: "cart/cart.go", Tier: "T1"},
			{ID: "null/rate/T1", File: "cart/rate.go", Tier: "T1"}},
		Breaks: []assurance.PlannedBreak{{ID: "break/cart/T1", File: "cart/cart.go", Tier: "T1"}},
		Audits: []assurance.PlannedAudit{{ID: "audit/" + Killed, Mutant: Killed}},
	}
}

func mutants() []assurance.PlannedMutant {
	apply := []string{"hunk cart/cart.go:41-44", "function cart/cart.go (*Order).Apply"}
	return []assurance.PlannedMutant{
		{ID: Killed, Places: apply, InChange: true, File: "cart/cart.go", Line: 42, Operator: "relational", Origin: assurance.OriginOwn,
			Tier: "T1", Description: "`<` -> `<=`", Criteria: []string{"AC-1"},
			Diff: "--- a/cart/cart.go\n+++ b/cart/cart.go\n@@ -42 +42 @@\n-\tif o.used < 1 {\n+\tif o.used <= 1 {\n"},
		{ID: Reverted, Places: apply[:1], InChange: true, File: "cart/cart.go", Line: 41, Operator: "revert", Origin: assurance.OriginRevert,
			Tier: "T1", Description: "hunk put back to base", Criteria: []string{"AC-1"}},
		{ID: Other, Places: []string{"function cart/cart.go sum"}, InChange: true, File: "cart/cart.go", Line: 61, Operator: "return",
			Origin: assurance.OriginOwn, Tier: "T1", Description: "`return total` -> `return 0`"},
		{ID: Arid, Places: apply[1:], InChange: true, File: "cart/cart.go", Line: 43, Operator: "statement", Origin: assurance.OriginOwn,
			Tier: "T1", Description: "log line removed", Arid: "log line", AridBy: assurance.ByLane},
		{ID: Unviable, Places: apply[1:], InChange: true, File: "cart/cart.go", Line: 42, Operator: "arithmetic", Origin: assurance.OriginOwn,
			Tier: "T1", Description: "`+` -> `-` on strings", Known: assurance.MutantUnviable},
		{ID: Quota, File: "cart/rate.go", Line: 9, Operator: "constant", Origin: assurance.OriginOwn, Tier: "T1",
			Description: "`1` -> `0`", Criteria: []string{"AC-1"}},
	}
}

func observations() map[string]assurance.Observation {
	o := map[string]assurance.Observation{
		"closure":         {Closure: &assurance.ClosureObservation{Digest: closure, Verified: assurance.VerifiedSealed, Sandbox: assurance.SandboxOn, Paths: 12}},
		"box/unit":        {Box: &assurance.BoxObservation{Fence: "local", UID: 1000, NoNewPrivs: true, Seccomp: true, Interfaces: []string{"lo"}}},
		"probe/unit":      {Probe: &assurance.ProbeObservation{Tried: 2, Control: 2}},
		Killed:            kill(Once),
		Reverted:          kill(Once),
		Other:             kill(Total, Empty),
		Unviable:          {Mutant: &assurance.MutantObservation{Verdict: assurance.MutantUnviable}},
		Quota:             kill(Once, Total),
		"null/cart/T1":    {Null: &assurance.NullObservation{Passed: true}},
		"null/rate/T1":    {Null: &assurance.NullObservation{Passed: true}},
		"break/cart/T1":   {Break: &assurance.BreakObservation{Noticed: true}},
		"audit/" + Killed: {Audit: &assurance.AuditObservation{Verdict: assurance.MutantKilled}},
	}
	for _, t := range plan().Trees {
		o[t.ID] = assurance.Observation{Tree: &assurance.TreeObservation{Before: t.SHA256, After: t.SHA256}}
	}
	all := []string{Once, Total, Empty, Round}
	o[HeadPlain] = ran(0, all...)
	o[HeadOrder] = ran(1, all...)
	o[HeadOrder].Run.Tests = append(o[HeadOrder].Run.Tests,
		assurance.TestResult{ID: Cart + ".TestAmountQx7", Unit: Cart, Status: assurance.TestFailed},
		assurance.TestResult{ID: Tax + ".TestRateLw2", Unit: Tax, Status: assurance.TestFailed})
	o[HeadZone] = ran(0, all...)
	o[OnBase] = ran(0, all[1:]...)
	o[OnHybrid] = ran(1, all...)
	Set(o[OnHybrid], Once, assurance.TestFailed, "cart_test.go:31: discount applied twice")
	return o
}

func kill(killers ...string) assurance.Observation {
	return assurance.Observation{Mutant: &assurance.MutantObservation{Verdict: assurance.MutantKilled, Killers: killers, Reach: killers}}
}

func ran(exit int, passed ...string) assurance.Observation {
	r := &assurance.RunObservation{End: assurance.EndExited, Exit: exit, Census: assurance.Census{Peak: 4}, WallMS: 620, CPUMS: 480,
		PeakMemory: 61 << 20,
		Units: []assurance.UnitResult{{ID: Cart, Expected: true, Started: true, Ended: true},
			{ID: Tax, Expected: true, Started: true, Ended: true}}}
	for i, id := range passed {
		unit := Cart
		if id == Round || id == Broken {
			unit = Tax
		}
		r.Tests = append(r.Tests, assurance.TestResult{ID: id, Unit: unit, Status: assurance.TestPassed, MS: int64(3 * (i + 1))})
	}
	return assurance.Observation{Run: r}
}

// Set gives a test of a run another status and message. The status "" takes it out of the run.
func Set(o assurance.Observation, test string, status assurance.TestStatus, message string) {
	var out []assurance.TestResult
	for _, t := range o.Run.Tests {
		if t.ID == test {
			t.Status, t.Message = status, message
		}
		if t.Status != "" {
			out = append(out, t)
		}
	}
	o.Run.Tests = out
}
