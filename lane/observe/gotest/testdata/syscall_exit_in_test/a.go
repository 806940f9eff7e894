package a

import "syscall"

// Answer never returns.
func Answer() int {
	syscall.Exit(0)
	return 41
}
