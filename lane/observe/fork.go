package observe

import (
	"encoding/json"
	"time"
)

// A Forker can load a command's tests once, and fork what is loaded for each run. What the hook does with the value that a run gives
// it is not its business.
type Forker interface {
	// Fork plans the process that loads. It reads orders from its standard input, one [ForkOrder] in a line, one after the other,
	// and answers in records that [ParseFork] reads; the children report their tests as any run of the command does.
	Fork(Request, ForkHook) (Plan, error)
}

// A ForkHook is code of Lane's own that changes, in a child, what was loaded.
type ForkHook struct {
	Module string            // absolute path in the box of a script of the command's language; it lies among Files
	Files  map[string][]byte // to be laid read-only, by absolute path in the box below /lane
}

// The sequences of a run's tests.
const (
	AsAsked    = "asked"    // as Tests has them
	AsSource   = "source"   // as the runner found them
	AsReversed = "reversed" // the other way round
)

// A ForkOrder asks for one child.
type ForkOrder struct {
	Number   int
	Examine  bool     // the child tells which values it could not apply, and runs nothing
	Value    string   // for the hook
	Tests    []string // ids of the only tests to run
	Sequence string   // what shares fixtures stays together
	FailFast bool
	Record   bool          // the hook's notes of the child are wanted
	CPU      time.Duration // budget of all processes of the child; 0 for none
	Each     time.Duration // the same from the beginning of a test to that of the next; 0 for none
	Wall     time.Duration // 0 for none
}

// Line is the order as the process reads it.
func (o ForkOrder) Line() ([]byte, error) {
	line, err := json.Marshal(map[string]any{
		"n": o.Number, "examine": o.Examine, "value": o.Value, "tests": o.Tests, "sequence": o.Sequence, "failfast": o.FailFast,
		"record": o.Record, "cpu": o.CPU.Seconds(), "each": o.Each.Seconds(), "wall": o.Wall.Seconds(),
	})
	return append(line, '\n'), err
}

// The events of the process that forks. The records of its children are those of [Collector].
const (
	ForkLoaded = "loaded" // everything is loaded; Why says what speaks against forking it, and then the process ends
	ForkLeft   = "left"   // of a child that examines: values that cannot be applied
	ForkNoted  = "noted"  // a piece of what the hook noted in a child, in order
	ForkEnded  = "forked" // a child has ended, and everything that it started
)

// The ends of a child.
const (
	ForkExited    = "exited"
	ForkSignaled  = "signaled"
	ForkNoTime    = "timeout"
	ForkNoCPU     = "cpu"
	ForkDidNotEnd = "did-not-exit" // everything was reported, and the process stayed
	ForkKilled    = "killed"       // for the reason in Why
)

// A ForkRecord is what the process that forks says.
type ForkRecord struct {
	Event string `json:"e"`
	// Why says what speaks against forking, or why the child's run differs from that of a process of its own, so that only a failed
	// test still means something.
	Why    string            `json:"m"`
	Values map[string]string `json:"values"` // of ForkLeft: the reason by value
	Notes  []byte            `json:"data"`   // of ForkNoted
	Number int               `json:"order"`
	End    string            `json:"end"`
	Code   int               `json:"c"` // exit status, or signal
	CPU    time.Duration     `json:"cpu"`
	Most   time.Duration     `json:"most"` // CPU time that one test used at most
	Wall   time.Duration     `json:"ns"`
	Left   int               `json:"left"`  // processes that were still there when the child had ended; all are gone now
	Dirty  bool              `json:"dirty"` // files are not as they were: the process is not to be used again
	Output string            `json:"out"`   // the end of what it printed
}

// ParseFork reads a record of the process that forks; false for one of another process, or none at all.
func ParseFork(b []byte) (r ForkRecord, ok bool) {
	if len(b) > MaxRecord || json.Unmarshal(b, &r) != nil {
		return r, false
	}
	return r, r.Event == ForkLoaded || r.Event == ForkLeft || r.Event == ForkNoted || r.Event == ForkEnded
}
