package warmup

import (
	"os"
	"syscall"
	"time"
)

// lastUse is when a closure's file was last touched (by its owner) or read (by
// others); zero where it is not there.
func lastUse(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	used := info.ModTime()
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		if read := time.Unix(st.Atim.Unix()); read.After(used) {
			used = read
		}
	}
	return used
}
