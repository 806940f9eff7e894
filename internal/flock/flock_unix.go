//go:build unix

package flock

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

func (l *Lock) set(kind Kind) error {
	how := unix.LOCK_SH
	if kind == Exclusive {
		how = unix.LOCK_EX
	}
	for {
		err := unix.Flock(int(l.file.Fd()), how|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrHeld
		default:
			return fmt.Errorf("lock %s: %w", l.path, err)
		}
	}
}

func (l *Lock) unset() { _ = unix.Flock(int(l.file.Fd()), unix.LOCK_UN) }
