package main

import (
	"bufio"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// terminal says what the terminal on standard input is like, and tries to type into it.
func terminal([]string) int {
	size, err := unix.IoctlGetWinsize(0, unix.TIOCGWINSZ)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("size", size.Row, size.Col)
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err == nil {
		tty.Close()
	}
	say("controlling terminal", err)
	say("push input", unix.IoctlSetPointerInt(0, unix.TIOCSTI, 'x'))
	in := bufio.NewReader(os.Stdin)
	line, err := in.ReadString('\n')
	fmt.Printf("read %q %v\n", line, err)
	_, err = in.ReadString('\n')
	fmt.Println("then", err)
	return 0
}
