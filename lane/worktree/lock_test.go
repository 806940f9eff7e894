package worktree

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A lock file may be removed by whoever holds it, as Collect does. Nobody ever holds a lock on a file that
// is not there any more while somebody else holds one on its successor.
func TestLocksOnFilesThatGo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var holders atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 300 {
				l, err := lockFile(context.Background(), path, exclusive)
				if err != nil {
					t.Error(err)
					return
				}
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d hold the lock", n)
				}
				runtime.Gosched()
				holders.Add(-1)
				l.remove()
			}
		})
	}
	wg.Wait()
}

func TestSharedAndExclusiveLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	one, err := tryLock(path, shared)
	if err != nil {
		t.Fatal(err)
	}
	two, err := tryLock(path, shared)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tryLock(path, exclusive); !errors.Is(err, errLocked) {
		t.Errorf("got %v while it is shared", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := lockFile(ctx, path, exclusive); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want to wait until the deadline", err)
	}
	one.unlock()
	two.unlock()
	three, err := lockFile(context.Background(), path, exclusive)
	if err != nil {
		t.Fatal(err)
	}
	three.unlock()
}
