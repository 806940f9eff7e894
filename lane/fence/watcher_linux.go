//go:build amd64 || arm64

package fence

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// watcher looks at a run from time to time and holds the limits that no rlimit
// holds.
type watcher struct {
	root     *root
	reaper   *reaper
	cpuLimit time.Duration
	interval time.Duration

	peak       int // processes
	peakMemory int64
	diskUsed   int64
	exhausted  []End
	crowded    int // looks in a row that found the process limit met
}

const (
	watchInterval    = 50 * time.Millisecond
	shortestInterval = 10 * time.Millisecond
	crowdedTime      = 2 * time.Second // at the process limit without a break
	fullBytes        = 64 << 10        // so little room counts as none
)

func newWatcher(r *root, reaper *reaper, cpu time.Duration) *watcher {
	w := &watcher{root: r, reaper: reaper, cpuLimit: cpu, interval: watchInterval}
	if cpu > 0 {
		w.interval = min(watchInterval, max(shortestInterval, cpu/10))
	}
	return w
}

// look counts, and says for which limit the run must end; empty for none.
func (w *watcher) look() End {
	list, err := processes()
	if err != nil {
		return ""
	}
	living := alive(list)
	w.count(living)
	w.disk()
	var rss int64
	var threads int
	cpu := w.reaper.cpu()
	for _, p := range list {
		cpu += p.cpu
	}
	for _, p := range living {
		rss += p.rss
		threads += p.threads
		if limit := w.root.limits.OpenFiles; limit > 0 && openFiles(p.PID) >= int64(max(limit, leastOpenFiles)) {
			w.hit(ManyFiles)
		}
	}
	w.peakMemory = max(w.peakMemory, rss)
	limits := w.root.limits
	if limits.Memory > 0 && rss > limits.Memory && sharedOut(living) > limits.Memory {
		w.hit(OutOfMem)
		return OutOfMem
	}
	if w.cpuLimit > 0 && cpu > w.cpuLimit {
		return OutOfCPU
	}
	if limits.Processes > 0 && threads > limits.Processes+spareThreads {
		w.hit(TooMany) // got past its limit before it was settled: see processLimit
		return TooMany
	}
	// the launcher's thread has gone, and a fork may be half done: hence the two
	if limits.Processes > 0 && threads >= limits.Processes-2 {
		w.hit(TooMany)
		w.crowded++
		if time.Duration(w.crowded)*w.interval > crowdedTime {
			return TooMany
		}
	} else {
		w.crowded = 0
	}
	return ""
}

// openFiles is how many descriptors a process has; 0 where the kernel does not tell.
func openFiles(pid int) int64 {
	var st unix.Stat_t
	if unix.Stat("/proc/"+strconv.Itoa(pid)+"/fd", &st) != nil {
		return 0
	}
	return st.Size
}

// sharedOut is the memory of all with shared pages counted once.
func sharedOut(list []procEntry) int64 {
	var sum int64
	for _, p := range list {
		sum += proportionalMemory(p.PID)
	}
	return sum
}

func (w *watcher) count(living []procEntry) { w.peak = max(w.peak, len(living)) }

func (w *watcher) hit(limit End) {
	if !slices.Contains(w.exhausted, limit) {
		w.exhausted = append(w.exhausted, limit)
	}
}

// disk looks at the room that the run's tmpfs has left.
func (w *watcher) disk() {
	var st unix.Statfs_t
	if unix.Fstatfs(w.root.work, &st) != nil {
		return
	}
	w.diskUsed = int64(st.Blocks-st.Bfree) * st.Bsize
	// A command that met the limit often frees a little before anybody looks, so nearly full is full.
	if nearly := uint64(max(fullBytes/st.Bsize, int64(st.Blocks/64))); st.Blocks > 0 && st.Bavail < nearly || st.Files > 0 && st.Ffree == 0 {
		w.hit(DiskFull)
	}
}

// lastID is the last process id that the kernel gave out in the box; 0 if it
// does not tell.
func (b *boxInit) lastID() int {
	if b.lastPID == nil {
		return 0
	}
	buf := make([]byte, 32)
	n, err := b.lastPID.ReadAt(buf, 0)
	if n == 0 && err != nil {
		return 0
	}
	id, _ := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
	return id
}
