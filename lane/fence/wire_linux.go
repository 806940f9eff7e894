//go:build amd64 || arm64

package fence

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// message is what Lane says to a box's pid 1. Exactly one
// field is set, besides Seq.
type message struct {
	Open    *openRequest
	Run     *runRequest // with descriptors: stdout, stderr and, if Events, the event socket, and, if Stdin, stdin
	Probe   *probeRequest
	Inspect bool // say what a process of the box would be
	Settle  bool // the running command has said all that it has to say
	Kill    End  // end the running command at once, for this reason
	Seq     int  // the run that Settle and Kill are about, which may have ended in the meantime
}

type openRequest struct {
	Config   Config
	BoxTime  time.Time
	FirstCPU int    // number of the first processor to use, where Limits.CPUs leaves a choice
	Root     bool   // the caller was root: pid 1 begins as uid 0 of the host and must leave it
	Zones    string // host folder with unpacked time zones; empty: unpack them
}

type runRequest struct {
	Seq          int
	Argv         []string
	Env          []string
	Dir          string
	Timeout      time.Duration
	Grace        time.Duration
	ExitGrace    time.Duration
	CPU          time.Duration
	Overlay      map[string]Change
	Files        map[string]File
	Collect      []string
	CollectLimit int64
	Events       bool
	Stdin        bool // the last descriptor is the command's standard input
	Terminal     bool // which is the command's terminal, as the others are
	Keep         bool
}

type probeRequest struct {
	Addresses []string // "ip:port", "tcp:ip:port" or "udp:ip:port"
	Listen    bool     // pid 1 listens on an address of its own, which is added
	Timeout   time.Duration
}

// reply is what pid 1 answers. Failed is set or exactly one other field is.
type reply struct {
	Failed *failure
	Opened *openedReply
	Run    *Result
	Probe  []ProbeResult
	Seen   *Facts // of Inspect
}

// openedReply says what is the same for every run in the box.
type openedReply struct{ Facts Facts }

// failure is an error on its way over the socket.
type failure struct {
	Step  string
	Msg   string
	Errno syscall.Errno
	Fatal bool // the box is not usable any more
	Input bool // the caller named something that is not there or not to be had
}

func (f *failure) Error() string { return f.Step + ": " + f.Msg }

// fail makes a failure of err that keeps its errno.
func fail(step string, err error) *failure {
	if err == nil {
		return nil
	}
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	f = &failure{Step: step, Msg: err.Error()}
	errors.As(err, &f.Errno)
	return f
}

// badInput is a failure that is the caller's.
func badInput(step string, err error) *failure {
	f := fail(step, err)
	f.Input = true
	return f
}

// inlineLimit is the size up to which a message travels in the packet itself;
// a longer one goes through a memfd, since the socket buffer bounds a packet.
const (
	inlineLimit  = 32 << 10
	messageLimit = 1 << 30
	inline       = 'I'
	inMemfd      = 'M'
)

// wire is one side of the control socket. Messages are gob: file names need not
// be UTF-8. send may be called from several goroutines, receive from one.
type wire struct {
	sock int

	mu  sync.Mutex
	out bytes.Buffer
	enc *gob.Encoder

	in  bytes.Buffer
	dec *gob.Decoder
}

func newWire(sock int) *wire {
	w := &wire{sock: sock}
	w.enc = gob.NewEncoder(&w.out)
	w.dec = gob.NewDecoder(&w.in)
	return w
}

// close closes the socket. Nobody may be in receive.
func (w *wire) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	unix.Close(w.sock)
	w.sock = -1
}

// send writes v as one packet, with descriptors.
func (w *wire) send(v any, fds ...int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sock < 0 {
		return ErrClosed
	}
	w.out.Reset()
	if err := w.enc.Encode(v); err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	packet := []byte{inMemfd}
	if w.out.Len() <= inlineLimit {
		packet = append([]byte{inline}, w.out.Bytes()...)
	} else {
		mem, err := memfd("lane-message", w.out.Bytes())
		if err != nil {
			return err
		}
		defer unix.Close(mem)
		fds = append([]int{mem}, fds...)
	}
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	for {
		err := unix.Sendmsg(w.sock, packet, oob, nil, unix.MSG_NOSIGNAL)
		if err != unix.EINTR {
			return err
		}
	}
}

// receive reads one packet into v and gives the descriptors that came with it.
// It returns io.EOF when the other side is gone.
func (w *wire) receive(v any) ([]int, error) {
	buf := make([]byte, inlineLimit+1)
	oob := make([]byte, unix.CmsgSpace(8*4))
	var n, oobn int
	var err error
	for {
		n, oobn, _, _, err = unix.Recvmsg(w.sock, buf, oob, unix.MSG_CMSG_CLOEXEC)
		if err != unix.EINTR {
			break
		}
	}
	if err == unix.ECONNRESET || err == nil && n == 0 {
		return nil, io.EOF
	}
	if err != nil {
		return nil, err
	}
	fds, err := rights(oob[:oobn])
	if err != nil {
		return nil, err
	}
	data := buf[1:n]
	if buf[0] == inMemfd {
		if len(fds) == 0 {
			return nil, errors.New("message without its memfd")
		}
		data, err = readMemfd(fds[0])
		unix.Close(fds[0])
		fds = fds[1:]
	}
	if err == nil {
		w.in.Write(data)
		err = w.dec.Decode(v)
	}
	if err != nil {
		closeAll(fds)
		return nil, fmt.Errorf("decode message: %w", err)
	}
	return fds, nil
}

func rights(oob []byte) ([]int, error) {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, err
	}
	var fds []int
	for i := range messages {
		got, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			continue
		}
		fds = append(fds, got...)
	}
	return fds, nil
}

func memfd(name string, data []byte) (int, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("create memfd: %w", err)
	}
	for off := 0; off < len(data); {
		n, err := unix.Pwrite(fd, data[off:], int64(off))
		if err != nil {
			unix.Close(fd)
			return -1, fmt.Errorf("write memfd: %w", err)
		}
		off += n
	}
	return fd, nil
}

func readMemfd(fd int) ([]byte, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	if st.Size > messageLimit {
		return nil, fmt.Errorf("message of %d bytes is too large", st.Size)
	}
	data := make([]byte, st.Size)
	for off := 0; off < len(data); {
		n, err := unix.Pread(fd, data[off:], int64(off))
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, io.ErrUnexpectedEOF
		}
		off += n
	}
	return data, nil
}

func closeAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}
