//go:build !unix

package journal

import "errors"

var errLocked = errors.New("locked")

type lock struct{}

func tryLock(string) (*lock, error) {
	return nil, errors.New("lock a spec: not supported on this system; run lane on Linux or macOS")
}

func (l *lock) release() {}
