// Package spawn leaves a process behind when its clean-up is mutated.
package spawn

import "os/exec"

// Spawn starts a process and ends it.
func Spawn() error {
	c := exec.Command("sleep", "60")
	if err := c.Start(); err != nil {
		return err
	}
	defer func() {
		c.Process.Kill()
		c.Wait()
	}()
	return nil
}
