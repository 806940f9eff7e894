//go:build unix

package warmup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// errBusy says that a lock is held by another.
var errBusy = errors.New("it is in use")

// The locks are flock(2) on a file, so they end with the process that holds
// them, however it ends. They do not reach across machines: a state on NFS
// must not be shared by two.
const (
	shared    = unix.LOCK_SH
	exclusive = unix.LOCK_EX
)

// tryLock locks the file at path, made where create is set. It returns errBusy
// where another holds it. The file that is returned is the one at path now: one
// that was removed meanwhile would be a lock that nobody else sees.
func tryLock(path string, how int, create bool) (*os.File, error) {
	for {
		f, err := openLock(path, create)
		if err != nil {
			return nil, err
		}
		err = unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
			f.Close()
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			f.Close()
			return nil, errBusy
		case err != nil:
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if same(f, path) {
			return f, nil
		}
		f.Close()
	}
}

func openLock(path string, create bool) (*os.File, error) {
	if !create {
		return os.Open(path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
}

func same(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(path)
	return err == nil && os.SameFile(a, b)
}

// lock is tryLock that waits until the lock is free or ctx ends. waiting is
// called once, where there is something to wait for.
func lock(ctx context.Context, path string, how int, waiting func()) (*os.File, error) {
	pause := 5 * time.Millisecond
	for first := true; ; first = false {
		f, err := tryLock(path, how, true)
		if !errors.Is(err, errBusy) {
			return f, err
		}
		if first && waiting != nil {
			waiting()
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for %s: %w", path, context.Cause(ctx))
		case <-time.After(pause):
			pause = min(2*pause, 200*time.Millisecond)
		}
	}
}
