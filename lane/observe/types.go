package observe

import (
	"fmt"
	"strings"
	"time"
)

// Status is how one test ended.
type Status string

// The statuses of a test, best first. Of several runs of one test the worst counts.
const (
	Passed     Status = "passed"
	Skipped    Status = "skipped"
	Failed     Status = "failed"
	Unfinished Status = "unfinished" // it began, and nothing was heard of it again
)

// worse reports whether s is a worse result than t.
func (s Status) worse(t Status) bool { return s.rank() > t.rank() }

func (s Status) rank() int {
	switch s {
	case Passed:
		return 1
	case Skipped:
		return 2
	case Unfinished:
		return 3
	case Failed:
		return 4
	}
	return 0
}

// A Test is one test of a session, all its runs folded into one.
type Test struct {
	ID       string        // as a person writes it, e.g. "example.org/cart.TestTotal/empty"
	Unit     string        // the ID of the unit that holds it
	Name     string        // its name within the unit
	Parent   string        // the ID of the test that it is a part of, or ""
	Status   Status        // the worst of its runs
	Ended    bool          // every run of it was heard to end; a failed test may lack its end (a crash after the failure)
	Runs     int           // how often it began
	Attempts []Status      // what each run showed, in order, at most 64
	Duration time.Duration // sum of all its runs, as the test process measured it: never evidence
	Message  string        // what it said when it failed or was skipped, at most 32 KiB, with file and line where known

	Parts        int // tests directly or indirectly within it
	PartsSkipped int // those of them that were skipped
}

// A Unit is what one process of the runner tests: for Go, one package.
type Unit struct {
	ID        string
	Expected  bool     // the tree holds tests for it and the command asks for them
	Started   bool     // a process of it reported
	Ended     bool     // every process of it reported its end
	Processes int      // how many processes reported
	Exit      int      // the worst exit code that an end record named; 0 where none came
	Listed    []string // names of the tests that it was going to run
	Left      []string // names of the tests that the command's own filter left out
	NotRun    []string // ids of the listed tests that never began
	Unlisted  []string // ids of tests that the unit's source holds and that it neither listed nor left out
	Hidden    []string // ids of tests that its source holds and the command asks for, and that it was not going to run
	FailFast  bool     // it was asked to stop at the first failure
	TimedOut  bool     // the runner's own time-out struck
}

// Silent reports whether the unit was expected and never reported.
func (u Unit) Silent() bool { return u.Expected && !u.Started }

// A Session is what one run of one command showed. It is a snapshot: nothing changes it later.
type Session struct {
	Tests    []Test   // sorted by ID, without canaries and what is within them
	Canaries []Test   // sorted by ID; one that never began is missing here
	Units    []Unit   // sorted by ID: the expected ones and those that reported
	Problems []string // facts about the records themselves that an honest reporter never causes; at most 100 and a last line
	Lost     bool     // records are known to be missing: by their numbers, or because the channel said so
	Records  int      // how many records came
	Expected bool     // the expected units are known; where not, no unit can be called silent
}

// An End is how the process of the command ended, seen from outside.
type End struct {
	Exited bool // it exited by itself; false after a signal, a time-out or a limit
	Code   int  // its exit status, where it exited
}

// A Canary is a test of Lane's own that must be seen failing in the session that it was planned for.
type Canary struct {
	ID   string
	Unit string
}

// Class says what the code under test could do to the reports.
type Class string

const (
	// InProcess reporters live in the test process and host canaries: tamper-evident, not tamper-proof.
	InProcess Class = "in-process"
	// Forgeable reports are made by the code under test's own output; no canary can vouch for them.
	Forgeable Class = "forgeable"
)

// An Unparsed error says that a reporter does not know the runner that it was to report from well enough: its results
// would be guesses. It leads to the outcome counts-unparsed.
type Unparsed struct {
	Reporter string // name of the reporter
	What     string // what it could not find, and where
	Advice   string // what to do next
}

func (e *Unparsed) Error() string { return fmt.Sprintf("prepare %s reporter: %s", e.Reporter, e.What) }

// A Missing error says that the closure lacks the command that a reporter has to prepare. It leads to the outcome
// command-unavailable.
type Missing struct {
	Command string
	Path    []string // where it was looked for, as the box sees it
}

func (e *Missing) Error() string {
	return fmt.Sprintf("find %s: not in the closure's PATH %s", e.Command, strings.Join(e.Path, ":"))
}

// Hint says what a person may do next.
func (e *Unparsed) Hint() string { return e.Advice }
