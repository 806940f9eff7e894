package door_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/door"
)

// echo serves what answers each connection with all that it was sent.
func echo(t *testing.T) (dial func(context.Context) (net.Conn, error)) {
	l := listen(t)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(c, c)
				c.Close()
			}()
		}
	}()
	return func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", l.Addr().String())
	}
}

func listen(t *testing.T) net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// say sends a text and returns all that comes back.
func say(t *testing.T, l net.Listener, text string) string {
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = io.WriteString(c, text) // the other side may have gone
	_ = c.(*net.TCPConn).CloseWrite()
	answer, _ := io.ReadAll(c) // as much as came
	return string(answer)
}

// A door carries both directions, counts what passes, and where it is told to, lets no answer through as it was.
func TestCarry(t *testing.T) {
	d, l := &door.Door{}, listen(t)
	go d.Serve(l)
	if got := say(t, l, "hello"); got != "" {
		t.Errorf("a door that leads nowhere answers %q", got)
	}
	plain := &door.Traffic{}
	d.Lead(door.Carry(t.Context(), echo(t), plain))
	text := strings.Repeat("hello ", 1_000)
	for range 2 {
		if got := say(t, l, text); got != text {
			t.Errorf("%d bytes came back of %d", len(got), len(text))
		}
	}
	if n := int64(2 * len(text)); plain.Connections() != 2 || plain.Asked() != n || plain.Answered() != n || plain.Spoilt() != 0 {
		t.Errorf("counted %d connections, %d and %d bytes, %d spoilt", plain.Connections(), plain.Asked(), plain.Answered(), plain.Spoilt())
	}
	bad := &door.Traffic{Spoil: true}
	d.Lead(door.Carry(t.Context(), echo(t), bad))
	if got := say(t, l, "hello"); got != "\x97\x9a\x93\x93\x90" {
		t.Errorf("the spoilt answer is %q", got)
	}
	if bad.Connections() != 1 || bad.Answered() != 0 || bad.Spoilt() != 1 {
		t.Errorf("counted %d connections, %d bytes, %d spoilt", bad.Connections(), bad.Answered(), bad.Spoilt())
	}
	none := &door.Traffic{}
	d.Lead(door.Carry(t.Context(), func(context.Context) (net.Conn, error) { return nil, errors.New("refused") }, none))
	if got := say(t, l, "hello"); got != "" || none.Connections() != 0 {
		t.Errorf("nobody took the connection, and it answers %q and counts %d", got, none.Connections())
	}
	d.Shut()
	if got := say(t, l, "hello"); got != "" {
		t.Errorf("a door that is shut answers %q", got)
	}
}
