//go:build !linux

package wasi

import (
	"os"
	"os/exec"
)

// self is this very program.
func self() (string, error) { return os.Executable() }

// launch starts the guest's process, which ends when its input closes.
func launch(cmd *exec.Cmd, _ int) (wait func() error, err error) { return cmd.Wait, cmd.Start() }

// handed is how the guest's process names a folder: by its path.
func handed(_ int, path string) string { return path }
