//go:build amd64 || arm64

package fence

import (
	"os"

	"golang.org/x/sys/unix"
)

// drain reads f to its end, for ever if need be, so that no writer blocks. Once
// f's read deadline is over, it takes what is there and does not wait for more.
func (o *output) drain(stream int, f *os.File, t *tail) {
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	buf := make([]byte, 64<<10)
	for {
		var n int
		var err error
		read := func(fd uintptr) bool {
			for {
				n, err = unix.Read(int(fd), buf)
				if err != unix.EINTR {
					return err != unix.EAGAIN
				}
			}
		}
		if raw.Read(read) != nil {
			if raw.Control(func(fd uintptr) { read(fd) }) != nil {
				return
			}
		}
		if err != nil || n <= 0 {
			return
		}
		o.keep(stream, t, buf[:n])
	}
}
