package fetch

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"
)

// What a phase may leave on the host's disk, where its writable folders lie: a fetch box has no tmpfs for them.
const (
	mostBytes = 16 << 30
	mostFiles = 2_000_000
)

// errTooMuch ends a phase that writes without end.
var errTooMuch = errors.New("the fetch phase wrote more than it may")

// watchDisk ends the context that it returns when more lies below dir than may. The caller calls stop.
func watchDisk(parent context.Context, dir string, bytes int64, files int) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	done := make(chan struct{})
	go func() {
		defer close(done)
		pause := 200 * time.Millisecond
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			start := time.Now()
			if exceeds(ctx, dir, bytes, files) {
				cancel(errTooMuch)
				return
			}
			pause = max(200*time.Millisecond, 10*time.Since(start)) // at most a tenth of a processor
		}
	}()
	return ctx, func() { cancel(nil); <-done }
}

// exceeds reports whether more lies below dir. Files that come and go meanwhile are no matter.
func exceeds(ctx context.Context, dir string, bytes int64, files int) bool {
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d == nil {
			return nil
		}
		if files--; files < 0 {
			return errTooMuch
		}
		if !d.Type().IsRegular() {
			return ctx.Err()
		}
		if info, err := d.Info(); err == nil {
			if bytes -= onDisk(info); bytes < 0 {
				return errTooMuch
			}
		}
		return ctx.Err()
	})
	return errors.Is(err, errTooMuch)
}
