//go:build amd64 || arm64

package fence

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"
)

// procEntry is what /proc says of one process of the box.
type procEntry struct {
	Process
	zombie  bool
	threads int
	rss     int64         // bytes, shared ones included
	cpu     time.Duration // own and of waited-for children
}

const (
	leftLimit    = 64  // processes named in a census
	commandLimit = 256 // bytes of a command line
	clockTick    = 10 * time.Millisecond
)

// processes lists every process of the box but pid 1. Those that end while it
// looks are left out.
func processes() ([]procEntry, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var list []procEntry
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == 1 {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		if e, ok := parseStat(pid, stat); ok {
			list = append(list, e)
		}
	}
	return list, nil
}

// parseStat reads a line of /proc/PID/stat. The name, in parentheses, may hold
// anything, parentheses too.
func parseStat(pid int, stat []byte) (procEntry, bool) {
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return procEntry{}, false
	}
	fields := strings.Fields(string(stat[end+1:]))
	if len(fields) < 22 {
		return procEntry{}, false
	}
	number := func(i int) int64 { // i as in proc(5), where the state is field 3
		n, _ := strconv.ParseInt(fields[i-3], 10, 64)
		return n
	}
	return procEntry{
		Process: Process{PID: pid, Parent: int(number(4)), Name: string(stat[open+1 : end])},
		zombie:  fields[0] == "Z" || fields[0] == "X",
		threads: int(number(20)),
		rss:     number(24) * int64(os.Getpagesize()),
		cpu:     time.Duration(number(14)+number(15)+number(16)+number(17)) * clockTick,
	}, true
}

// alive are the entries that are no zombies.
func alive(list []procEntry) []procEntry {
	var out []procEntry
	for _, e := range list {
		if !e.zombie {
			out = append(out, e)
		}
	}
	return out
}

// describe adds command lines, for at most leftLimit processes.
func describe(list []procEntry) []Process {
	var out []Process
	for _, e := range list {
		if len(out) == leftLimit {
			break
		}
		p := e.Process
		if line, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/cmdline"); err == nil {
			line = bytes.ReplaceAll(bytes.TrimRight(line, "\x00"), []byte{0}, []byte{' '})
			p.Command = string(line[:min(len(line), commandLimit)])
		}
		out = append(out, p)
	}
	return out
}

// proportionalMemory is the memory of a process with shared pages divided among
// those that share them.
func proportionalMemory(pid int) int64 {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kib << 10
		}
	}
	return 0
}
