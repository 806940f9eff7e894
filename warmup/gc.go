package warmup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/vallane/lane/internal/flock"
)

// Entry is one closure of a state.
type Entry struct {
	Key      string
	Digest   string // "" where its lock cannot be read
	Attr     string
	Size     int64     // of all its paths, in bytes
	Own      int64     // of the paths that no other closure of the state has, in bytes
	LastUsed time.Time // to the second for this user's own use, to the day for others'
	InUse    bool

	lock *Lock
}

// List returns the closures of this user's state, least recently used first.
func (o Options) List(ctx context.Context) ([]Entry, error) {
	o, err := o.check()
	if err != nil {
		return nil, err
	}
	dirs, err := os.ReadDir(filepath.Join(o.State, "envs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list closures: %w", err)
	}
	var all []Entry
	for _, d := range dirs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		all = append(all, o.entry(d.Name()))
	}
	owners := map[string]int{}
	for _, e := range all {
		for _, p := range e.paths() {
			owners[p.Path]++
		}
	}
	for i := range all {
		for _, p := range all[i].paths() {
			if all[i].Size += p.NarSize; owners[p.Path] == 1 {
				all[i].Own += p.NarSize
			}
		}
	}
	slices.SortFunc(all, func(a, b Entry) int {
		return cmp.Or(a.LastUsed.Compare(b.LastUsed), cmp.Compare(a.Key, b.Key))
	})
	return all, nil
}

func (e Entry) paths() []LockPath {
	if e.lock == nil {
		return nil
	}
	return e.lock.Paths
}

func (o Options) entry(key string) Entry {
	e := Entry{Key: key}
	if l, err := readLock(lockPath(o.State, key), key); err == nil {
		e.lock, e.Digest, e.Attr = l, l.Digest, l.Attr
	}
	for _, state := range o.states() {
		path := usePath(state, key)
		if used := lastUse(path); used.After(e.LastUsed) {
			e.LastUsed = used
		}
		f, err := flock.TryExisting(path, flock.Exclusive)
		if errors.Is(err, flock.ErrHeld) {
			e.InUse = true
		} else if err == nil {
			f.Release()
		}
	}
	if e.LastUsed.IsZero() {
		// One that was never finished is as old as its folder.
		if info, err := os.Stat(envDir(o.State, key)); err == nil {
			e.LastUsed = info.ModTime()
		}
	}
	return e
}

// states are those that this user writes to.
func (o Options) states() []string {
	if o.Publish == "" || o.Publish == o.State {
		return []string{o.State}
	}
	return []string{o.State, o.Publish}
}

// GCOptions say what may go.
type GCOptions struct {
	MaxBytes  int64         // budget for the closures that stay; 0 is none
	OlderThan time.Duration // what was last used longer ago goes in any case; 0 is no such limit
	All       bool          // everything that is not in use goes
	DryRun    bool          // say what would go, and keep it
}

// GCReport is what a gc did.
type GCReport struct {
	Removed []Entry
	Kept    []Entry
	Freed   int64 // bytes that are no longer kept alive by any closure of the state
	Deleted int64 // bytes of those that the store gave up at once
}

// GC removes closures of this user's state, least recently used first, until
// the others fit the budget. One in use, in this or another process or by
// another user, is never removed. What goes loses its lock, its root and its
// seals; the paths that nothing else keeps alive are deleted from the store.
func (o Options) GC(ctx context.Context, g GCOptions) (GCReport, error) {
	var report GCReport
	o, err := o.check()
	if err != nil {
		return report, err
	}
	all, err := o.List(ctx)
	if err != nil {
		return report, err
	}
	now := time.Now()
	alive := census(all)
	for _, e := range all {
		over := g.MaxBytes > 0 && alive.bytes > g.MaxBytes
		old := g.OlderThan > 0 && now.Sub(e.LastUsed) > g.OlderThan
		if e.InUse || !(over || old || g.All) {
			report.Kept = append(report.Kept, e)
			continue
		}
		if !g.DryRun {
			if err := o.forget(ctx, e); errors.Is(err, flock.ErrHeld) {
				e.InUse = true
				report.Kept = append(report.Kept, e)
				continue
			} else if err != nil {
				return report, err
			}
		}
		gone := alive.remove(e)
		report.Removed = append(report.Removed, e)
		for _, p := range gone {
			report.Freed += p.NarSize
		}
		if !g.DryRun {
			report.Deleted += o.deletePaths(ctx, gone)
		}
	}
	return report, nil
}

// alive counts how many closures keep each path, and the bytes of all.
type alive struct {
	count map[string]int
	bytes int64
}

func census(all []Entry) *alive {
	a := &alive{count: map[string]int{}}
	for _, e := range all {
		for _, p := range e.paths() {
			if a.count[p.Path]++; a.count[p.Path] == 1 {
				a.bytes += p.NarSize
			}
		}
	}
	return a
}

// remove takes a closure out and returns the paths that went with it.
func (a *alive) remove(e Entry) []LockPath {
	var gone []LockPath
	for _, p := range e.paths() {
		if a.count[p.Path]--; a.count[p.Path] == 0 {
			a.bytes -= p.NarSize
			gone = append(gone, p)
		}
	}
	return gone
}
