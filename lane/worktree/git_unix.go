//go:build unix

package worktree

import (
	"os/exec"
	"syscall"
)

// ownSession keeps the terminal's signals from git, and ends all that git started when its context does.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
