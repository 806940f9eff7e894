package warmup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/vallane/lane/internal/flock"
)

// halfway begins the name of what is not in the private store yet, or no longer. No store path begins with a dot.
const halfway = ".lane-"

// holdStore keeps a gc from the private store's paths until the result is released.
func (o Options) holdStore(ctx context.Context) (*flock.Lock, error) {
	f, err := flock.Take(ctx, o.storeLock(), flock.Shared, func() { o.Log("waiting for a gc of the private store") })
	if err != nil {
		return nil, fmt.Errorf("use the private store: %w", err)
	}
	return f, nil
}

func (o Options) storeLock() string { return filepath.Join(o.Private, "nix", "lane.lock") }

// publishPath gives a finished path its name, in one step. What is there already, a damaged one, goes.
func (f *fetching) publishPath(tmp, final string) error {
	if !exists(final) {
		return os.Rename(tmp, final)
	}
	old := filepath.Join(filepath.Dir(tmp), halfway+"old-"+strings.TrimPrefix(filepath.Base(tmp), halfway))
	if err := removeAll(old); err != nil {
		return err
	}
	// Those who run from the old one keep it until they end.
	if err := os.Rename(final, old); err != nil {
		return err
	}
	return errors.Join(os.Rename(tmp, final), removeAll(old))
}

// ourFault tells an error of this machine's, which the next cache would meet as well.
func ourFault(err error) bool {
	for _, e := range []error{unix.ENOSPC, unix.EDQUOT, unix.EROFS, unix.EMFILE, unix.ENFILE} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// removeAll removes a store path: its folders are read-only.
func removeAll(path string) error {
	err := os.RemoveAll(path)
	if err == nil || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_ = filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			return os.Chmod(p, 0o700)
		}
		return nil
	})
	return os.RemoveAll(path)
}

// sweep removes from the private store what no closure of this state names, and what was never finished. It returns the bytes of
// the archives in gone that went. Where somebody fetches at this moment, nothing goes.
func (o Options) sweep(gone []LockPath) (int64, error) {
	held, err := flock.TryExisting(o.storeLock(), flock.Exclusive)
	if errors.Is(err, flock.ErrHeld) || errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer held.Release()
	named, err := o.named()
	if err != nil {
		return 0, err
	}
	sizes := map[string]int64{}
	for _, p := range gone {
		sizes[filepath.Base(p.Path)] = p.NarSize
	}
	dir := filepath.Join(o.Private, o.StoreDir)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	var bytes int64
	for _, e := range entries {
		if named[e.Name()] {
			continue
		}
		if err := removeAll(filepath.Join(dir, e.Name())); err != nil {
			return bytes, err
		}
		bytes += sizes[e.Name()]
	}
	return bytes, nil
}

// Abandon removes the private store in dir, which was used while this machine had no Nix, and returns the bytes of its files. Where
// somebody fetches into it, or a closure of this state is in use, it stays for the next time. dry says only what would go.
func (o Options) Abandon(ctx context.Context, dir string, dry bool) (int64, error) {
	o.Private = dir
	held, err := flock.TryExisting(o.storeLock(), flock.Exclusive)
	if errors.Is(err, flock.ErrHeld) || errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("remove the private store: %w", err)
	}
	defer held.Release()
	all, err := o.List(ctx)
	if err != nil {
		return 0, fmt.Errorf("remove the private store: %w", err)
	}
	if slices.ContainsFunc(all, func(e Entry) bool { return e.InUse }) {
		return 0, nil
	}
	var bytes int64
	err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	if err == nil && !dry {
		err = removeAll(dir)
	}
	if err != nil {
		return 0, fmt.Errorf("remove the private store: %w", err)
	}
	return bytes, nil
}

// named are the names of the paths that a lock of this state has. A lock that cannot be read ends the sweep: it may name any.
func (o Options) named() (map[string]bool, error) {
	envs, err := os.ReadDir(filepath.Join(o.State, "envs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	names := map[string]bool{}
	for _, e := range envs {
		l, err := readLock(lockPath(o.State, e.Name()), e.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, p := range l.Paths {
			names[filepath.Base(p.Path)] = true
		}
	}
	return names, nil
}
