package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/journal"
)

const (
	mib = 1 << 20
	gib = 1 << 30
	// littleDisk is where a check may run out of room, and noDisk where it will.
	littleDisk, noDisk = 2 * gib, 64 * mib
	// boxMemory is what one box may hold by default, processes and files together.
	boxMemory = 4 * gib
)

func stateFolder(o Options) Finding {
	return folder("state", o.State, "no verdict can be written", "LANE_STATE")
}

func cacheFolder(o Options) Finding {
	return folder("cache", o.Cache, "trees and build caches cannot be kept", "LANE_CACHE")
}

// folder writes into one of Lane's folders and asks for the room in it.
func folder(name, dir, lost, variable string) Finding {
	f := Finding{Name: name, State: OK}
	there, err := nearest(dir)
	if err == nil {
		err = writable(there)
	}
	if err != nil {
		f.State, f.Saw = Missing, dir+" cannot be written: "+err.Error()
		f.Costs, f.Fix = lost, "make it writable for this user, or set "+variable+" to another folder"
		return f
	}
	free, files, err := room(there)
	if err != nil {
		f.State, f.Saw, f.Costs = Degraded, dir+": its room is not known: "+err.Error(), "a check may run out of it"
		return f
	}
	f.Saw = fmt.Sprintf("%s, %s and %d files free", dir, size(free), files)
	const fix = "free some room (lane gc), or set "
	switch {
	case free < noDisk || files >= 0 && files < 1000:
		f.State, f.Costs, f.Fix = Missing, lost, fix+variable+" to a folder on another disk"
	case free < littleDisk || files >= 0 && files < 100_000:
		f.State, f.Costs, f.Fix = Degraded, "a check of a large tree may run out of room", fix+variable+" to a folder on another disk"
	}
	return f
}

// nearest is dir, or the first folder above it that is there: Lane makes the rest.
func nearest(dir string) (string, error) {
	for {
		st, err := os.Stat(dir)
		switch {
		case err == nil && !st.IsDir():
			return "", fmt.Errorf("%s is no folder", dir)
		case err == nil:
			return dir, nil
		case filepath.Dir(dir) == dir || !os.IsNotExist(err):
			return "", err
		}
		dir = filepath.Dir(dir)
	}
}

// writable makes a file in dir and removes it.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".lane-doctor-")
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}

// memory is what the boxes' processes and their tmpfs share.
func memory(o Options) Finding {
	f := Finding{Name: "memory", State: OK}
	available := int64(-1)
	data, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(data)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "MemAvailable:" {
			kib, _ := strconv.ParseInt(fields[1], 10, 64)
			available = kib << 10
		}
	}
	jobs := int64(max(o.Jobs, 1))
	if available < 0 {
		f.State, f.Saw, f.Costs = Degraded, "not known", "boxes may meet the machine's limit before their own"
		return f
	}
	f.Saw = fmt.Sprintf("%s available for processes and tmpfs of %d boxes at once, %s each at most", size(available), jobs, size(boxMemory))
	if available < jobs*boxMemory/4 {
		f.State = Degraded
		f.Costs = "boxes may meet the machine's limit before their own, and end as environment-exhausted"
		f.Fix = "give the machine more memory, run fewer boxes (--jobs), or lower memory in [limits] of the specs"
	}
	return f
}

// clock compares the machine's time with what it cannot be before.
func clock(o Options) Finding {
	now := time.Now()
	f := Finding{Name: "clock", State: OK, Saw: now.UTC().Format(time.RFC3339)}
	const costs = "times in verdicts are wrong, and what was cached may be taken for newer than it is"
	if !o.Built.IsZero() && now.Before(o.Built) {
		f.State, f.Costs, f.Fix = Degraded, costs, "set the clock"
		f.Saw += ", before this lane was built (" + o.Built.UTC().Format(time.RFC3339) + ")"
		return f
	}
	there, err := nearest(o.State)
	if err != nil {
		return f
	}
	file, err := os.CreateTemp(there, ".lane-doctor-")
	if err != nil {
		return f
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if st, err := file.Stat(); err == nil {
		off := st.ModTime().Sub(now)
		f.Saw += fmt.Sprintf(", a new file's time differs by %d ms", off.Milliseconds())
		if off.Abs() > 2*time.Second {
			f.State, f.Costs, f.Fix = Degraded, costs, "keep LANE_STATE on a disk of this machine, or set the file server's clock"
		}
	}
	return f
}

// leftovers are what Lanes that were killed left.
func leftovers(o Options) Finding {
	f := Finding{Name: "leftovers", State: OK, Saw: "none"}
	groups, boxes := fence.Leftovers()
	stranded, err := journal.Stranded(o.Specs)
	if err != nil {
		f.State, f.Saw, f.Costs = Degraded, err.Error(), "what died is not known"
		return f
	}
	if len(groups)+len(boxes)+len(stranded) == 0 {
		return f
	}
	f.State = Degraded
	f.Saw = fmt.Sprintf("%d specs without a terminal status, %d boxes that nobody waits for, %d empty control groups", len(stranded), len(boxes), len(groups))
	f.Costs, f.Fix = "readers of those statuses wait for a run that is dead", "lane reap; the next box removes control groups"
	if len(boxes) > 0 {
		f.Fix += fmt.Sprintf("; end the boxes: kill %s", strings.Trim(fmt.Sprint(boxes), "[]"))
	}
	return f
}

// size writes a number of bytes for people.
func size(n int64) string {
	if n >= gib {
		return fmt.Sprintf("%.1f GiB", float64(n)/gib)
	}
	return fmt.Sprintf("%d MiB", n/mib)
}
