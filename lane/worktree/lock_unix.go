//go:build unix

package worktree

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

func flock(f *os.File, kind lockKind) error {
	how := syscall.LOCK_SH
	if kind == exclusive {
		how = syscall.LOCK_EX
	}
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errLocked
		case errors.Is(err, syscall.EINTR):
			continue
		}
		return fmt.Errorf("lock %s: %v", f.Name(), err)
	}
}
