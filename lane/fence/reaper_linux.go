//go:build amd64 || arm64

package fence

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// reaper collects every process that ends as a child of pid 1: the command, and
// all that have lost their parent.
type reaper struct {
	main  chan unix.WaitStatus // the command's status, once
	empty chan struct{}        // closed when the kernel says that pid 1 has no child: nothing in the box lives

	mu     sync.Mutex
	used   time.Duration
	maxRSS int64
}

func startReaper(pid int) *reaper {
	r := &reaper{main: make(chan unix.WaitStatus, 1), empty: make(chan struct{})}
	go r.loop(pid)
	return r
}

func (r *reaper) loop(pid int) {
	defer close(r.empty)
	for {
		var status unix.WaitStatus
		var usage unix.Rusage
		got, err := unix.Wait4(-1, &status, unix.WALL, &usage)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return // ECHILD
		}
		r.mu.Lock()
		r.used += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		r.maxRSS = max(r.maxRSS, usage.Maxrss<<10)
		r.mu.Unlock()
		if got == pid {
			r.main <- status
		}
	}
}

// cpu is the processor time of everything reaped so far, which includes what
// those processes had waited for.
func (r *reaper) cpu() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used
}

// largest is the most memory that any one process held.
func (r *reaper) largest() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.maxRSS
}
