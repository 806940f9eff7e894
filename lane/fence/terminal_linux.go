//go:build amd64 || arm64

package fence

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// endOfInput is what a person types at the end of it.
const endOfInput = 'D' - '@'

// openTerminal makes a new pseudo-terminal, whose slave side the command gets. It is no terminal of anybody's: what the
// command does to it shows only in what comes out of the other side.
func (s *streams) openTerminal(c *Command, owner int) error {
	master, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	s.readers[0] = os.NewFile(uintptr(master), "terminal")
	if err := unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0); err != nil {
		return err
	}
	n, err := unix.IoctlGetUint32(master, unix.TIOCGPTN)
	if err != nil {
		return err
	}
	slave, err := unix.Open("/dev/pts/"+strconv.Itoa(int(n)), unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	s.theirs = append(s.theirs, slave)
	for range 2 { // stdout, stderr and, last, stdin
		fd, err := unix.FcntlInt(uintptr(slave), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return err
		}
		s.theirs = append(s.theirs, fd)
	}
	if os.Geteuid() != owner {
		if err := unix.Fchown(slave, owner, owner); err != nil {
			return err
		}
	}
	resize(s.readers[0], c.Terminal.Size)
	if c.Terminal.Resized != nil {
		go func() {
			for size := range c.Terminal.Resized {
				resize(s.readers[0], size)
			}
		}()
	}
	if c.Stdin != nil {
		go func() {
			_, _ = io.Copy(onlyWriter{s.readers[0]}, c.Stdin)
			_, _ = s.readers[0].Write([]byte{endOfInput})
		}()
	}
	return nil
}

// resize tells the terminal its size, and the kernel tells the command. Nothing follows from a failure.
func resize(master *os.File, size Size) {
	if raw, err := master.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) {
			_ = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: size.Rows, Col: size.Columns})
		})
	}
}
