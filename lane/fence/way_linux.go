//go:build amd64 || arm64

package fence

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A Way is one socket of a box's network that is not connected yet. It may be used once. It keeps the network, and
// nothing else of the box, until it is closed: so that a caller can see, when the box is gone, that nobody listens there.
type Way struct{ fd int }

// Way returns a way into the box's network. Config.Ways has to be set. It may be called while a command runs.
func (b *Box) Way() (*Way, error) {
	b.waysMu.Lock()
	defer b.waysMu.Unlock()
	if b.ways < 0 {
		return nil, fmt.Errorf("find a way into the box: %w", ErrClosed)
	}
	if _, err := unix.Write(b.ways, []byte{1}); err != nil {
		return nil, fmt.Errorf("find a way into the box: %w", err)
	}
	buf, oob := make([]byte, 1), make([]byte, unix.CmsgSpace(4))
	n, oobn, _, _, err := retryRecvmsg(b.ways, buf, oob)
	if err != nil || n != 1 {
		return nil, fmt.Errorf("find a way into the box: %w", errors.Join(ErrClosed, err))
	}
	fds, err := received(oob[:oobn])
	if err != nil || len(fds) != 1 {
		closeAll(fds)
		return nil, fmt.Errorf("find a way into the box: it made no socket: %w", errors.Join(unix.Errno(buf[0]), err))
	}
	return &Way{fd: fds[0]}, nil
}

// closeWays is called when pid 1 is gone, so that nobody waits in Way for long.
func (b *Box) closeWays() {
	b.waysMu.Lock()
	defer b.waysMu.Unlock()
	if b.ways >= 0 {
		unix.Close(b.ways)
		b.ways = -1
	}
}

func retryRecvmsg(fd int, buf, oob []byte) (n, oobn, flags int, from unix.Sockaddr, err error) {
	for {
		n, oobn, flags, from, err = unix.Recvmsg(fd, buf, oob, unix.MSG_CMSG_CLOEXEC)
		if err != unix.EINTR {
			return n, oobn, flags, from, err
		}
	}
}

// received takes the descriptors out of a control message.
func received(oob []byte) (fds []int, err error) {
	messages, err := unix.ParseSocketControlMessage(oob)
	for _, m := range messages {
		some, err := unix.ParseUnixRights(&m)
		if err != nil {
			return fds, err
		}
		fds = append(fds, some...)
	}
	return fds, err
}

// poll is how often a connection that waits looks at its context.
const poll = 50 * time.Millisecond

// Dial connects the way to an address of the box's loopback interface, as in 127.0.0.1:8080. Whatever comes of it, the
// way is used up. Where nobody listens, the error is ECONNREFUSED.
func (w *Way) Dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	defer w.Close()
	if !to.Addr().Is4() || !to.Addr().IsLoopback() {
		return nil, fmt.Errorf("dial %s in the box: it is no address of its loopback interface", to)
	}
	if w.fd < 0 {
		return nil, fmt.Errorf("dial %s in the box: the way is used up", to)
	}
	if err := connect(ctx, w.fd, to); err != nil {
		return nil, fmt.Errorf("dial %s in the box: %w", to, err)
	}
	f := os.NewFile(uintptr(w.fd), "box-connection")
	w.fd = -1
	defer f.Close()
	c, err := net.FileConn(f) // a duplicate
	if err != nil {
		return nil, fmt.Errorf("dial %s in the box: %w", to, err)
	}
	return c, nil
}

// connect connects a socket that does not block. On a loopback interface it waits only where the listener's queue is full.
func connect(ctx context.Context, fd int, to netip.AddrPort) error {
	err := unix.Connect(fd, &unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()})
	for err == unix.EINPROGRESS || err == unix.EINTR {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
		n, perr := unix.Poll(ready, int(poll/time.Millisecond))
		if perr != nil && perr != unix.EINTR {
			return perr
		}
		if n < 1 {
			continue
		}
		errno, gerr := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
		if gerr != nil {
			return gerr
		}
		if err = nil; errno != 0 {
			err = unix.Errno(errno)
		}
	}
	return err
}

// Close gives up a way that was not used.
func (w *Way) Close() {
	if w.fd >= 0 {
		unix.Close(w.fd)
		w.fd = -1
	}
}

// openWays makes the pair of sockets over which Lane asks pid 1 for ways, and serves one of them. No process of the box
// ever has either of them, nor a socket that pid 1 made.
func openWays() (int, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, fail("make ways into box", err)
	}
	go giveWays(pair[0])
	return pair[1], nil
}

// giveWays answers each byte with a new socket of the box's network, or with the number of the error.
func giveWays(fd int) {
	defer unix.Close(fd)
	for {
		n, err := unix.Read(fd, make([]byte, 1))
		if err == unix.EINTR {
			continue
		}
		if err != nil || n != 1 {
			return
		}
		var rights []byte
		answer := []byte{0}
		s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if errno := unix.Errno(0); err != nil && errors.As(err, &errno) {
			answer[0] = byte(errno)
		} else {
			rights = unix.UnixRights(s)
		}
		err = unix.Sendmsg(fd, answer, rights, nil, unix.MSG_NOSIGNAL)
		if rights != nil {
			unix.Close(s)
		}
		if err != nil {
			return
		}
	}
}

// PID is the process id of the box's pid 1 on the host.
func (b *Box) PID() int { return b.cmd.Process.Pid }
