package assurance

// ClauseID names one clause.
type ClauseID string

// Clauses.
const (
	ClosurePinned   ClauseID = "closure-pinned"
	CommandKnown    ClauseID = "command-known"
	RequiredPassed  ClauseID = "required-passed"
	NoneLost        ClauseID = "none-lost"
	TreeBound       ClauseID = "tree-bound"
	ClosureSealed   ClauseID = "closure-sealed"
	NoNetwork       ClauseID = "no-network"
	Clean           ClauseID = "clean"
	Stable          ClauseID = "stable"
	CanarySeen      ClauseID = "canary"
	NullMutant      ClauseID = "null-mutant"
	ProvesChange    ClauseID = "proves-change"
	MutantsKilled   ClauseID = "mutants-killed"
	CriteriaBite    ClauseID = "criteria-bite"
	CensusClean     ClauseID = "census"
	Counterpart     ClauseID = "counterpart"
	NegativeControl ClauseID = "negative-control"
	TargetMade      ClauseID = "target-made"
	Challenge       ClauseID = "challenge"
	NotProduction   ClauseID = "not-production"
	HiddenPassed    ClauseID = "hidden-passed"
)

// State is where a clause stands. Only Held and Waived let a level stand.
type State string

// States of a clause.
const (
	Held   State = "held"
	Failed State = "failed"
	NotRun State = "not-run" // nothing was seen that could decide it
	Waived State = "waived"  // by a rule, never by the change
)

// Codes that name why a clause does not hold, where a name is of use to a machine.
const (
	CodeSurvivor      = "survivor"
	CodeInconclusive  = "inconclusive"
	CodeNothingToBite = "nothing-to-bite"
	CodeVacuous       = "vacuous"
	CodeFlaky         = "flaky"
	CodeLost          = "lost"
	CodeDirty         = "dirty"
	CodeEnvEdited     = "environment-edited"
	CodeUnhashed      = "unhashed-dependencies"
)

// ClauseCodes returns the closed list of codes that a clause can carry.
func ClauseCodes() []Meaning {
	return []Meaning{
		{CodeSurvivor, "a fault put into the code would go unnoticed"},
		{CodeInconclusive, "what was seen cannot decide it: no viable mutant, too many without a clear verdict, a control that says no"},
		{CodeNothingToBite, "the change has no code that a fault could be put into (documentation)"},
		{CodeVacuous, "tests ran alone on every mutant that they reach and killed none"},
		{CodeFlaky, "tests differ between runs"},
		{CodeLost, "a test that passes on base does not run on head"},
		{CodeDirty, "the tree holds edits that no commit has"},
		{CodeEnvEdited, "the change edits what makes the environment, so base's was used, or brings one where base has none"},
		{CodeUnhashed, "dependencies were fetched that no hash of a lock file stands for: the next fetch may bring others"},
	}
}

// Clause is one clause of a verdict.
type Clause struct {
	ID    ClauseID `json:"id"`
	Level Level    `json:"level"`
	State State    `json:"state"`
	// Code names the reason where it has a name.
	Code string `json:"code,omitempty"`
	// Reason is one sentence. Facts name what it rests on, at most 20 of them and a count of the rest.
	Reason string   `json:"reason"`
	Facts  []string `json:"facts,omitempty"`
}

// Holds reports whether the clause lets its level stand.
func (c Clause) Holds() bool { return c.State == Held || c.State == Waived }

// ClauseMeaning is one entry of Clauses.
type ClauseMeaning struct {
	ID    ClauseID
	Level Level
	Means string
}

// Clauses returns the closed list of clauses, in order of level.
func Clauses() []ClauseMeaning {
	return []ClauseMeaning{
		{ClosurePinned, VAL0, "the closure is pinned by a lock, and what lies in the store was verified to be it"},
		{CommandKnown, VAL0, "every command comes from the spec, and whose spec it is, is printed"},
		{RequiredPassed, VAL0, "exit status and every required test agree in every run, none skipped"},
		{NoneLost, VAL0, "every test that passes on base passes on head, or base or a contract lists its removal"},
		{TreeBound, VAL0, "the tree was measured before the first run and again after the last"},
		{ClosureSealed, VAL1, "the closure was verified as sealed or in full, and built in a sandbox"},
		{NoNetwork, VAL1, "a listener that a control box reached could not be reached from the test box"},
		{Clean, VAL1, "the tree is a commit or a patch on one, the environment is base's, dependencies have hashes, the box is unprivileged"},
		{Stable, VAL1, "at least 3 varied runs agree on every test"},
		{CanarySeen, VAL1, "tests of Lane's own that must fail were seen failing in the same sessions"},
		{NullMutant, VAL1, "a mutant that changes nothing was seen passing, per file and tier"},
		{ProvesChange, VAL1, "on base, a test of the change fails or does not build"},
		{MutantsKilled, VAL1, "every changed function and hunk has a kill, and no fault survives unexplained"},
		{CriteriaBite, VAL1, "the tests of each criterion kill a mutant of its code"},
		{CensusClean, VAL1, "no process was left behind by a run"},
		{Counterpart, VAL2, "something that is not the repository's own code answered"},
		{NegativeControl, VAL2, "the same counterpart refused a broken one"},
		{TargetMade, VAL3, "the target was made for this run and destroyed after, with receipts"},
		{Challenge, VAL3, "the target echoed this run's challenge"},
		{NotProduction, VAL3, "the target is proven not to be production"},
		{HiddenPassed, VAL3, "the hidden acceptance tests passed from a second, fresh box"},
	}
}
