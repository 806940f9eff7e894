package wasi

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// self is this very program.
func self() (string, error) { return "/proc/self/exe", nil }

// launch starts the guest's process without privileges, and waits for it. A goroutine of its own does both, whose thread is given up for
// it: new privileges are renounced there for good, and the kernel ends the process when the thread that started it ends.
func launch(cmd *exec.Cmd, user int) (wait func() error, err error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() == 0 && user > 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}
	}
	begun, ended := make(chan error), make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends here
		err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		if err != nil {
			begun <- fmt.Errorf("set no_new_privs: %w", err)
			return
		}
		err = cmd.Start()
		begun <- err
		if err == nil {
			ended <- cmd.Wait()
		}
	}()
	return func() error { return <-ended }, <-begun
}

// handed is how the guest's process names a folder that it was handed as a descriptor: it needs no right to enter what lies above.
func handed(fd int, _ string) string { return fmt.Sprintf("/proc/self/fd/%d", fd) }
