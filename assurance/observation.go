package assurance

// Observation is what was seen of one planned thing. Exactly one field is set, the one that fits the kind
// of the plan's id; any other shape counts as not-run.
type Observation struct {
	Run     *RunObservation     `json:"run,omitempty"`
	Closure *ClosureObservation `json:"closure,omitempty"`
	Tree    *TreeObservation    `json:"tree,omitempty"`
	Box     *BoxObservation     `json:"box,omitempty"`
	Probe   *ProbeObservation   `json:"probe,omitempty"`
	Mutant  *MutantObservation  `json:"mutant,omitempty"`
	Null    *NullObservation    `json:"null,omitempty"`
	Break   *BreakObservation   `json:"break,omitempty"`
	Audit   *AuditObservation   `json:"audit,omitempty"`
	Target  *TargetObservation  `json:"target,omitempty"`
	Server  *ServerObservation  `json:"server,omitempty"`
	Object  *ObjectObservation  `json:"object,omitempty"`
	Control *ControlObservation `json:"control,omitempty"`
	Service *ServiceObservation `json:"service,omitempty"`
	Spoilt  *SpoiltObservation  `json:"spoilt,omitempty"`
}

// End is how the command of a run ended.
type End string

// Ends of a run.
const (
	EndExited      End = "exited"            // of its own accord, with RunObservation.Exit
	EndSignaled    End = "signaled"          // by a signal that Lane did not send
	EndTimeout     End = "timeout"           // Lane ended it when its time was over
	EndDidNotExit  End = "did-not-exit"      // every session had ended and the process went on until its time was over
	EndMemory      End = "memory"            // it met the box's memory limit
	EndProcesses   End = "processes"         // it met the box's process limit
	EndFiles       End = "open-files"        // it met the box's limit on open files
	EndDisk        End = "disk"              // it met a size or space limit
	EndCPU         End = "cpu"               // it used up its CPU budget
	EndNoCommand   End = "command-not-found" // the closure has no such command, or it cannot be executed
	EndNoService   End = "no-service"        // a service of the spec did not get ready, or ended while tests failed
	EndBoxDied     End = "box-died"          // the box itself went away
	EndNotStarted  End = "not-started"       // Lane could not start it
	EndInterrupted End = "interrupted"       // the caller stopped Lane in the middle of it
)

// TestStatus is how one test ended.
type TestStatus string

// Test statuses. A test that was not seen at all is simply not listed.
const (
	TestPassed     TestStatus = "passed"
	TestFailed     TestStatus = "failed"
	TestSkipped    TestStatus = "skipped"
	TestUnfinished TestStatus = "unfinished" // it started, and nothing says that it ended
)

// RunObservation is what one run showed, through Lane's own reporter.
type RunObservation struct {
	End    End    `json:"end"`
	Exit   int    `json:"exit,omitempty"`   // exit status, where End is EndExited
	Signal string `json:"signal,omitempty"` // name, where End is EndSignaled
	// Tests lists every test that was seen, canaries included. A test reported twice is listed twice.
	Tests []TestResult `json:"tests"`
	Units []UnitResult `json:"units,omitempty"`
	// Problems lists contradictions inside the event stream: an end without a start, two ends, records that
	// no reporter of Lane's writes.
	Problems []string `json:"problems,omitempty"`
	// Lost says that events were lost on their way, by Lane's fault or a limit: counts are not known.
	Lost   bool   `json:"lost,omitempty"`
	Census Census `json:"census"`
	// Leaky says that something went on holding the output after the command had ended.
	Leaky bool `json:"leaky,omitempty"`
	// Written lists paths that the run wrote in its tree, bounded; for people.
	Written []string `json:"written,omitempty"`
	// Output is a tail of what was printed, bounded; for people only, never evidence.
	Output     string `json:"output,omitempty"`
	WallMS     int64  `json:"wall_ms,omitempty"`
	CPUMS      int64  `json:"cpu_ms,omitempty"`
	PeakMemory int64  `json:"peak_memory,omitempty"` // bytes
	// Detail says more about End, for people ("exec format error").
	Detail string `json:"detail,omitempty"`
}

// TestResult is one test of one run.
type TestResult struct {
	ID     string     `json:"id"`
	Unit   string     `json:"unit,omitempty"`
	Status TestStatus `json:"status"`
	MS     int64      `json:"ms,omitempty"`
	// Message is what a test that did not pass said, bounded.
	Message string `json:"message,omitempty"`
}

// UnitResult is one session of one run: a Go package's test binary, a pytest session.
type UnitResult struct {
	ID string `json:"id"`
	// Expected says that the tree holds tests for it and the command asks for them.
	Expected bool `json:"expected,omitempty"`
	// Unbuilt says that it did not build; Message holds the compiler's words, bounded.
	Unbuilt bool   `json:"unbuilt,omitempty"`
	Message string `json:"message,omitempty"`
	// Started and Ended say that the session's own first and last record arrived.
	Started bool `json:"started,omitempty"`
	Ended   bool `json:"ended,omitempty"`
	// TimedOut says that the runner's own time limit struck.
	TimedOut bool `json:"timed_out,omitempty"`
}

// Census counts the processes of a box.
type Census struct {
	// Peak is the highest number alive at once, Left what was still alive after the command and had to be
	// ended. Names holds the names of those left, bounded.
	Peak  int      `json:"peak,omitempty"`
	Left  int      `json:"left,omitempty"`
	Names []string `json:"names,omitempty"`
	// Inconclusive says that the count saw nothing alive, or did not add up.
	Inconclusive bool `json:"inconclusive,omitempty"`
}

// Store verification levels, weakest first.
const (
	VerifiedNone   = "none"
	VerifiedLstat  = "lstat"
	VerifiedDB     = "db"
	VerifiedSealed = "sealed"
	VerifiedFull   = "full"
)

// States of the build sandbox that a closure came out of.
const (
	SandboxOn      = "on"
	SandboxOff     = "off"
	SandboxUnknown = "unknown"
	// SandboxUnneeded says that nothing was built: every path was fetched by its content's hash or came
	// signed from a cache.
	SandboxUnneeded = "unneeded"
)

// ClosureObservation is what a look at the store showed.
type ClosureObservation struct {
	Digest string `json:"digest"` // of what lies there now
	// Verified is how closely it was looked at: one of the Verified constants.
	Verified string `json:"verified"`
	// Sandbox is one of the Sandbox constants.
	Sandbox string `json:"sandbox"`
	Paths   int    `json:"paths,omitempty"`
}

// TreeObservation holds Lane's measure of a tree, taken before the first run and after the last.
type TreeObservation struct {
	Before string `json:"before"`
	After  string `json:"after"`
	// Differs lists paths that are not as they should be, bounded; for people.
	Differs []string `json:"differs,omitempty"`
}

// BoxObservation is what the inside of a box looks like, as seen from inside.
type BoxObservation struct {
	Fence        string   `json:"fence"` // "local", ...
	UID          int      `json:"uid"`
	Capabilities []string `json:"capabilities,omitempty"`
	NoNewPrivs   bool     `json:"no_new_privs"`
	Seccomp      bool     `json:"seccomp"`
	Interfaces   []string `json:"interfaces,omitempty"`
	// Environment lists the names of variables in the box that came from the host. It should be empty.
	Environment []string          `json:"environment,omitempty"`
	Limits      map[string]string `json:"limits,omitempty"` // for people
}

// ProbeObservation is one network probe: the same listeners, dialled from a control box that may reach
// them and from the test box that may not.
type ProbeObservation struct {
	// Tried counts the addresses dialled from the test box, Reached those that answered.
	Tried   int `json:"tried"`
	Reached int `json:"reached"`
	// Control counts the addresses that answered the control box. It must equal Tried.
	Control int `json:"control"`
	// Answered lists what answered the test box, bounded; for people.
	Answered []string `json:"answered,omitempty"`
}

// MutantVerdict is what became of one mutant.
type MutantVerdict string

// Mutant verdicts. Only MutantKilled counts as a kill.
const (
	MutantKilled     MutantVerdict = "killed"     // a named test failed that passes on the clean tree
	MutantSurvived   MutantVerdict = "survived"   // every test passed
	MutantUncovered  MutantVerdict = "uncovered"  // no test reaches it
	MutantHung       MutantVerdict = "hung"       // it ran out of its CPU budget
	MutantExhausted  MutantVerdict = "exhausted"  // it met a memory, process or disk limit
	MutantCrashed    MutantVerdict = "crashed"    // the session died without a named failure
	MutantFlaky      MutantVerdict = "flaky"      // trials disagreed
	MutantUnviable   MutantVerdict = "unviable"   // it does not build
	MutantEquivalent MutantVerdict = "equivalent" // proven to be the same code
	MutantNotRun     MutantVerdict = "not-run"    // never tried; the same as no observation
)

// MutantObservation is what the trials of one mutant showed.
type MutantObservation struct {
	Verdict MutantVerdict `json:"verdict"`
	// Killers lists tests that failed on it and pass on the clean tree. A search that stops at the first
	// failure lists one.
	Killers []string `json:"killers,omitempty"`
	// Reach lists the tests that reach it, as far as that is known. PassedAlone lists those that ran on it
	// with no other test beside them, and passed.
	Reach       []string `json:"reach,omitempty"`
	PassedAlone []string `json:"passed_alone,omitempty"`
	// Tier is where it was tried in the end, where that is not the planned tier.
	Tier   string `json:"tier,omitempty"`
	Detail string `json:"detail,omitempty"` // for people
	CPUMS  int64  `json:"cpu_ms,omitempty"`
}

// NullObservation is what a null mutant showed.
type NullObservation struct {
	// Passed says that the tests ran on it and every one that passes on the clean tree passed.
	Passed bool `json:"passed"`
	// Failed lists those that did not: they notice an edit, not a fault, and cannot kill.
	Failed []string `json:"failed,omitempty"`
	// Same says that the file was laid over unchanged, because nobody knows how to write a comment in it:
	// this shows that the laying-over works, and not that no test reads the source.
	Same   bool   `json:"same,omitempty"`
	Detail string `json:"detail,omitempty"` // for people
}

// BreakObservation is what a broken file showed.
type BreakObservation struct {
	// Noticed says that the run did not come out green.
	Noticed bool   `json:"noticed"`
	Detail  string `json:"detail,omitempty"` // for people
}

// AuditObservation is what a second trial at T0 came to.
type AuditObservation struct {
	Verdict MutantVerdict `json:"verdict"`
}
