package fence

import (
	"io"
	"io/fs"
	"time"
)

// A Command is one run in a box.
//
// Every run starts from the same tree, folders, environment, process ids and ipc
// namespace, so that code cannot tell the first run from the hundredth by what
// an earlier one left. The network namespace is the box's: its sockets die with
// their processes, but packet counters in /proc/net go on, and so do the
// kernel's mount ids.
type Command struct {
	// Argv is the program and its arguments. A name without a slash is looked
	// up in the box's PATH.
	Argv []string

	// Env is added to the box's environment ("K=V"), and wins over it.
	Env []string

	// Dir is the folder to start in; empty means TreeDir. A relative one is
	// below TreeDir.
	Dir string

	// Timeout is the wall time that the command may take; zero means 10 minutes.
	Timeout time.Duration

	// Grace is the time between SIGTERM to everything in the box and SIGKILL to
	// everything, once Timeout is over. Zero means 2 seconds.
	Grace time.Duration

	// CPU bounds the processor time of all processes of the run together. Zero
	// means no bound but Timeout.
	CPU time.Duration

	// Overlay changes the tree for this run: path in the tree to change.
	Overlay map[string]Change

	// Files lie read-only below FilesDir in this run only; keys are absolute
	// and may not name a file of Config.Files.
	Files map[string]File

	// Events receives the records that the box's processes write to descriptor
	// 3, one per write, in order and never concurrently. rec is only valid
	// during the call. nil means that there is no descriptor 3.
	Events func(rec []byte)

	// AfterEvents is asked after each record whether the command has said
	// everything that it has to say. From the first true on, orphans that hold
	// the command up are killed (Result.Leaky), and the command has ExitGrace
	// to end by itself.
	AfterEvents func() bool

	// ExitGrace is the time from AfterEvents to a forced end; zero means 10
	// seconds.
	ExitGrace time.Duration

	// Collect lists absolute box paths of regular files to read after the last
	// process is gone. Files that are missing, no regular files, or reached
	// through a symlink are left out; see Result.NotCollected.
	Collect []string

	// CollectLimit bounds each collected file in bytes; zero means 16 MiB.
	CollectLimit int64

	// Log receives stdout and stderr as they come, up to LogLimit. Calls are
	// never concurrent. A failed write ends the log, not the run
	// (Result.LogError).
	Log io.Writer

	// Stdin is copied to the command's standard input while it runs; nil is an empty one. A Read that is under
	// way when the command ends is left alone, and what it returns is lost.
	Stdin io.Reader

	// Stdout and Stderr receive that stream alone as it comes, without a limit but Limits.Output. A failed write
	// ends that copy, not the run. No two calls are concurrent.
	Stdout, Stderr io.Writer

	// Terminal gives the command a terminal of its own, which controls its session, in place of the three streams. Stdin is
	// what is typed there, Stdout gets what it shows, and there are no Stderr and no Events.
	Terminal *Terminal

	// LogLimit bounds the bytes written to Log; zero means 64 MiB.
	LogLimit int64

	// TailLimit is the number of bytes kept of the beginning, and of the end, of
	// stdout and of stderr each; zero means 64 KiB.
	TailLimit int

	// Keep starts from what the run before left behind instead of from a fresh
	// state. Only processes never survive.
	Keep bool
}

// A Terminal is what a person looks at. The zero value has no size, as a terminal whose size nobody knows.
type Terminal struct {
	Size
	Resized <-chan Size // later sizes, until it is closed; nil for none
}

// A Size is that of a terminal in characters.
type Size struct{ Rows, Columns uint16 }

// A Change is one difference between the tree of a run and Config.Tree.
type Change struct {
	// Data is the file's content, or the target if Mode is a symlink's.
	Data []byte
	// Delete removes the path, with everything below it and with folders that
	// it leaves empty.
	Delete bool
	// Mode holds the permission bits and fs.ModeSymlink. Zero means those of
	// the file that is there, or 0644.
	Mode fs.FileMode
}

// effective values of optional fields.
func (c *Command) timeout() time.Duration   { return orDuration(c.Timeout, 10*time.Minute) }
func (c *Command) grace() time.Duration     { return orDuration(c.Grace, 2*time.Second) }
func (c *Command) exitGrace() time.Duration { return orDuration(c.ExitGrace, 10*time.Second) }

func orDuration(d, def time.Duration) time.Duration {
	if d <= 0 {
		return def
	}
	return d
}
