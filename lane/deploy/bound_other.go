//go:build !linux

package deploy

import "os/exec"

// startBound starts a program; done is closed at its end. Where Lane is killed, it goes on.
func startBound(cmd *exec.Cmd, done chan struct{}) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		cmd.Wait()
		close(done)
	}()
	return nil
}
