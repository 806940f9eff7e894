//go:build !unix

package flock

import "errors"

func (l *Lock) set(Kind) error {
	return errors.New("lock " + l.path + ": not supported on this system; run lane on Linux or macOS")
}

func (l *Lock) unset() {}
