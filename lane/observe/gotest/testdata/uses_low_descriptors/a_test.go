package a

import (
	"syscall"
	"testing"
)

func TestAnswer(t *testing.T) {
	for fd := 3; fd < 20; fd++ {
		// The runtime's own descriptors are no sockets; without them it may die at any time.
		if _, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_TYPE); err == nil {
			syscall.Close(fd)
		}
	}
	t.Error("told all the same")
}
