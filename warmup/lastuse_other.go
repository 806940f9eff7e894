//go:build !linux

package warmup

import (
	"os"
	"time"
)

// lastUse is when a closure's file was last touched; zero where it is not
// there. Use by others than its owner is not seen on this system.
func lastUse(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
