//go:build unix

package buildcache

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	shared    = unix.LOCK_SH
	exclusive = unix.LOCK_EX
)

// lock is an advisory lock between processes of one machine; it does not hold on network file systems.
type lock struct{ f *os.File }

func openLock(name string) (*lock, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	return &lock{f}, nil
}

// take changes the lock to how, and waits for that as long as ctx allows.
func (l *lock) take(ctx context.Context, how int) error {
	for {
		err := unix.Flock(int(l.f.Fd()), how|unix.LOCK_NB)
		if err == nil || !errors.Is(err, unix.EWOULDBLOCK) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// try takes the lock exclusively where nobody has it.
func (l *lock) try() bool { return unix.Flock(int(l.f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil }

func (l *lock) release() {
	if l != nil {
		l.f.Close()
	}
}
