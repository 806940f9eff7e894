//go:build amd64 || arm64

package fence

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds of what one run may say on its event socket.
const (
	eventLimit      = 64 << 10 // bytes of one record
	eventCountLimit = 2_000_000
	eventBytesLimit = 512 * mib
)

// events is Lane's side of the event socket of one run.
type events struct {
	file   *os.File
	take   func(rec []byte)
	after  func() bool
	settle func() // called once, when after is first true

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
	if err := unix.SetNonblock(pair[0], true); err != nil { // so that the runtime waits for it
		closeAll(pair[:])
		return nil, -1, err
	}
	return &events{file: os.NewFile(uintptr(pair[0]), "lane-events"), take: c.Events, after: c.AfterEvents, settle: settle}, pair[1], nil
}

// receive hands on records until nobody can write any more.
func (e *events) receive() {
	raw, err := e.file.SyscallConn()
	if err != nil {
		return
	}
	buf := make([]byte, eventLimit+1)
	// room for credentials and nothing else: descriptors that somebody sends
	// along are closed by the kernel
	oob := make([]byte, unix.CmsgSpace(unix.SizeofUcred))
	for {
		var n, oobn int
		var err error
		read := func(fd uintptr) bool {
			for {
				n, oobn, _, _, err = unix.Recvmsg(int(fd), buf, oob, unix.MSG_CMSG_CLOEXEC)
				if err != unix.EINTR {
					return err != unix.EAGAIN
				}
			}
		}
		if raw.Read(read) != nil { // woken: the run is over, take what is left
			if raw.Control(func(fd uintptr) { read(fd) }) != nil {
				return
			}
		}
		if err != nil || n == 0 && oobn == 0 {
			return
		}
		e.record(buf[:n])
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
