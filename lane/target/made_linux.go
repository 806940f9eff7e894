package target

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// endTime is how long a process that was killed may take to end, in milliseconds.
const endTime = 10_000

// madeOf describes a target by the first process of its box.
func madeOf(name, label string, pid int) Made {
	m := Made{Name: name, Label: label, PID: pid, Start: started(pid)}
	if boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		m.Boot = strings.TrimSpace(string(boot))
	}
	return m
}

// started is when a process started, in ticks since the machine did; 0 where there is none.
func started(pid int) uint64 {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	// The name may hold anything; what follows its closing bracket are numbers, of which the 20th is the time.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" {
		return 0
	}
	ticks, err := strconv.ParseUint(fields[19], 10, 64)
	if err != nil {
		return 0
	}
	return ticks
}

// Settle sees to it that a target that a dead run made is gone. A box ends with its Lane by the kernel's doing; where its first process is
// there all the same, it is killed, and the kernel ends the rest with it. ended says that this was so.
func Settle(m Made) (ended bool, err error) {
	fd, err := unix.PidfdOpen(m.PID, 0)
	if errors.Is(err, unix.ESRCH) || m.PID <= 0 {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("tear down the target %s: look at process %d: %w", m.Name, m.PID, err)
	}
	defer unix.Close(fd)
	if now := madeOf(m.Name, m.Label, m.PID); now.Start == 0 || now != m {
		return false, nil // the number belongs to somebody else by now
	}
	if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil && !errors.Is(err, unix.ESRCH) {
		return false, fmt.Errorf("tear down the target %s: end process %d: %w", m.Name, m.PID, err)
	}
	ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(ready, endTime)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return false, fmt.Errorf("tear down the target %s: wait for process %d: %w", m.Name, m.PID, err)
		case n == 0:
			return false, fmt.Errorf("tear down the target %s: process %d does not end; end it by hand", m.Name, m.PID)
		default:
			return true, nil
		}
	}
}
