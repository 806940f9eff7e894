//go:build amd64 || arm64

package fence_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/fence"
)

const listening = "127.0.0.1:3128"

// What a command of the box dials at the address arrives at Lane, and nothing else leaves the box. The very same dial
// from a box without a listener reaches nobody (E10).
func TestListener(t *testing.T) {
	c := config(t, "")
	c.Listen = []string{listening}
	b := open(t, c)
	came := make(chan string, 8)
	go func() {
		defer close(came)
		for {
			conn, err := b.Listeners()[0].Accept()
			if err != nil {
				if !errors.Is(err, net.ErrClosed) {
					t.Error(err)
				}
				return
			}
			came <- conn.LocalAddr().String()
			conn.Close()
		}
	}()
	dial := []string{"dial", "tcp", listening, "192.0.2.1:80"}
	for range 2 { // a reset of the box leaves the listener alone
		r := run(t, b, dial...)
		if out := ok(t, r); !strings.Contains(out, listening+": done") || !strings.Contains(out, "192.0.2.1:80: network is unreachable") {
			t.Errorf("from the box:\n%s", out)
		}
		if i := r.Facts.Interfaces; len(i) != 1 || i[0].Name != "lo" {
			t.Errorf("the box has the interfaces %+v", i)
		}
		if got := <-came; got != listening {
			t.Errorf("a connection to %s", got)
		}
	}
	probe := func(b *fence.Box) bool {
		results, err := b.Probe(t.Context(), []string{listening})
		if err != nil || len(results) != 1 {
			t.Fatal(results, err)
		}
		return results[0].Reached
	}
	if !probe(b) {
		t.Error("the probe does not reach the listener")
	}
	without := open(t, config(t, ""))
	if without.Listeners() != nil || probe(without) {
		t.Error("a box without a listener reaches one")
	}
	refusedAll(t, ok(t, run(t, without, dial...)), 2, "connection refused", "network is unreachable")
	b.Close()
	for range came {
	}
}

func TestListenerElsewhere(t *testing.T) {
	for _, address := range []string{"0.0.0.0:3128", "[::1]:3128", "192.0.2.1:3128", "3128", "127.0.0.1"} {
		c := config(t, "")
		c.Listen = []string{address}
		if b, err := fence.Open(t.Context(), c); err == nil {
			b.Close()
			t.Errorf("a box listens on %s", address)
		} else if !strings.Contains(err.Error(), "is no 127.0.0.1:PORT") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// What is below the tree shows where the tree has nothing, may be written to like the tree, and is not changed by it.
func TestTreeBelow(t *testing.T) {
	c := config(t, folder(t, map[string]string{"package.json": "{}", "deps/own/file": "the tree's"}))
	c.TreeBelow = folder(t, map[string]string{"deps/a/index.js": "fetched", "deps/own/file": "fetched", "package.json": "fetched"})
	own(t, c.TreeBelow)
	b := open(t, c)
	read := func(name string) string { return ok(t, run(t, b, "cat", name)) }
	for name, want := range map[string]string{"/tree/deps/a/index.js": "fetched", "/tree/deps/own/file": "the tree's", "/tree/package.json": "{}"} {
		if got := read(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	r := runCommand(t, b, fence.Command{Argv: []string{"inbox", "cat", "/tree/deps/a/index.js"},
		Overlay: map[string]fence.Change{"deps/a/index.js": {Data: []byte("changed")}}})
	if got := ok(t, r); got != "changed" {
		t.Errorf("a change below the tree: %q", got)
	}
	ok(t, run(t, b, "write", "/tree/deps/a/index.js", "written"))
	if got := read("/tree/deps/a/index.js"); got != "fetched" {
		t.Errorf("the next run sees %q", got)
	}
	if data, err := os.ReadFile(filepath.Join(c.TreeBelow, "deps/a/index.js")); err != nil || string(data) != "fetched" {
		t.Errorf("on the host: %q, %v", data, err)
	}
}
