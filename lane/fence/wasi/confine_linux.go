package wasi

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// confine lowers the limits of the guest's process: behind the runtime and its caller it is the third wall.
func confine(r *request) error {
	for what, most := range map[int]uint64{
		unix.RLIMIT_CORE:  0,
		unix.RLIMIT_FSIZE: 1 << 30, // the folder of compiled modules is all that it can write to
		unix.RLIMIT_DATA:  uint64(r.Limits.Memory) + uint64(r.Limits.Disk)*2 + 4<<30,
		unix.RLIMIT_CPU:   cpuSeconds(r),
	} {
		if err := lower(what, most); err != nil {
			return err
		}
	}
	return nil
}

// noNewPrivs asks the kernel.
func noNewPrivs() bool {
	on, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	return err == nil && on == 1
}

func lower(what int, most uint64) error {
	var old unix.Rlimit
	if err := unix.Getrlimit(what, &old); err != nil {
		return fmt.Errorf("read limit %d: %w", what, err)
	}
	most = min(most, old.Max)
	if err := unix.Setrlimit(what, &unix.Rlimit{Cur: most, Max: most}); err != nil {
		return fmt.Errorf("set limit %d: %w", what, err)
	}
	return nil
}
