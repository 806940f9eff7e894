//go:build amd64 || arm64

package fence

import (
	"fmt"
	"net"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// backlog is how many connections may wait for Lane to accept them.
const backlog = 512

// listenInBox makes the listener of Config.Listen, in the box's own network. pid 1 hands it to Lane and keeps nothing
// of it: no process of the box ever has the descriptor.
func listenInBox(address string) (int, error) {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().Is4() || !at.Addr().IsLoopback() {
		return -1, badInput("listen in box", fmt.Errorf("%q is no 127.0.0.1:PORT", address))
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return -1, fail("listen in box", err)
	}
	err = unix.Bind(fd, &unix.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()})
	if err == nil {
		err = unix.Listen(fd, backlog)
	}
	if err != nil {
		unix.Close(fd)
		return -1, fail("listen in box", err)
	}
	return fd, nil
}

// Listener is what listens in the box at Config.Listen and is served by Lane: a connection that a command makes to it
// arrives here. It is nil where the box has none, and closed with the box.
func (b *Box) Listener() net.Listener {
	if b.listener == nil { // not a nil pointer in an interface
		return nil
	}
	return b.listener
}

// takeSockets takes the descriptors that pid 1 sent with its first answer: the listener, and where to ask for ways.
func (b *Box) takeSockets(fds []int) error {
	want := 0
	for _, asked := range []bool{b.config.Listen != "", b.config.Ways} {
		if asked {
			want++
		}
	}
	if len(fds) != want {
		closeAll(fds)
		return fmt.Errorf("%d sockets came from the box, want %d", len(fds), want)
	}
	if b.config.Ways {
		b.ways, fds = fds[want-1], fds[:want-1]
	}
	if b.config.Listen == "" {
		return nil
	}
	f := os.NewFile(uintptr(fds[0]), "box-listener")
	defer f.Close()
	l, err := net.FileListener(f) // a duplicate
	if err != nil {
		return fmt.Errorf("take the box's listener: %w", err)
	}
	b.listener = l
	return nil
}
