// Package flock locks files between the processes of one machine, by flock(2): a lock ends with the process that holds it, however
// it ends. It does not reach across machines; a state on a network file system must not be shared by two.
//
// It knows nothing of what is locked, and waits only where it is asked to.
package flock

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ErrHeld says that somebody else holds a lock that was not waited for.
var ErrHeld = errors.New("it is in use")

// Kind is how a lock is held: by many, or by one alone.
type Kind int

// Kinds of locks.
const (
	Shared Kind = iota
	Exclusive
)

// Lock is a lock that is held. A nil Lock is none, and may be released.
type Lock struct {
	file *os.File
	path string
}

// Try locks the file at path, which is made where it is missing, with its folder. It returns ErrHeld where another holds it. What is
// locked is the file that has the name now: one that was removed meanwhile would be a lock that nobody else sees.
func Try(path string, kind Kind) (*Lock, error) {
	return try(path, kind, os.O_RDWR|os.O_CREATE)
}

// TryExisting is Try for a file that is there, which need not be writable: the error is fs.ErrNotExist where it is not.
func TryExisting(path string, kind Kind) (*Lock, error) {
	return try(path, kind, os.O_RDONLY)
}

func try(path string, kind Kind, flag int) (*Lock, error) {
	for {
		f, err := open(path, flag)
		if err != nil {
			return nil, err
		}
		l := &Lock{file: f, path: path}
		if err := l.set(kind); err != nil {
			f.Close()
			return nil, err
		}
		if l.current() {
			return l, nil
		}
		l.Release()
	}
}

func open(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag, 0o644)
	if flag&os.O_CREATE == 0 || !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(path, flag, 0o644)
}

// current reports whether the locked file still has its name.
func (l *Lock) current() bool {
	mine, err := l.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(l.path)
	return err == nil && os.SameFile(mine, there)
}

// Take is Try that waits until the lock is free or ctx is done. waiting, where it is not nil, is called once, before the first wait.
func Take(ctx context.Context, path string, kind Kind, waiting func()) (l *Lock, err error) {
	err = wait(ctx, path, waiting, func() error {
		l, err = Try(path, kind)
		return err
	})
	return l, err
}

// Change holds the lock as kind from here on, and waits for that as long as ctx allows. It is not atomic: others may hold the lock in
// between. After an error it is still held as before, or no longer.
func (l *Lock) Change(ctx context.Context, kind Kind) error {
	return wait(ctx, l.path, nil, func() error { return l.set(kind) })
}

func wait(ctx context.Context, path string, waiting func(), do func() error) error {
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := do()
		if !errors.Is(err, ErrHeld) {
			return err
		}
		if waiting != nil {
			waiting()
			waiting = nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", path, context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}

// Touch notes in the times of the file that what the lock is for was used just now.
func (l *Lock) Touch() {
	now := time.Now()
	_ = os.Chtimes(l.path, now, now)
}

// Release ends the lock. It says so to the kernel instead of closing the file alone: a process that was forked by another thread has a
// copy of the descriptor until it starts its program, and would hold the lock for that long.
func (l *Lock) Release() {
	if l == nil || l.file == nil {
		return
	}
	l.unset()
	l.file.Close()
	l.file = nil
}

// Remove takes the file away and ends the lock, which must be Exclusive.
func (l *Lock) Remove() {
	os.Remove(l.path)
	l.Release()
}
