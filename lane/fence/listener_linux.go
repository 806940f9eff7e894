//go:build amd64 || arm64

package fence

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// mostListeners is how many descriptors fit into an answer of pid 1, beside that of the ways and that of a long message.
const mostListeners = 6

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

// Listeners are what listens in the box at each of Config.Listen and is served by Lane: a connection that a command makes to one
// arrives here. They are closed with the box.
func (b *Box) Listeners() []net.Listener { return b.listeners }

// takeSockets takes the descriptors that pid 1 sent with its first answer: the listeners, and where to ask for ways.
func (b *Box) takeSockets(fds []int) error {
	want := len(b.config.Listen)
	if b.config.Ways {
		want++
	}
	if len(fds) != want {
		closeAll(fds)
		return fmt.Errorf("%d sockets came from the box, want %d", len(fds), want)
	}
	if b.config.Ways {
		b.ways, fds = fds[want-1], fds[:want-1]
	}
	var errs []error
	for _, fd := range fds {
		f := os.NewFile(uintptr(fd), "box-listener")
		l, err := net.FileListener(f) // a duplicate
		f.Close()
		if err != nil {
			errs = append(errs, fmt.Errorf("take the box's listener: %w", err))
			continue
		}
		b.listeners = append(b.listeners, l)
	}
	return errors.Join(errs...)
}
