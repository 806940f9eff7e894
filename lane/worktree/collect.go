package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/vallane/lane/internal/flock"
)

// Keep says what Collect leaves alone. The zero Keep removes all that is not in use.
type Keep struct {
	// Newer keeps whatever was used less than this long ago.
	Newer time.Duration
}

// Collected is what Collect removed.
type Collected struct {
	Trees   int
	Objects int
}

// crumbs is how long a temporary file of a process that nobody can ask is left alone.
const crumbs = 24 * time.Hour

// Collect removes trees that nobody uses, what crashes left half made, links to nothing, and Lane's own
// objects that no run has asked for lately. A tree is in use as long as somebody holds its lock; it does
// not matter who made it, or whether a process with some id is still there. It is safe at any time.
func Collect(ctx context.Context, o Options, keep Keep) (Collected, error) {
	var done Collected
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return done, fmt.Errorf("collect trees: %v", err)
	}
	o.Dir = dir
	entries, err := os.ReadDir(o.trees())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return done, fmt.Errorf("collect trees: %v", err)
	}
	seen := map[string]bool{}
	for _, e := range entries {
		if ctx.Err() != nil {
			return done, context.Cause(ctx)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(e.Name(), ".making-"), ".going-"), ".lock")
		if seen[name] {
			continue
		}
		seen[name] = true
		removed, err := o.collectTree(filepath.Join(o.trees(), name), keep)
		if err != nil {
			return done, fmt.Errorf("collect trees: %v", err)
		}
		if removed {
			done.Trees++
		}
	}
	o.collectLinks()
	o.collectCrumbs()
	done.Objects, err = o.collectObjects(ctx, keep)
	return done, err
}

// collectTree removes one tree and all that belongs to it, unless it is in use or young.
func (o Options) collectTree(folder string, keep Keep) (removed bool, err error) {
	path := folder + ".lock"
	used := lastUse(path, folder)
	lock, err := flock.Try(path, flock.Exclusive)
	if errors.Is(err, flock.ErrHeld) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	// Under the lock nobody is making it, so what is half made was left by a crash.
	making := filepath.Join(filepath.Dir(folder), ".making-"+filepath.Base(folder))
	going := filepath.Join(filepath.Dir(folder), ".going-"+filepath.Base(folder))
	for _, rest := range []string{making, going} {
		if err := removeAll(rest); err != nil {
			lock.Release()
			return false, err
		}
	}
	if exists(folder) && keep.Newer > 0 && time.Since(used) < keep.Newer {
		lock.Release()
		return false, nil
	}
	// Whoever looks while it is being removed finds nothing, not half of it.
	if err := os.Rename(folder, going); err == nil {
		removed = true
	} else if !errors.Is(err, fs.ErrNotExist) {
		lock.Release()
		return false, err
	}
	if err := removeAll(going); err != nil {
		lock.Release()
		return removed, err
	}
	lock.Remove()
	return removed, nil
}

// lastUse is when the lock was last given back, or the tree made.
func lastUse(paths ...string) time.Time {
	var latest time.Time
	for _, path := range paths {
		if info, err := os.Lstat(path); err == nil && info.ModTime().After(latest) {
			latest = info.ModTime()
		}
	}
	return latest
}

func (o Options) collectLinks() {
	entries, _ := os.ReadDir(o.worktrees())
	for _, e := range entries {
		link := filepath.Join(o.worktrees(), e.Name())
		if _, err := os.Stat(link); errors.Is(err, fs.ErrNotExist) {
			os.Remove(link)
		}
	}
}

// collectCrumbs removes what git calls of crashed processes left. They last seconds, so age tells.
func (o Options) collectCrumbs() {
	entries, _ := os.ReadDir(o.tmp())
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > crumbs {
			removeAll(filepath.Join(o.tmp(), e.Name()))
		}
	}
}

// collectObjects removes loose objects of Lane's own that were not written again for as long as trees are
// kept, and a day at least: a run that is under way has asked for its own later than that. Packs,
// which only a fetch makes, stay.
func (o Options) collectObjects(ctx context.Context, keep Keep) (removed int, err error) {
	old := time.Now().Add(-max(keep.Newer, crumbs))
	folders, _ := filepath.Glob(filepath.Join(o.repos(), "*.git", "objects", "[0-9a-f][0-9a-f]"))
	for _, folder := range folders {
		if ctx.Err() != nil {
			return removed, context.Cause(ctx)
		}
		// A fetched repository holds its history in loose objects, where the fetch was a small one.
		if _, err := os.Stat(filepath.Join(filepath.Dir(folder), "info", "alternates")); err != nil {
			continue
		}
		entries, err := os.ReadDir(folder)
		if err != nil {
			return removed, fmt.Errorf("collect objects: %v", err)
		}
		for _, e := range entries {
			info, err := e.Info()
			if err == nil && info.ModTime().Before(old) && os.Remove(filepath.Join(folder, e.Name())) == nil {
				removed++
			}
		}
	}
	return removed, nil
}
