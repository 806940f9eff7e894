//go:build amd64 || arm64

package fence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// cgroup holds a box by the kernel's own count, where this process may make
// control groups. It is a second lock: sampling and rlimits hold the limits
// everywhere, but a burst between two looks only a cgroup stops.
//
// A nil *cgroup is one that could not be had.
type cgroup struct {
	pids, memory group

	tooMany, outOfMem int64 // the kernel's counts of limits met, as last read
}

// group is a box's group of one controller; the zero value is one that could not be had.
type group struct {
	dir     string
	version int // 1 or 2
}

const (
	cgroupRoot   = "/sys/fs/cgroup"
	cgroupPrefix = "lane-box-"
	// memorySlack is what pid 1 and the kernel's bookkeeping for a box may take.
	memorySlack = 64 * mib
)

// newCgroup makes the groups of a box and puts its pid 1 into them: of the second version where the controllers were given to this
// process there, else of the first.
func newCgroup(pid int, l Limits) *cgroup {
	var c cgroup
	dir, controllers := newUnifiedGroup(pid)
	for name, to := range map[string]*group{"pids": &c.pids, "memory": &c.memory} {
		if slices.Contains(controllers, name) {
			*to = group{dir, 2}
		} else if dir := newGroup(name, pid); dir != "" {
			*to = group{dir, 1}
		}
	}
	if c.memory.dir != "" && l.Memory > 0 && l.Disk > 0 {
		// what lies on the run's tmpfs counts here too
		c.memory.limitMemory(strconv.FormatInt(l.Memory+l.Disk+memorySlack, 10))
	}
	if c.pids.dir == "" && c.memory.dir == "" {
		return nil
	}
	return &c
}

// limitMemory bounds memory, and swap with it where swap is counted.
func (g group) limitMemory(limit string) {
	if g.version == 2 {
		_ = writeControl(g.dir, "memory.max", limit)
		_ = writeControl(g.dir, "memory.swap.max", "0")
	} else if writeControl(g.dir, "memory.limit_in_bytes", limit) == nil {
		_ = writeControl(g.dir, "memory.memsw.limit_in_bytes", limit)
	}
}

// sweepGroups removes the empty groups of boxes whose Lane was killed. A group
// that is being made is left alone by its age.
func sweepGroups(parent string) {
	for _, dir := range staleGroups(parent) {
		_ = os.Remove(dir) // fails where something has begun to live there
	}
}

// writeControl sets a control file, which exists: creating one is refused.
func writeControl(dir, name, value string) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

// limitPIDs bounds the box's processes and threads, pid 1's own not counted.
func (c *cgroup) limitPIDs(pid, limit int) {
	if c == nil || c.pids.dir == "" || limit <= 0 {
		return
	}
	own := initHeadroom
	if threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid)); err == nil {
		own = len(threads)
	}
	if writeControl(c.pids.dir, "pids.max", strconv.Itoa(limit+own)) != nil {
		c.pids = group{}
	}
}

// hits says which limits were met since it was last asked.
func (c *cgroup) hits() []End {
	if c == nil {
		return nil
	}
	var hits []End
	if n := readCount(c.pids.dir, "pids.events", "max"); n > c.tooMany {
		c.tooMany = n
		hits = append(hits, TooMany)
	}
	events := "memory.oom_control"
	if c.memory.version == 2 {
		events = "memory.events"
	}
	if n := readCount(c.memory.dir, events, "oom_kill"); n > c.outOfMem {
		c.outOfMem = n
		hits = append(hits, OutOfMem)
	}
	return hits
}

func readCount(dir, name, key string) int64 {
	if dir == "" {
		return 0
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) == 2 && fields[0] == key {
			n, _ := strconv.ParseInt(fields[1], 10, 64)
			return n
		}
	}
	return 0
}

// names are what Facts say of how limits are held.
func (c *cgroup) names() (memoryBy, processesBy string) {
	memoryBy, processesBy = "sampling", "rlimit"
	if c != nil && c.memory.dir != "" {
		memoryBy += fmt.Sprintf(" and cgroup-v%d", c.memory.version)
	}
	if c != nil && c.pids.dir != "" {
		processesBy += fmt.Sprintf(" and cgroup-v%d", c.pids.version)
	}
	return memoryBy, processesBy
}

// close removes the groups, once pid 1 is gone and with it the whole box.
func (c *cgroup) close() {
	if c == nil {
		return
	}
	for _, dir := range []string{c.pids.dir, c.memory.dir} {
		if dir == "" {
			continue
		}
		for range 20 { // the last exits may still be on their way
			if err := os.Remove(dir); err == nil || errors.Is(err, fs.ErrNotExist) {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}
