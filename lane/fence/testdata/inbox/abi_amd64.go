package main

import (
	"fmt"
	"syscall"
)

// int80 makes the i386 call "getpid" by the old gate.
func int80() uintptr

func attackInt80() int {
	fmt.Println("int 0x80 gave", int80())
	return 0
}

func attackX32() int {
	pid, _, e := syscall.RawSyscall(0x40000000+39, 0, 0, 0)
	fmt.Println("x32 getpid gave", pid, e)
	return 0
}
