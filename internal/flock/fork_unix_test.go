//go:build unix

package flock_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/vallane/lane/internal/flock"
)

// A child that was forked, and has not started its program yet, has copies of all descriptors. A copy is made here by hand, since the
// moment cannot be waited for.
func TestReleaseEndsTheLockOfCopiesToo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	l, err := flock.Try(path, flock.Exclusive)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Dup(l.Fd())
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	l.Release()
	again, err := flock.Try(path, flock.Exclusive)
	if err != nil {
		t.Fatalf("after its release: %v", err)
	}
	again.Release()
}
