package warmup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

func TestLockWaitsAndGivesUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d", "lock")
	held, err := lock(t.Context(), path, exclusive, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, how := range []int{shared, exclusive} {
		if _, err := tryLock(path, how, false); !errors.Is(err, errBusy) {
			t.Errorf("a held lock was given again: %v", err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	waited := 0
	if _, err := lock(ctx, path, exclusive, func() { waited++ }); !errors.Is(err, context.DeadlineExceeded) || waited != 1 {
		t.Errorf("waited %d times: %v", waited, err)
	}
	held.Close()
	a, err := tryLock(path, shared, false)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := tryLock(path, shared, false)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := tryLock(path+"-absent", shared, false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a lock was made: %v", err)
	}
}

// A gc removes the file whose lock it holds. Who opened it before and locked it
// after would hold the lock of a file that nobody else sees, and two would be
// inside at once.
func TestLockOfARemovedFileIsNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside atomic.Int32
	var g errgroup.Group
	for range 4 {
		g.Go(func() error {
			for range 2000 {
				f, err := tryLock(path, exclusive, true)
				if errors.Is(err, errBusy) {
					continue
				}
				if err != nil {
					return err
				}
				if inside.Add(1) != 1 {
					return errors.New("two are inside")
				}
				runtime.Gosched()
				inside.Add(-1)
				if err := os.Remove(path); err != nil {
					return fmt.Errorf("it was the lock of a file that is no longer there: %w", err)
				}
				f.Close()
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}
