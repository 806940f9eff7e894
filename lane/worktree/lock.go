package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// errLocked says that somebody else holds a lock that was not waited for.
var errLocked = errors.New("is in use")

// fileLock is a lock that the kernel drops when its holder ends, in whatever way.
type fileLock struct {
	file *os.File
	path string
}

type lockKind int

const (
	shared lockKind = iota
	exclusive
)

// lockFile waits for a lock, until ctx is done. The file is made where it is missing.
func lockFile(ctx context.Context, path string, kind lockKind) (*fileLock, error) {
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		l, err := tryLock(path, kind)
		if !errors.Is(err, errLocked) {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for %s: %w", path, context.Cause(ctx))
		case <-time.After(wait):
		}
	}
}

// tryLock takes a lock or returns errLocked.
func tryLock(path string, kind lockKind) (*fileLock, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, fmt.Errorf("lock: %v", err)
		}
		if err := flock(f, kind); err != nil {
			f.Close()
			return nil, err
		}
		// Whoever removes a lock file does so while holding it, so a lock on a removed file is a lock on
		// nothing that anybody else could see.
		mine, err1 := f.Stat()
		there, err2 := os.Stat(path)
		if err1 == nil && err2 == nil && os.SameFile(mine, there) {
			return &fileLock{file: f, path: path}, nil
		}
		f.Close()
	}
}

func (l *fileLock) unlock() { l.file.Close() }

// touch notes that what the lock is for was used just now.
func (l *fileLock) touch() {
	now := time.Now()
	os.Chtimes(l.path, now, now)
}

// remove takes the lock file away. The lock must be exclusive.
func (l *fileLock) remove() {
	os.Remove(l.path)
	l.file.Close()
}
