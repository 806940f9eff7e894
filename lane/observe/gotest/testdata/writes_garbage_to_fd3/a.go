package a

import "syscall"

var spare int

func init() {
	spare, _ = syscall.Dup(3)
	Garbage(3)
}

// Garbage writes what no reporter would.
func Garbage(fd int) {
	for _, s := range []string{
		"\x00\xff garbage", "{}", "[]", `{"v":9}`, `{"v":1,"e":"explode","p":1,"n":1}`,
		`{"v":1,"e":"finish","p":1,"n":1,"u":"example.org/writes_garbage_to_fd3","t":"TestAnswer","s":"passed"}`,
		`{"v":1,"e":"end","p":1,"n":2,"u":"example.org/writes_garbage_to_fd3","c":0}`,
	} {
		syscall.Write(fd, []byte(s))
	}
}
