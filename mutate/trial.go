package mutate

import (
	"context"
	"time"
)

// Tier says how a mutant gets into a run. DESIGN's T2 (switched build) and T3 (forked session) differ from T0 and T1
// only in the trial's Switch and in who builds: engine, plan and verdicts are the same.
type Tier string

const (
	T0 Tier = "T0" // the whole command, the file laid over
	T1 Tier = "T1" // T0 with only the tests that reach the mutant
	T2 Tier = "T2" // all mutants in one build, behind a switch
	T3 Tier = "T3" // a loaded session, forked per mutant
)

// Purpose says why a trial is run.
type Purpose string

const (
	ForMutant    Purpose = "mutant"    // the verdict of one mutant
	ForNull      Purpose = "null"      // control: a change that changes nothing, which must pass
	ForCanary    Purpose = "canary"    // control: a file that no program survives, which must not pass
	ForConfirm   Purpose = "confirm"   // the same mutant again with its killers alone
	ForAlone     Purpose = "alone"     // one test alone on one mutant, to find vacuous tests
	ForAudit     Purpose = "audit"     // a verdict of T2 or T3 again, at T0
	ForCriterion Purpose = "criterion" // a criterion's tests on a mutant of its code
	ForRecord    Purpose = "record"    // the code as it is, noting what mutants would make of its values
)

// Trial is one run that the engine asks for.
type Trial struct {
	ID      string // unique within one engine run, and the same in a repeated one
	Purpose Purpose
	Mutant  *Mutant // nil for controls
	// Overlay is what differs from the head tree. It is nil where Switch selects the mutant instead.
	Overlay map[string]Content
	Tests   []string // ids of the only tests to run, likeliest killer first; nil = the whole command
	// FailFast allows the runner to stop after the first failure.
	FailFast bool
	CPU      time.Duration // budget in CPU time of all processes together
	Each     time.Duration // of T3: CPU time of one test; 0 = none of its own
	Wall     time.Duration // budget in wall time, for what waits without using the CPU
	Tier     Tier
	Switch   string // of T2 and T3: the value that selects the mutant
	// Lay is what a trial of T2 finds beside the value, by absolute path; Records names what it leaves that has to be brought back.
	Lay     map[string][]byte
	Records []string
}

// Record is what one program left behind.
type Record struct {
	Tests []string          // that it ran
	Files map[string][]byte // by the names of Trial.Records; what it did not leave is missing
}

// Status is what a run showed about one test.
type Status string

const (
	Passed     Status = "passed"
	Failed     Status = "failed"
	Skipped    Status = "skipped"
	Unfinished Status = "unfinished" // started, and its end was never reported
)

// End says how a run ended.
type End string

const (
	EndExited    End = "exited"
	EndSignaled  End = "signaled"
	EndTimeout   End = "timeout"      // wall budget; also a test runner's own time limit
	EndCPU       End = "cpu"          // CPU budget
	EndTurns     End = "loop"         // a loop went round far more often than in the original, and was ended
	EndNoExit    End = "did-not-exit" // the results were complete and the process stayed
	EndMemory    End = "memory"
	EndProcesses End = "processes"
	EndFiles     End = "open-files"
	EndDisk      End = "disk"
	EndLost      End = "lost" // the place where it ran gave out: says nothing about the mutant
)

// TrialResult is what a runner saw.
type TrialResult struct {
	// Tests holds every test that reported, by id, subtests included. A test that was running when its process died
	// is Unfinished.
	Tests map[string]Status
	// BuildFailed says that something did not compile, so that the tests of that part could not run.
	BuildFailed bool
	// Excused says that the run told of a failed build, and that its files do build: code that ends with such words hides a fault.
	Excused   bool
	End       End
	Exit      int           // exit status, where End is EndExited
	CPU, Wall time.Duration // used
	Most      time.Duration // of T3: CPU time that one test used at most
	Left      int           // processes that were still there when the command had ended; all are gone now
	Output    string        // tail, for people
	// Spoiled says, of a trial of T3, why it was not what a process of its own would have been: a failed test still means something,
	// and all else is asked again without forking.
	Spoiled string
	Records []Record // one of each program, where the trial names some
}

// Runner runs trials. It has to be safe for concurrent use. An error means that the trial could not be run at all,
// which says nothing about the mutant. When ctx ends, Run ends what it started and returns ctx's error.
type Runner interface {
	Run(ctx context.Context, t Trial) (TrialResult, error)
}

// CleanTest is what is known about one test on the clean tree.
type CleanTest struct {
	ID string
	// Top is the test that it is in the end a part of, or its own id; "" = found by the form of the ids.
	Top    string
	Status Status
	CPU    time.Duration // used by it alone; where only its duration is known, that
	Wall   time.Duration
	// Quarantined tests differed between runs of the clean tree. They are neither selected nor able to kill.
	Quarantined bool
	// Flipped tests have differed at some time. Their kills are confirmed.
	Flipped bool
}
