//go:build unix

package journal

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

var errLocked = errors.New("locked")

type lock struct{ f *os.File }

// tryLock takes an exclusive lock without waiting; errLocked where somebody holds it.
func tryLock(name string) (*lock, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return &lock{f}, nil
	}
	f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, errLocked
	}
	return nil, fmt.Errorf("lock %s: %w", name, err)
}

func (l *lock) release() {
	if l != nil && l.f != nil {
		l.f.Close()
		l.f = nil
	}
}
