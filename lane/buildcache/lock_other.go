//go:build !unix

package buildcache

import (
	"context"
	"errors"
)

const (
	shared    = 0
	exclusive = 1
)

type lock struct{}

func openLock(string) (*lock, error) {
	return nil, errors.New("not supported on this system; run lane on Linux or macOS")
}

func (*lock) take(context.Context, int) error { return nil }
func (*lock) try() bool                       { return false }
func (*lock) release()                        {}
