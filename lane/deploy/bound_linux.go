package deploy

import (
	"os/exec"
	"runtime"
	"syscall"
)

// startBound starts a program that ends when Lane does. The kernel ends it with the thread that started it, so one waits with it; done is closed at
// its end.
func startBound(cmd *exec.Cmd, done chan struct{}) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			cmd.Wait()
			close(done)
		}
	}()
	return <-started
}
