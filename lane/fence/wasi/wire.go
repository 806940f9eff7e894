package wasi

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"github.com/vallane/lane/lane/fence"
)

// request is all that the guest's process is told.
type request struct {
	Module []byte
	Argv   []string
	Env    []string // in order; on equal keys the last one counts
	Start  time.Time
	Seed   [32]byte

	Tree    string // folder of the host; "" for an empty tree
	Cache   string // folder of the host; "" for none
	Changes map[string]fence.Change
	Files   map[string]fence.File
	Collect []string
	Most    int64 // bytes of each collected file

	Limits  fence.Limits // with defaults filled in
	CPU     time.Duration
	Timeout time.Duration
	User    int // id of the host for the guest's process, where root calls; 0 to stay
	Events  bool
	Listen  bool // the control of the network probe: the guest gets a listener
}

// answer is how a guest ended.
type answer struct {
	End          fence.End
	Exit         int
	Note         string
	Exhausted    []fence.End
	PeakMemory   int64
	DiskUsed     int64
	Collected    map[string][]byte
	NotCollected map[string]string
}

// started is what the guest's process says of itself before the first instruction of the guest.
type started struct {
	UID, GID   int
	Groups     []int
	NoNewPrivs bool
	Port       int // of the listener
}

// The kinds of frames that come from the guest's process. A guest makes nothing but records.
const (
	frameStarted = 's'
	frameRecord  = 'e'
	frameTooLong = 'l' // a record was longer than maxRecord, and dropped
	frameEnded   = 'd'
)

const (
	maxRecord = 64 << 10
	maxAnswer = 256 << 20
)

// writeFrame sends a kind, a length and so many bytes.
func writeFrame(w io.Writer, kind byte, data []byte) error {
	b := make([]byte, 5, 5+len(data))
	b[0] = kind
	binary.LittleEndian.PutUint32(b[1:], uint32(len(data)))
	_, err := w.Write(append(b, data...))
	return err
}

func readFrame(r *bufio.Reader) (kind byte, data []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := int64(binary.LittleEndian.Uint32(head[1:]))
	most := int64(maxRecord)
	if head[0] == frameEnded {
		most = maxAnswer
	}
	if n > most {
		return 0, nil, fmt.Errorf("a frame of %d bytes", n)
	}
	data = make([]byte, n)
	_, err = io.ReadFull(r, data)
	return head[0], data, err
}
