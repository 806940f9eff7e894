//go:build amd64 || arm64

package fence

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// staleAge is how old an empty control group must be before it counts as left over: a younger one may be about to get its box.
const staleAge = time.Minute

// Leftovers names what boxes whose Lane was killed left on this machine, as far as this process may see it: control
// groups without a process, by folder, and boxes that nobody waits for, by process id. The next box that is opened removes
// the groups.
func Leftovers() (groups []string, boxes []int) {
	for _, controller := range []string{"pids", "memory"} {
		own, err := ownGroup(controller)
		if err != nil {
			continue
		}
		groups = append(groups, staleGroups(own)...)
	}
	if own, err := ownUnifiedGroup(); err == nil {
		groups = append(append(groups, staleGroups(own)...), staleGroups(filepath.Dir(own))...)
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range stats {
		argv, err := os.ReadFile(name)
		if err != nil || strings.TrimRight(string(argv), "\x00") != initName {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		stat, err := os.ReadFile(filepath.Join(filepath.Dir(name), "stat"))
		if e, ok := parseStat(pid, stat); err == nil && ok && e.Parent == 1 {
			boxes = append(boxes, pid)
		}
	}
	return groups, boxes
}

// staleGroups lists the groups below parent in which no process is left.
func staleGroups(parent string) (stale []string) {
	groups, _ := filepath.Glob(filepath.Join(parent, cgroupPrefix+"*"))
	for _, dir := range groups {
		procs, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		if st, serr := os.Stat(dir); err == nil && serr == nil && len(procs) == 0 && time.Since(st.ModTime()) > staleAge {
			stale = append(stale, dir)
		}
	}
	return stale
}
