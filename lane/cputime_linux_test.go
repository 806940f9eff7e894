package lane

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// cpuTime is the processor time of this process and of everything below it, those that have ended included, to a hundredth of a second:
// what another load on the machine disturbs least.
func cpuTime() (sum time.Duration) {
	const tick = time.Second / 100
	names, _ := os.ReadDir("/proc")
	parent, used := map[string]string{}, map[string]time.Duration{}
	for _, n := range names {
		data, err := os.ReadFile("/proc/" + n.Name() + "/stat")
		at := strings.LastIndexByte(string(data), ')')
		if err != nil || at < 0 {
			continue
		}
		field := strings.Fields(string(data[at+1:])) // from the third on
		parent[n.Name()] = field[1]
		for _, text := range field[11:15] {
			ticks, _ := strconv.ParseInt(text, 10, 64)
			used[n.Name()] += time.Duration(ticks) * tick
		}
	}
	mine := strconv.Itoa(os.Getpid())
	for pid := range used {
		p := pid
		for p != mine && parent[p] != "" {
			p = parent[p]
		}
		if p == mine {
			sum += used[pid]
		}
	}
	return sum
}
