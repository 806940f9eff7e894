package assurancetest

import "github.com/vallane/lane/assurance"

// Names in the evidence of WithDownstream.
const (
	Box1             = "example.org/toolbox.TestBox"
	Box2             = "example.org/toolbox.TestLid"
	BoxCanary        = "example.org/toolbox.TestLidRx4"
	BoxUnit          = "example.org/toolbox"
	DownstreamHead   = "downstream/toolbox/head"
	DownstreamBase   = "downstream/toolbox/base"
	DownstreamCanary = "downstream/toolbox/canary"
	DownstreamGutted = "downstream/toolbox/gutted"
)

// WithDownstream adds the suite of a downstream user, which passes with base and head and fails without the code: with that of Good it earns VAL-2.
func WithDownstream(e *assurance.Evidence) {
	d := assurance.PlannedDownstream{Name: "toolbox", Source: "https://example.org/toolbox.git", Commit: "77aa88bb99cc00dd11ee22ff3344556677889900", Task: "unit",
		Place: "vendor/example.org/shop", Command: []string{"go", "test", "./..."}, Reporter: "go", Class: assurance.InProcess, Tests: []string{Box1, Box2}, Gone: 2,
		Runs: []assurance.DownstreamRun{{ID: DownstreamBase, On: assurance.Base}, {ID: DownstreamHead, On: assurance.Head},
			{ID: DownstreamCanary, On: assurance.Head, Canaries: []assurance.Canary{{Test: BoxCanary, Unit: BoxUnit}}, CanariesFailRun: true},
			{ID: DownstreamGutted, On: assurance.Gutted}}}
	e.Plan.Downstream = append(e.Plan.Downstream, d)
	for _, r := range d.Runs {
		o := &assurance.RunObservation{End: assurance.EndExited, Census: assurance.Census{Peak: 2}}
		switch {
		case r.On == assurance.Gutted:
			o.Exit, o.Units = 1, []assurance.UnitResult{{ID: BoxUnit, Expected: true, Unbuilt: true}}
		default:
			o.Units = []assurance.UnitResult{{ID: BoxUnit, Expected: true, Started: true, Ended: true}}
			for _, id := range d.Tests {
				o.Tests = append(o.Tests, assurance.TestResult{ID: id, Unit: BoxUnit, Status: assurance.TestPassed})
			}
		}
		for _, c := range r.Canaries {
			o.Exit = 1
			o.Tests = append(o.Tests, assurance.TestResult{ID: c.Test, Unit: BoxUnit, Status: assurance.TestFailed})
		}
		e.Observations[r.ID] = assurance.Observation{Run: o}
	}
}
