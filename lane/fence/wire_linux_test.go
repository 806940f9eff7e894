//go:build amd64 || arm64

package fence

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"golang.org/x/sys/unix"
)

func TestWireCarriesMessagesOfAnySize(t *testing.T) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	a, b := newWire(pair[0]), newWire(pair[1])
	defer b.close()
	for _, size := range []int{0, 100, inlineLimit, 3 << 20} {
		data := bytes.Repeat([]byte{0xff, 'x'}, size/2)
		sent := message{Run: &runRequest{Argv: []string{"\xff\x00"}, Overlay: map[string]Change{"odd\xff": {Data: data}}}}
		if err := a.send(sent, pair[0]); err != nil {
			t.Fatal(err)
		}
		var got message
		fds, err := b.receive(&got)
		if err != nil || len(fds) != 1 {
			t.Fatal(fds, err)
		}
		closeAll(fds)
		if got.Run.Argv[0] != "\xff\x00" || !bytes.Equal(got.Run.Overlay["odd\xff"].Data, data) {
			t.Errorf("a message of %d bytes arrives changed", size)
		}
	}
	a.close()
	if _, err := b.receive(&message{}); !errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
	if err := a.send(message{}); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}
