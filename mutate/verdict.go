package mutate

// Verdict says what became of one mutant. Only Killed counts as a kill.
type Verdict string

const (
	Unviable   Verdict = "unviable"   // it does not compile: nothing was tested
	Equivalent Verdict = "equivalent" // the same code, proven
	Uncovered  Verdict = "uncovered"  // no test reaches it; counts as survived
	Survived   Verdict = "survived"   // every asked test passed
	Killed     Verdict = "killed"     // a named test failed that passes on the clean tree
	Hung       Verdict = "hung"       // a time budget ran out
	Exhausted  Verdict = "exhausted"  // memory, processes or disk ran out
	Crashed    Verdict = "crashed"    // the run broke and no test could be named
	Flaky      Verdict = "flaky"      // the killer did not fail again when asked
	NotRun     Verdict = "not-run"    // planned and not tried, for the reason given
)

// Verdicts lists all verdicts in the order in which people want to read them.
func Verdicts() []Verdict {
	return []Verdict{Killed, Survived, Uncovered, Hung, Exhausted, Crashed, Flaky, NotRun, Unviable, Equivalent}
}

// Viable reports whether a mutant with this verdict is, or may be, a program with a fault: one that counts.
func (v Verdict) Viable() bool { return v != Unviable && v != Equivalent && v != "" }

// Unnoticed reports whether the fault could be in the code and nobody would know.
func (v Verdict) Unnoticed() bool { return v == Survived || v == Uncovered }
