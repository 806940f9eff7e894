package assurancetest

import (
	"time"

	"github.com/vallane/lane/assurance"
)

// Target is the id of the target that AddTarget plans.
const Target = "target"

// Names in the evidence of AddTargetTask.
const (
	Sum        = "acceptance/test_shop.py::test_sum"
	Up         = "acceptance/test_shop.py::test_up"
	ShopCanary = "acceptance/test_shop.py::test_order_q7"
	ShopUnit   = "acceptance/test_shop.py"
	ShopStub   = "target/shop/stub"
	ShopLive   = "target/shop/live"
	ShopCheck  = "target/shop/canary"
)

// AddTargetTask gives evidence a target with a task that tests it and a criterion that it meets, by two tests of which one fails against the stub.
func AddTargetTask(e *assurance.Evidence) {
	AddTarget(e)
	p, o := e.Plan.Target, e.Observations[Target].Target
	p.Tasks = []assurance.TargetTask{{Name: "shop", Kind: assurance.TaskAPI, Command: []string{"pytest", "acceptance"}, Closure: e.Plan.Closures[0].ID, Reporter: "pytest",
		Class: assurance.InProcess, Tests: []string{Sum, Up}, Runs: []assurance.TargetRun{{ID: ShopStub, On: assurance.OnStub}, {ID: ShopLive, On: assurance.OnTarget},
			{ID: ShopCheck, On: assurance.OnTarget, Canaries: []assurance.Canary{{Test: ShopCanary, Unit: ShopUnit}}, CanariesFailRun: true}}}}
	e.Plan.Criteria = append(e.Plan.Criteria, assurance.Criterion{ID: "AC-7", Kind: assurance.CriterionTarget, Text: "The shop adds up", Tests: []string{Sum}})
	run := func(exit int, sum, canary assurance.TestStatus) assurance.Observation {
		r := &assurance.RunObservation{End: assurance.EndExited, Exit: exit, Census: assurance.Census{Peak: 1}, Units: []assurance.UnitResult{{ID: ShopUnit, Expected: true, Started: true, Ended: true}},
			Tests: []assurance.TestResult{{ID: Sum, Unit: ShopUnit, Status: sum}, {ID: Up, Unit: ShopUnit, Status: assurance.TestPassed}}}
		if canary != "" {
			r.Tests = append(r.Tests, assurance.TestResult{ID: ShopCanary, Unit: ShopUnit, Status: canary})
		}
		return assurance.Observation{Run: r}
	}
	e.Observations[ShopStub] = run(1, assurance.TestFailed, "")
	e.Observations[ShopLive] = run(0, assurance.TestPassed, "")
	e.Observations[ShopCheck] = run(1, assurance.TestFailed, assurance.TestFailed) // the second time it finds what the first left
	o.Runs = []assurance.TargetReceipt{{Run: ShopLive, Started: o.Check.Ended, Ended: o.Still.At}, {Run: ShopCheck, Started: o.Check.Ended, Ended: o.Still.At}}
}

// AddTarget gives evidence a target whose three clauses hold.
func AddTarget(e *assurance.Evidence) {
	const label, challenge = "lane-0123456789ab", "00112233445566778899aabbccddeeff"
	e.Plan.Target = &assurance.PlannedTarget{ID: Target, Name: "shop-" + label, Label: label, Context: assurance.ContextBox, Challenge: challenge,
		Address: "127.0.0.1:8080", Health: "/healthz", Build: []string{"go", "build", "-o", "/tmp/shop", "./cmd/shop"}, Up: []string{"/tmp/shop"},
		Check: []string{"sh", "acceptance.sh"}, Down: []string{"sh", "down.sh"}}
	start := time.Date(2026, 3, 1, 3, 0, 9, 0, time.UTC)
	at := func(second int) time.Time { return start.Add(time.Duration(second) * time.Second) }
	const digest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	ran := func(from, to, exit int) *assurance.Receipt {
		return &assurance.Receipt{Started: at(from), Ended: at(to), End: assurance.EndExited, Exit: exit, Stdout: digest, Stderr: digest}
	}
	answer := func(second int) *assurance.TargetAnswer {
		return &assurance.TargetAnswer{At: at(second), Address: "127.0.0.1:8080", Status: 200, Echo: challenge, Body: digest}
	}
	up := ran(1, 8, 0)
	up.End = assurance.EndInterrupted
	e.Observations[Target] = assurance.Observation{Target: &assurance.TargetObservation{Free: true, Build: ran(0, 1, 0), Up: up, Alive: answer(2),
		Blank: ran(3, 4, 1), Check: ran(4, 5, 0), Still: answer(6), Down: ran(6, 7, 0), Interfaces: []string{"lo"},
		Gone: &assurance.TargetGone{At: at(9), Refused: true}}}
}
