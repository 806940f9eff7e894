//go:build amd64 || arm64

package fence_test

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vallane/lane/lane/fence"
)

var inBox = netip.MustParseAddrPort("127.0.0.1:8080")

// Lane reaches what a command of the box listens at, while it listens, and by a way that outlives the box sees that nobody is left.
func TestWays(t *testing.T) {
	c := config(t, "")
	c.Ways = true
	b := open(t, c)
	dial := func() (string, error) {
		w, err := b.Way()
		if err != nil {
			return "", err
		}
		conn, err := w.Dial(t.Context(), inBox)
		if err != nil {
			return "", err
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(10 * time.Second))
		io.WriteString(conn, "hello")
		data := make([]byte, 5)
		_, err = io.ReadFull(conn, data)
		return string(data), err
	}
	if _, err := dial(); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("before anybody listens: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan fence.Result, 1)
	go func() {
		r, _ := b.Run(ctx, fence.Command{Argv: []string{"inbox", "echo", inBox.String()}})
		done <- r
	}()
	var got string
	var err error
	for range 200 {
		if got, err = dial(); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if got != "hello" || err != nil {
		t.Fatalf("the echo says %q, %v", got, err)
	}
	kept, err := b.Way()
	if err != nil {
		t.Fatal(err)
	}
	stop()
	if r := <-done; r.End != fence.Interrupted || r.Census.After != 0 {
		t.Errorf("ended as %s with %d left", r.End, r.Census.After)
	}
	b.Close()
	if _, err := kept.Dial(t.Context(), inBox); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("after the box: %v", err)
	}
	if _, err := kept.Dial(t.Context(), inBox); err == nil || !strings.Contains(err.Error(), "used up") {
		t.Errorf("a way twice: %v", err)
	}
	if _, err := b.Way(); !errors.Is(err, fence.ErrClosed) {
		t.Errorf("a way into a closed box: %v", err)
	}
	plain := open(t, config(t, ""))
	if _, err := plain.Way(); err == nil {
		t.Error("a box without ways gives one")
	}
}

// A way leads to the box's own loopback interface only, and no process of the box holds what pid 1 does.
func TestWaysLeadNowhereElse(t *testing.T) {
	c := config(t, "")
	c.Ways, c.Listen = true, []string{listening}
	b := open(t, c)
	for _, to := range []string{"192.0.2.1:80", "[::1]:80", "0.0.0.0:80"} {
		w, err := b.Way()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Dial(t.Context(), netip.MustParseAddrPort(to)); err == nil || !strings.Contains(err.Error(), "no address of its loopback") {
			t.Errorf("%s: %v", to, err)
		}
	}
	// The program lists its descriptors, and the fourth is the folder that it lists, gone when it looks at it.
	out := run(t, b, "list", "/proc/self/fd").Stdout.String()
	if strings.Contains(out, "/fd/4") || strings.Count(out, "/proc/self/fd/") != 4 {
		t.Errorf("descriptors of a command in a box with ways:\n%s", out)
	}
}
