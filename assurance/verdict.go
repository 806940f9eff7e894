package assurance

import "time"

// Versions and the kind of a verdict.
const (
	// SchemaVersion is the version of the form of Verdict.
	SchemaVersion = 1
	// RulesVersion is the version of the rules by which Judge decides. It rises with every change that can
	// make the same evidence come to another result.
	RulesVersion = 1
	// VerdictKind is what the kind field of every verdict says.
	VerdictKind = "lane/verdict"
)

// Verdict is what evidence came to. Every field is made by Judge from the evidence alone.
type Verdict struct {
	SchemaVersion int    `json:"schema_version"`
	Kind          string `json:"kind"`
	RulesVersion  int    `json:"rules_version"`
	Engine        string `json:"engine"`

	Spec Spec `json:"spec"`
	// Contract is the signed contract that it was made under; nil where there is none.
	Contract *Contract `json:"contract,omitempty"`
	// Status is StatusDone, StatusRefused or StatusFailed. Outcome is empty where it is StatusRefused.
	Status  Status   `json:"status"`
	Outcome Outcome  `json:"outcome"`
	Blame   string   `json:"blame"`
	Reason  string   `json:"reason"`
	Signal  int      `json:"signal,omitempty"`
	Phase   string   `json:"phase,omitempty"` // where it stopped, if it did not come to its end
	Refusal *Refusal `json:"refusal,omitempty"`

	// Level is the highest level that was earned, Require what the spec asks for. NextLevel is the level
	// above, and WhyNot says what is missing for it, clause by clause.
	Level     Level    `json:"val"`
	Require   Level    `json:"require"`
	NextLevel Level    `json:"next_level"`
	WhyNot    []WhyNot `json:"why_not"`
	Exit      Exit     `json:"exit_code"`

	Clauses    []Clause    `json:"clauses"`
	Downgrades []Downgrade `json:"downgrades"`

	Tests     TestCounts        `json:"tests"`
	Failed    []FailedTest      `json:"failed_tests"`
	Unstable  []UnstableTest    `json:"unstable_tests"`
	Lost      []LostTest        `json:"lost_tests"`
	Vacuous   []VacuousTest     `json:"vacuous_tests"`
	Mutants   MutantCounts      `json:"mutants"`
	Survivors []Survivor        `json:"survivors"`
	Criteria  []CriterionResult `json:"criteria"`
	Leftovers []Leftover        `json:"leftovers"`
	// Hidden is what became of the hidden tests; nil where none were run.
	Hidden *HiddenResult `json:"hidden,omitempty"`
	// Target is what became of the tasks that test the running target; nil where there are none.
	Target *TargetResult `json:"target,omitempty"`
	// Services are those that tests talk to, in the order of the plan.
	Services []ServiceResult `json:"services,omitempty"`
	// Deploy is the rehearsal of a deployment; nil where the spec declares none.
	Deploy *DeployResult `json:"deploy,omitempty"`
	// Downstream is what the suites of users came to, one for each that the spec names.
	Downstream []DownstreamResult `json:"downstream,omitempty"`

	// Authority is whose rules it ran under, Venue where and by whom. Neither is part of the level.
	Authority Authority       `json:"authority"`
	Venue     string          `json:"venue"`
	Change    ChangeSummary   `json:"change"`
	Tasks     []Task          `json:"tasks"`
	Subject   Subject         `json:"subject"`
	Closures  []ClosureResult `json:"closures"`
	Fence     string          `json:"fence,omitempty"`

	Started  time.Time `json:"started,omitzero"`
	Finished time.Time `json:"finished,omitzero"`
	Attempt  int       `json:"attempt,omitempty"`
	Previous string    `json:"previous,omitempty"`

	Stages    []Timing       `json:"stages,omitempty"`
	Logs      []Log          `json:"logs,omitempty"`
	Reproduce []Reproduction `json:"reproduce,omitempty"`
	Notes     []string       `json:"notes,omitempty"`
	Fetched   []Fetched      `json:"fetched,omitempty"`

	// DoesNotProve lists, in sentences, what nobody should read into this verdict.
	DoesNotProve []string `json:"does_not_prove"`

	// EvidenceDigest is "sha256:" and hex over the compact JSON of Evidence.
	EvidenceDigest string    `json:"evidence_digest"`
	Evidence       *Evidence `json:"evidence"`
}

// ExitCode returns the exit code of the command that made this verdict. It is worked out from status,
// outcome and level, never read from Exit.
func (v Verdict) ExitCode() int { return int(v.exit()) }

func (v Verdict) exit() Exit {
	switch {
	case v.Status == StatusRefused:
		return ExitDistrust
	case v.Outcome == Interrupted && v.Signal == 15:
		return ExitTerminate
	case v.Outcome == OutcomePassed:
		if v.Status == StatusDone && v.Level >= VAL0 && v.Level >= v.Require {
			return ExitOK
		}
		return ExitShort
	}
	if m, ok := v.Outcome.meaning(); ok {
		return m.Exit
	}
	return ExitLane
}

// Clause returns the clause of that name; one that is missing is not-run.
func (v Verdict) Clause(id ClauseID) Clause {
	for _, c := range v.Clauses {
		if c.ID == id {
			return c
		}
	}
	return Clause{ID: id, Level: VAL0, State: NotRun, Reason: "the verdict does not have it"}
}

// WhyNot is one thing that is missing for the next level.
type WhyNot struct {
	// Clause is empty where the outcome itself allows no level.
	Clause ClauseID `json:"clause,omitempty"`
	Code   string   `json:"code,omitempty"`
	Reason string   `json:"reason"`
}

// Downgrade is the name of a failed clause and the highest level that it leaves.
type Downgrade struct {
	Clause ClauseID `json:"clause"`
	Code   string   `json:"code,omitempty"`
	Cap    Level    `json:"cap"`
	Reason string   `json:"reason"`
}

// TestCounts counts tests over all head runs, each test once, by its worst run.
type TestCounts struct {
	Required   int `json:"required"`
	Passed     int `json:"passed"`   // required ones that passed in every run
	Failed     int `json:"failed"`   // required ones that failed or did not finish in some run
	Skipped    int `json:"skipped"`  // required ones that were skipped in some run
	Missing    int `json:"missing"`  // required ones that some run did not show
	Observed   int `json:"observed"` // all tests that some run showed, canaries not counted
	Runs       int `json:"runs"`     // head runs observed
	Canaries   int `json:"canaries"` // planned canaries, over all head runs
	SeenFailed int `json:"canaries_seen_failing"`
}

// FailedTest is a required test that did not pass.
type FailedTest struct {
	ID   string `json:"id"`
	Task string `json:"task"`
	// Status is its worst status, or "missing".
	Status  string   `json:"status"`
	Runs    []string `json:"runs"`              // where it did not pass
	Message string   `json:"message,omitempty"` // the end of what it said, at most 4 KiB
}

// UnstableTest is a test whose runs differ.
type UnstableTest struct {
	ID       string `json:"id"`
	Task     string `json:"task"`
	Required bool   `json:"required"`
	// PreExisting says that it differs between runs of base too.
	PreExisting bool        `json:"pre_existing"`
	Runs        []RunStatus `json:"runs"`
	Message     string      `json:"message,omitempty"` // of the first run in which it did not pass
}

// RunStatus is what one run showed of one test.
type RunStatus struct {
	Run       string            `json:"run"`
	Variation map[string]string `json:"variation,omitempty"`
	Status    string            `json:"status"` // a TestStatus, or "missing"
}

// LostTest is a test that passes on base and that head does not have.
type LostTest struct {
	ID   string `json:"id"`
	Task string `json:"task"`
	// ListedBy is who lists the removal without having the authority to, if anybody does.
	ListedBy Authority `json:"listed_by,omitempty"`
}

// VacuousTest ran alone on every mutant that it reaches, and killed none.
type VacuousTest struct {
	ID      string `json:"id"`
	Mutants int    `json:"mutants"` // how many it reaches
}

// MutantCounts counts the mutants of the change. Those drawn for a criterion only are counted in Quota.
type MutantCounts struct {
	Planned      int `json:"planned"`
	Arid         int `json:"arid"`
	Unviable     int `json:"unviable"`
	Equivalent   int `json:"equivalent"`
	Viable       int `json:"viable"`
	Killed       int `json:"killed"`
	Survived     int `json:"survived"` // uncovered ones included
	Uncovered    int `json:"uncovered"`
	Explained    int `json:"explained"` // survivors that somebody with authority accounts for
	Inconclusive int `json:"inconclusive"`
	NotRun       int `json:"not_run"`
	Quota        int `json:"quota"`
	// Lower and Upper bound the score: what is inconclusive or not run as survived, and as killed.
	Lower float64 `json:"score_lower"`
	Upper float64 `json:"score_upper"`
}

// Survivor is a mutant that no test noticed.
type Survivor struct {
	ID          string        `json:"id"`
	File        string        `json:"file"`
	Line        int           `json:"line"`
	Operator    string        `json:"operator"`
	Description string        `json:"description,omitempty"`
	Diff        string        `json:"diff,omitempty"`
	Verdict     MutantVerdict `json:"verdict"` // survived or uncovered
	// InChange says that it counts against the change; the others lie in the code of a criterion.
	InChange bool `json:"in_change"`
	// Explained holds the reason where somebody with authority accounts for it.
	Explained string `json:"explained,omitempty"`
}

// States of a criterion.
const (
	CriterionMet          = "met"
	CriterionNotMet       = "not-met"
	CriterionUnproven     = "unproven"     // its tests pass, and kill no mutant of its code
	CriterionUnverifiable = "unverifiable" // Lane cannot see it
)

// CriterionResult is what became of one criterion.
type CriterionResult struct {
	ID    string   `json:"id"`
	Kind  string   `json:"kind"`
	Text  string   `json:"text,omitempty"`
	State string   `json:"state"`
	Tests []string `json:"tests,omitempty"`
	// Killed is the id of a mutant of its code that its tests kill.
	Killed string `json:"killed,omitempty"`
	Reason string `json:"reason"`
}

// Leftover is what a run left behind.
type Leftover struct {
	Run   string   `json:"run"`
	Left  int      `json:"left"`
	Names []string `json:"names,omitempty"`
	Leaky bool     `json:"leaky,omitempty"`
}

// ChangeSummary is what a verdict says about the change.
type ChangeSummary struct {
	Kind        string            `json:"kind"`
	SaidBy      Authority         `json:"said_by"`
	Files       int               `json:"files"`
	Environment []EnvironmentEdit `json:"environment,omitempty"`
	Protected   []string          `json:"protected,omitempty"`
	Ignored     []string          `json:"ignored,omitempty"`
}

// ClosureResult is one closure of the verdict.
type ClosureResult struct {
	Name     string `json:"name,omitempty"`
	Digest   string `json:"digest"`
	Verified string `json:"verified"`
	Sandbox  string `json:"sandbox"`
}
