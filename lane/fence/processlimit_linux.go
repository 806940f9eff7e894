//go:build amd64 || arm64

package fence

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// processLimit is the bound on the processes and threads of a command, where no cgroup counts them. The kernel counts per user id
// and user namespace, so that pid 1's own threads are counted along. The zero value bounds nothing.
type processLimit struct{ limit, own int }

func newProcessLimit(limit int) processLimit {
	own := spareThreads
	if stat, err := os.ReadFile("/proc/self/stat"); err == nil {
		if e, ok := parseStat(1, stat); ok {
			own = e.threads
		}
	}
	return processLimit{limit, own}
}

func (p processLimit) max() uint64 { return uint64(p.limit + min(p.own, initHeadroom)) }

// lend lowers pid 1's own soft limit while it forks, and gives back what raises it again: a command is born with the limit, and
// what it starts before pid 1 gets to say more is bound by it too. One that raises its soft limit in that moment gets initHeadroom
// more at most, and is ended by the watcher for it.
func (p processLimit) lend() (giveBack func()) {
	var old unix.Rlimit
	if p.limit <= 0 || unix.Prlimit(0, unix.RLIMIT_NPROC, nil, &old) != nil {
		return func() {}
	}
	lent := old
	lent.Cur = min(p.max(), old.Max)
	_ = unix.Prlimit(0, unix.RLIMIT_NPROC, &lent, nil)
	return func() { _ = unix.Prlimit(0, unix.RLIMIT_NPROC, &old, nil) }
}

// settle lowers the hard limit of the command, and of what it has started by now if alone is false, and makes them a likelier victim than pid 1 when
// memory runs out. What is forked by a process that is bound is bound; so this ends when a look finds nothing that is not.
func (p processLimit) settle(pid int, alone bool) {
	p.bind(pid)
	if alone {
		return
	}
	for range settleLooks {
		list, err := processes()
		if err != nil {
			return
		}
		free := false
		for _, e := range list {
			free = p.bind(e.PID) || free
		}
		if !free {
			return
		}
	}
}

const settleLooks = 100

// bind reports whether a process was not bound before.
func (p processLimit) bind(pid int) bool {
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte("500"), 0)
	var old unix.Rlimit
	if p.limit <= 0 || unix.Prlimit(pid, unix.RLIMIT_NPROC, nil, &old) != nil || old.Max <= p.max() {
		return false
	}
	return unix.Prlimit(pid, unix.RLIMIT_NPROC, &unix.Rlimit{Cur: min(old.Cur, p.max()), Max: p.max()}, nil) == nil
}
