package flock_test

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/vallane/lane/internal/flock"
)

func TestSharedByManyExclusiveToOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	one, err := flock.Try(path, flock.Shared)
	if err != nil {
		t.Fatal(err)
	}
	two, err := flock.TryExisting(path, flock.Shared)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := flock.Try(path, flock.Exclusive); !errors.Is(err, flock.ErrHeld) {
		t.Errorf("got %v while it is shared", err)
	}
	one.Release()
	if _, err := flock.Try(path, flock.Exclusive); !errors.Is(err, flock.ErrHeld) {
		t.Errorf("got %v while one of two has it", err)
	}
	two.Release()
	two.Release()
	three, err := flock.Try(path, flock.Exclusive)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []flock.Kind{flock.Shared, flock.Exclusive} {
		if _, err := flock.TryExisting(path, kind); !errors.Is(err, flock.ErrHeld) {
			t.Errorf("a lock that is held was given again: %v", err)
		}
	}
	if err := three.Change(t.Context(), flock.Shared); err != nil {
		t.Fatal(err)
	}
	if four, err := flock.Try(path, flock.Shared); err != nil {
		t.Error(err)
	} else {
		four.Release()
	}
	three.Release()
	if _, err := flock.TryExisting(path+"-absent", flock.Shared); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a lock was made: %v", err)
	}
}

func TestTakeWaitsAndGivesUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "lock")
	held, err := flock.Take(t.Context(), path, flock.Exclusive, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	waited := 0
	if _, err := flock.Take(ctx, path, flock.Exclusive, func() { waited++ }); !errors.Is(err, context.DeadlineExceeded) || waited != 1 {
		t.Errorf("waited %d times: %v", waited, err)
	}
	next, err := flock.Take(t.Context(), path, flock.Exclusive, held.Release)
	if err != nil {
		t.Fatal(err)
	}
	next.Release()
}

// A collector removes the file whose lock it holds. Who opened it before and locked it after would hold the lock of a file that nobody
// else sees, and two would be inside at once.
func TestLockOfARemovedFileIsNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside atomic.Int32
	var g errgroup.Group
	for range 6 {
		g.Go(func() error {
			for range 1000 {
				l, err := flock.Try(path, flock.Exclusive)
				if errors.Is(err, flock.ErrHeld) {
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
				l.Remove()
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}
