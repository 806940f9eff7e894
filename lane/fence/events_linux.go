//go:build amd64 || arm64

package fence

import (
	"time"

	"golang.org/x/sys/unix"
)

// Bounds of what one run may say on its event socket.
const (
	eventLimit      = 64 << 10 // bytes of one record
	eventCountLimit = 2_000_000
	eventBytesLimit = 512 * mib
)

// eventPause is how long Lane looks away after it has taken what there was. A process that is woken for each of many records costs the
// sender more than the record does.
const eventPause = time.Millisecond

// events is Lane's side of the event socket of one run. The runtime's poller is kept from the socket, since that would be woken by each
// record, whoever waits.
type events struct {
	sock   int
	wake   int           // an eventfd: the run is over
	over   chan struct{} // the same, for who looks away
	take   func(rec []byte)
	after  func() bool
	settle func() // called once, when after is first true

	buf, oob []byte

	count   int
	bytes   int64
	last    time.Time
	lost    bool
	settled bool
}

// newEvents makes the socket; the box's side is returned as a descriptor.
func newEvents(c *Command, settle func()) (*events, int, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, -1, err
	}
	// with the sender's credentials in each packet, an empty record can be told
	// from the end of the stream
	if err := unix.SetsockoptInt(pair[0], unix.SOL_SOCKET, unix.SO_PASSCRED, 1); err != nil {
		closeAll(pair[:])
		return nil, -1, err
	}
	if err := unix.Shutdown(pair[0], unix.SHUT_WR); err != nil {
		closeAll(pair[:])
		return nil, -1, err
	}
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		closeAll(pair[:])
		return nil, -1, err
	}
	return &events{sock: pair[0], wake: wake, over: make(chan struct{}), take: c.Events, after: c.AfterEvents, settle: settle}, pair[1], nil
}

// stop has receive take what is left, and end. It is called once.
func (e *events) stop() {
	close(e.over)
	_, _ = unix.Write(e.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
}

// close closes the socket. Nobody may be in receive.
func (e *events) close() { closeAll([]int{e.sock, e.wake}) }

// receive hands on records until nobody can write any more, or until the run is over and it has taken what is left.
func (e *events) receive() {
	e.buf = make([]byte, eventLimit+1)
	// room for credentials and nothing else: descriptors that somebody sends
	// along are closed by the kernel
	e.oob = make([]byte, unix.CmsgSpace(unix.SizeofUcred))
	for {
		over := e.wait()
		taken, open := e.drain()
		if over || !open {
			return
		}
		for taken { // more is likely to come
			select {
			case <-e.over:
			case <-time.After(eventPause):
			}
			if taken, open = e.drain(); !open {
				return
			}
		}
	}
}

// wait is back when there is something to take, and says whether the run is over.
func (e *events) wait() (over bool) {
	fds := []unix.PollFd{{Fd: int32(e.sock), Events: unix.POLLIN}, {Fd: int32(e.wake), Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(fds, -1); err != unix.EINTR {
			return err != nil || fds[1].Revents != 0
		}
	}
}

// drain takes all records that are there. open says that more may come.
func (e *events) drain() (taken, open bool) {
	for {
		n, oobn, _, _, err := unix.Recvmsg(e.sock, e.buf, e.oob, unix.MSG_CMSG_CLOEXEC|unix.MSG_DONTWAIT)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return taken, true
		case err != nil || n == 0 && oobn == 0:
			return taken, false
		}
		e.record(e.buf[:n])
		taken = true
	}
}

func (e *events) record(rec []byte) {
	e.last = time.Now()
	if len(rec) == 0 || len(rec) > eventLimit || e.count >= eventCountLimit || e.bytes+int64(len(rec)) > eventBytesLimit {
		e.lost = true
		return
	}
	e.count++
	e.bytes += int64(len(rec))
	e.take(rec)
	if e.after != nil && !e.settled && e.after() {
		e.settled = true
		e.settle()
	}
}
