//go:build unix

package nar

import (
	"time"

	"golang.org/x/sys/unix"
)

// touchLink gives a symlink itself its times.
func touchLink(path string, t time.Time) error {
	ts := []unix.Timespec{unix.NsecToTimespec(t.UnixNano()), unix.NsecToTimespec(t.UnixNano())}
	return unix.UtimesNanoAt(unix.AT_FDCWD, path, ts, unix.AT_SYMLINK_NOFOLLOW)
}
