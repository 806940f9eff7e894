package fence

import "time"

// An End says how a run came to its end. It is a closed list.
type End string

// The ends of a run.
const (
	Exited      End = "exited"       // by itself, with Result.Exit
	Signaled    End = "signaled"     // by Result.Signal, not sent by Lane
	TimedOut    End = "timed-out"    // Command.Timeout was over
	OutOfCPU    End = "cpu-time"     // Command.CPU was used up
	OutOfMem    End = "memory"       // Limits.Memory was met
	TooMany     End = "processes"    // Limits.Processes was met, and the command failed
	ManyFiles   End = "open-files"   // Limits.OpenFiles was met by a process, and the command failed
	DiskFull    End = "disk"         // Limits.Disk, Inodes or FileSize was met, and the command failed
	TooMuchOut  End = "output"       // Limits.Output was met
	DidNotExit  End = "did-not-exit" // AfterEvents was true, ExitGrace was over
	Interrupted End = "interrupted"  // the context was cancelled
	BoxDied     End = "box-died"     // the box's pid 1 was gone before the command
	NotFound    End = "not-found"    // there is no such command in the box
	NotStarted  End = "not-started"  // it is there, and could not be executed
)

// A Result says how one run went. Everything in it was observed from outside
// the command's processes.
type Result struct {
	End    End
	Exit   int    // exit status where the command exited; else -1
	Signal int    // number of the signal that ended the command, or 0
	Note   string // for a person: why it did not start, or how the box died

	// Exhausted lists the limits that were seen hit, also where the command
	// went on and exited 0: any of OutOfMem, TooMany, ManyFiles and DiskFull.
	// Nobody is told of the moment at which open files run out: it is only seen where it lasts until the next look, at most
	// 50 ms later, and on Linux 6.2 or later.
	Exhausted []End

	Stdout, Stderr Tail
	LogCut         bool   // Command.LogLimit was met
	LogError       string // why Command.Log stopped

	Events     int       // records received
	LastEvent  time.Time // when the last of them came
	EventsLost bool      // records came too large or too many, and were dropped

	Wall       time.Duration // from start to the command's end
	CPU        time.Duration // user and system time of all processes of the run
	PeakMemory int64         // bytes held by all processes at once, by sampling, and at least by the largest one
	DiskUsed   int64         // bytes that the run left in its writable places

	// Leaky lists the orphans that were killed after AfterEvents because they
	// held the command up.
	Leaky []Process

	Census       Census
	Collected    map[string][]byte
	NotCollected map[string]string // path to reason
	Facts        Facts
}

// A Process is one that was alive in the box.
type Process struct {
	PID     int // in the box
	Parent  int
	Name    string
	Command string // arguments joined by blanks, at most 256 bytes
}

// A Census counts the processes of a run, from outside of them.
type Census struct {
	Peak    int       // most processes alive at once: seen at the start, every 50 ms, and at the command's end
	Started int       // process and thread ids that the kernel gave out during the run; 0 if it does not tell
	Left    []Process // alive when the command had ended and stragglers had had 100 ms; at most 64
	After   int       // alive after the box was emptied; anything but 0 makes the box unusable
	// Inconclusive is true where not even the command itself was seen alive: then
	// an empty Left proves nothing.
	Inconclusive bool
}

// Facts are what the kernel says about the command's own process.
type Facts struct {
	UID, GID   int
	Groups     []int // supplementary, as seen in the box
	CapEff     uint64
	CapPrm     uint64
	CapInh     uint64
	CapBnd     uint64
	CapAmb     uint64
	NoNewPrivs bool
	Seccomp    int // 2 is a filter

	// Resource limits of the process; ^uint64(0) means none.
	OpenFiles, FileSize, Processes, Core uint64

	CPUs int // processors that it may use

	Interfaces []Interface
	Mounts     int // mount points in the box

	// ReplacesFolders is false where the kernel's tmpfs keeps no extended
	// attributes of users (before Linux 6.6): a folder of the tree that was
	// removed cannot be made again there.
	ReplacesFolders bool

	MemoryBy    string // what holds the memory limit: "sampling and cgroup-v2", "sampling and cgroup-v1", "sampling"
	ProcessesBy string // what holds the process limit: "rlimit and cgroup-v2", "rlimit and cgroup-v1", "rlimit"
}

// An Interface is a network interface in the box.
type Interface struct {
	Name string
	Up   bool
}

// A ProbeResult says what came of dialling one address from inside a box.
type ProbeResult struct {
	Network string // "tcp" or "udp"
	Address string
	Reached bool   // connected; for udp: an answer came
	Error   string // the kernel's word otherwise
}
