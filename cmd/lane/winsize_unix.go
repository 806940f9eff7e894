//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"github.com/vallane/lane/lane/fence"
)

// terminalSizes gives the size of a terminal now, and each time that it changes, until stop is called.
func terminalSizes(f *os.File) (sizes <-chan fence.Size, stop func()) {
	changed, done, out := make(chan os.Signal, 1), make(chan struct{}), make(chan fence.Size, 1)
	signal.Notify(changed, syscall.SIGWINCH)
	go func() {
		defer close(out)
		for {
			if columns, rows, err := term.GetSize(int(f.Fd())); err == nil {
				select {
				case out <- fence.Size{Rows: uint16(rows), Columns: uint16(columns)}:
				case <-done:
					return
				}
			}
			select {
			case <-changed:
			case <-done:
				return
			}
		}
	}()
	return out, func() { signal.Stop(changed); close(done) }
}
