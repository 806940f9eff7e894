package fence

import (
	"io/fs"
	"time"
)

// Places inside every box.
const (
	TreeDir  = "/tree"      // the overlay of Config.Tree; where commands start
	HomeDir  = "/home/lane" // HOME: empty and writable at the start of each run
	FilesDir = "/lane"      // Lane's own files for a run, read-only
	BoxUID   = 1000         // user and group id of every command
)

// DefaultHostID is the user and group id of the host that [BoxUID] maps to when
// root opens a box: it lies in a range that distributions leave unassigned.
const DefaultHostID = 72017

// Config describes a box. The zero value is a box with an empty tree and no
// program in it.
type Config struct {
	// StorePaths are bind-mounted read-only, nosuid and nodev, with everything
	// mounted below them.
	StorePaths []Mount

	// Tree is the host folder whose overlay appears at TreeDir. Its files must
	// belong to HostID(). Empty means an empty tree.
	Tree string

	// TreeBelow is a host folder that shows in the tree where Tree itself has nothing, such as what was fetched for it.
	// Like Tree it is only read. Empty means none.
	TreeBelow string

	// TreeGit is a host folder whose entry .git shows in the tree, which has none of its own. Like Tree it is only read.
	// Empty means none.
	TreeGit string

	// TreeCopy gives each run a copy of the tree in memory in place of an overlay. It costs the time of the copy for each
	// run that follows one, and the tree counts to Limits.Disk and Inodes. It serves code that renames folders of the
	// tree, which an overlay in a user namespace refuses (EXDEV).
	TreeCopy bool

	// Listen holds addresses of the box's loopback interface, as in "127.0.0.1:3128", at which Lane answers: see
	// Box.Listeners. There are at most 6.
	Listen []string

	// Ways lets Lane connect to what commands of the box listen at: see Box.Way.
	Ways bool

	// Overlays are further writable folders, such as build caches.
	Overlays []Overlay

	// Files lie read-only below FilesDir in every run; keys are absolute.
	Files map[string]File

	// Path lists the box folders that PATH holds, in order. /bin/sh and
	// /usr/bin/env are made from the first folders that have them. Where a
	// folder beside one of them holds the loader of ordinary programs, as in
	// lib64/ld-linux-x86-64.so.2, the box's /lib, /lib64 and /usr/lib are its.
	Path []string

	// Env is added to the fixed environment ("K=V"), and wins over it.
	Env []string

	// Time is SOURCE_DATE_EPOCH and the modification time of what the fence
	// itself puts into the box. Zero means 1 January 1980.
	Time time.Time

	// Limits bound every run.
	Limits Limits

	// HostUID is the host's user and group id for BoxUID when root calls; 0
	// means DefaultHostID. It is ignored for other callers, who can only map
	// themselves.
	HostUID int

	// Cache is a host folder that keeps the unpacked time zones between boxes.
	// Empty means that each box unpacks its own, for some milliseconds more.
	Cache string
}

// A Mount shows the host path Host at the absolute path Box.
type Mount struct {
	Host string
	Box  string
}

// An Overlay is a writable folder at the absolute path At.
type Overlay struct {
	// Lower is the host folder below, which nobody writes to; empty means none.
	// Runs can change what of it belongs to HostID(), and only read the rest.
	Lower string
	At    string
	// Upper is a host folder that keeps what runs write, and must belong to
	// HostID(). Empty means that each run's writes are thrown away. With Upper,
	// one box at a time may use the overlay, and runs see each other's writes.
	// With both, Lane makes the folders "upper" and "work" in it.
	Upper string
}

// A File is put into the box by Lane.
type File struct {
	Data []byte
	Mode fs.FileMode // permission bits; 0 means 0444
}

// Limits bound a run. Zero means the default named at each field, a negative
// value means no limit of Lane's own.
type Limits struct {
	// Memory bounds what all processes of a run hold together, in bytes (2 GiB).
	// It does not count files on the run's tmpfs: see Disk.
	Memory int64
	// Processes bounds processes and threads alive at once (512).
	Processes int
	// CPUs bounds the processors that all processes of a run may keep busy (no bound). They are chosen anew for each box.
	CPUs int
	// Disk bounds in bytes what a run may write into the tree, the overlays,
	// /tmp, /var/tmp, /dev/shm and HOME together (2 GiB). It is memory.
	Disk int64
	// Inodes bounds the number of files, folders and links that it may make in
	// those places (400,000).
	Inodes int
	// FileSize bounds each file in bytes (1 GiB).
	FileSize int64
	// OpenFiles bounds the descriptors of each process (4096; at least 64).
	OpenFiles int
	// Output bounds stdout and stderr together in bytes (1 GiB); the run is
	// ended at the limit.
	Output int64
}

const (
	mib = 1 << 20
	gib = 1 << 30
)

// or returns v, or the default for zero, or 0 ("none") for a negative value.
func or[T int | int64](v, def T) T {
	switch {
	case v == 0:
		return def
	case v < 0:
		return 0
	}
	return v
}

// withDefaults returns l with every default filled in; 0 then means no limit.
func (l Limits) withDefaults() Limits {
	return Limits{
		Memory:    or(l.Memory, 2*gib),
		Processes: or(l.Processes, 512),
		CPUs:      or(l.CPUs, 0),
		Disk:      or(l.Disk, 2*gib),
		Inodes:    or(l.Inodes, 400_000),
		FileSize:  or(l.FileSize, gib),
		OpenFiles: or(l.OpenFiles, 4096),
		Output:    or(l.Output, gib),
	}
}

// boxTime is the modification time of what the fence puts into a box.
func (c *Config) boxTime() time.Time {
	if c.Time.IsZero() {
		return time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return c.Time
}
