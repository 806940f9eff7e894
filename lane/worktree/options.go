package worktree

import (
	"log/slog"
	"path/filepath"
)

// Options say where Lane keeps its side of a repository, and how much a tree may hold.
type Options struct {
	// Dir is Lane's own area, made where it is missing. One Dir serves any number of repositories and
	// of processes at once. It must be set.
	Dir string

	// Owner is the uid and gid that checked-out files are given; 0 or less leaves them with the caller.
	// Only root can give files away.
	Owner int

	// Git is the git program, for what go-git cannot do: a snapshot of a working tree, and files that
	// .gitattributes convert. "" means git in $PATH, looked up when it is needed.
	Git string

	// IgnoreFiles are files of ignore patterns besides the repository's own, such as the one that a
	// person's core.excludesFile names. They count for snapshots of a working tree only.
	IgnoreFiles []string

	// MaxEntries bounds the files and folders of a tree; 0 means 1,000,000.
	MaxEntries int

	// MaxBytes bounds what the files of a tree hold together; 0 means 64 GiB.
	MaxBytes int64

	// Log gets a line per git call, fetch and checkout. nil means none.
	Log *slog.Logger
}

func (o Options) maxEntries() int {
	if o.MaxEntries > 0 {
		return o.MaxEntries
	}
	return 1_000_000
}

func (o Options) maxBytes() int64 {
	if o.MaxBytes > 0 {
		return o.MaxBytes
	}
	return 64 << 30
}

func (o Options) log() *slog.Logger {
	if o.Log != nil {
		return o.Log
	}
	return slog.New(slog.DiscardHandler)
}

func (o Options) repos() string     { return filepath.Join(o.Dir, "repos") }
func (o Options) trees() string     { return filepath.Join(o.Dir, "trees") }
func (o Options) worktrees() string { return filepath.Join(o.Dir, "worktrees") }
func (o Options) tmp() string       { return filepath.Join(o.Dir, "tmp") }
