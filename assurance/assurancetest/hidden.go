package assurancetest

import (
	"time"

	"github.com/vallane/lane/assurance"
)

// Names in the evidence of WithHidden.
const (
	Hidden1       = "h-1"
	Hidden2       = "h-2"
	HiddenCanary  = "h-canary"
	HiddenUnit    = "u-1"
	HiddenHead    = "hidden/head"
	HiddenCanary1 = "hidden/canary"
	HiddenBase    = "hidden/base"
	HiddenNothing = "hidden/nothing"
	HiddenArchive = "sha256:4444444444444444444444444444444444444444444444444444444444444444"
)

// WithHidden puts evidence under a contract with hidden tests of a kind, which pass on head and fail on base.
func WithHidden(e *assurance.Evidence, kind string) {
	e.Plan.Spec.Authority, e.Plan.Change.SaidBy = assurance.ByContract, assurance.ByContract
	e.Plan.Contract = &assurance.Contract{Digest: "sha256:5555", Nonce: "66", Key: "key", Expires: time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), Hidden: HiddenArchive}
	h := &assurance.HiddenPlan{Archive: HiddenArchive, Kind: kind, Task: "unit", Command: []string{"go", "test", "./acceptance"}, Reporter: "go",
		Class: assurance.InProcess, Tests: []string{Hidden1, Hidden2}, Runs: []assurance.HiddenRun{
			{ID: HiddenHead, On: assurance.Head}, {ID: HiddenBase, On: assurance.Base},
			{ID: HiddenCanary1, On: assurance.Head, Canaries: []assurance.Canary{{Test: HiddenCanary, Unit: HiddenUnit}}, CanariesFailRun: true},
		}}
	if kind == assurance.HiddenBlackBox {
		h.Program = []string{"shop"}
		h.Runs = append(h.Runs, assurance.HiddenRun{ID: HiddenNothing, On: assurance.Nothing})
	}
	e.Plan.Hidden = h
	for _, r := range h.Runs {
		passed := r.On == assurance.Head
		o := &assurance.RunObservation{End: assurance.EndExited, Census: assurance.Census{Peak: 1},
			Units: []assurance.UnitResult{{ID: HiddenUnit, Expected: true, Started: true, Ended: true}}}
		for _, id := range h.Tests {
			status := assurance.TestPassed
			if !passed {
				status = assurance.TestFailed
			}
			o.Tests = append(o.Tests, assurance.TestResult{ID: id, Unit: HiddenUnit, Status: status})
		}
		for _, c := range r.Canaries {
			o.Tests = append(o.Tests, assurance.TestResult{ID: c.Test, Unit: HiddenUnit, Status: assurance.TestFailed})
		}
		if !passed || len(r.Canaries) > 0 {
			o.Exit = 1
		}
		e.Observations[r.ID] = assurance.Observation{Run: o}
	}
}
