package main

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// interruption is the cause of a context that a signal ended.
type interruption struct{ syscall.Signal }

func (i interruption) Error() string { return "interrupted by " + i.String() }

// Number is what package lane asks for.
func (i interruption) Number() int { return int(i.Signal) }

// interruptible returns a context that the first SIGINT or SIGTERM cancels, so that boxes end and
// statuses become terminal; a second one ends the process at once. caught returns the number of the
// first signal, 0 where none came.
func interruptible(parent context.Context, out *printer) (ctx context.Context, caught func() int, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	var first atomic.Int32
	go func() {
		for s := range signals {
			n, _ := s.(syscall.Signal)
			if !first.CompareAndSwap(0, int32(n)) {
				os.Exit(128 + int(n)) // boxes die with their parent
			}
			out.notice("ending the boxes; once more to stop at once")
			cancel(interruption{n})
		}
	}()
	return ctx, func() int { return int(first.Load()) }, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}
