package process

import (
	"errors"

	"golang.org/x/sys/unix"
)

// endGroup waits until the leader has ended and then kills what it left in its
// process group. The leader is not reaped before: once it were, its number
// could be another's.
func endGroup(leader int) {
	for {
		err := unix.Waitid(unix.P_PID, leader, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	_ = unix.Kill(-leader, unix.SIGKILL)
}
