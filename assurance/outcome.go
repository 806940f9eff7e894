package assurance

import "slices"

// Outcome is what a verification came to. It is empty where the status is StatusRefused.
type Outcome string

// Outcomes.
const (
	OutcomePassed      Outcome = "passed"
	TestsFailed        Outcome = "tests-failed"
	Tampered           Outcome = "tampered"
	Unstable           Outcome = "unstable"
	CommandUnavailable Outcome = "command-unavailable"
	EnvExhausted       Outcome = "environment-exhausted"
	CountsUnparsed     Outcome = "counts-unparsed"
	LaneFault          Outcome = "lane-fault"
	NoTestsObserved    Outcome = "no-tests-observed"
	BudgetExpired      Outcome = "budget-expired"
	NeverExited        Outcome = "did-not-exit"
	Interrupted        Outcome = "interrupted"
)

// Status says how far a verification got.
type Status string

// Statuses. The last three are terminal, and only they occur in a verdict.
const (
	StatusPlanned Status = "planned"
	StatusRunning Status = "running"
	StatusDone    Status = "done"
	StatusRefused Status = "refused"
	StatusFailed  Status = "failed"
)

// OutcomeMeaning is one entry of Outcomes.
type OutcomeMeaning struct {
	Outcome Outcome
	Means   string
	Blame   string // whom it speaks about: patch, tests, lane, or nobody
	Exit    Exit   // exit code; a passed one that falls short of what is required has ExitShort
}

// Outcomes returns the closed list of outcomes, worst first: where several apply, the first one is the
// outcome. The order is the one in which exit codes of several specs are combined.
//
// A fact that was seen through evidence that holds together outranks a fault on our side: a required test
// that failed in one run is not excused by a box that died in another.
func Outcomes() []OutcomeMeaning {
	return []OutcomeMeaning{
		{Interrupted, "the caller stopped Lane before it was done", "nobody", ExitInterrupt},
		{Tampered, "the evidence contradicts itself: events against exit status, a canary not seen failing, a protected path or a tree that changed", "nobody", ExitDistrust},
		{TestsFailed, "a required test failed, was skipped, or was lost, an API server refused a manifest of the change, or a test of a downstream user broke", "patch", ExitTestsFailed},
		{LaneFault, "Lane itself went wrong: no statement about the change", "lane", ExitLane},
		{CommandUnavailable, "the closure has no such command, or a service of the spec did not get ready, or ended while tests failed", "lane", ExitLane},
		{EnvExhausted, "a run met the limit of memory, processes, open files, disk or CPU", "lane", ExitLane},
		{CountsUnparsed, "the reporter could not tell what the tests did", "lane", ExitLane},
		{NeverExited, "every required test passed, and the process never ended", "lane", ExitBudget},
		{BudgetExpired, "time ran out", "lane", ExitBudget},
		{NoTestsObserved, "nothing ran", "nobody", ExitNoTests},
		{Unstable, "a required test both passed and failed", "tests", ExitShort},
		{OutcomePassed, "every required test passed", "nobody", ExitOK},
	}
}

// rank orders outcomes, worst first.
func (o Outcome) rank() int {
	return slices.IndexFunc(Outcomes(), func(m OutcomeMeaning) bool { return m.Outcome == o })
}

// Known reports whether o is one of Outcomes.
func (o Outcome) Known() bool { return o.rank() >= 0 }

func (o Outcome) meaning() (OutcomeMeaning, bool) {
	if i := o.rank(); i >= 0 {
		return Outcomes()[i], true
	}
	return OutcomeMeaning{}, false
}
