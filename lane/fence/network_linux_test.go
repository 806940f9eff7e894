//go:build amd64 || arm64

package fence_test

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/lane/fence"
)

func TestNetworkProbeAndItsControl(t *testing.T) { // E10
	reached, inside, err := fence.NetworkControl(t.Context(), config(t, ""))
	if err != nil || !reached || inside == "" {
		t.Fatalf("the control box does not reach its own listener at %q: %v", inside, err)
	}
	addresses := []string{inside, "tcp:192.0.2.1:80", "udp:192.0.2.1:53", "tcp:[2001:db8::1]:80", "tcp:169.254.169.254:80"}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Errorf("somebody came from %s", c.RemoteAddr())
			c.Close()
		}
	}()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range own {
		if ip, ok := a.(*net.IPNet); ok {
			addresses = append(addresses, net.JoinHostPort(ip.IP.String(), port))
		}
	}
	b := open(t, config(t, ""))
	results, err := b.Probe(t.Context(), addresses)
	if err != nil || len(results) != len(addresses) {
		t.Fatalf("%d results, %v", len(results), err)
	}
	for _, r := range results {
		if r.Reached || r.Error == "" {
			t.Errorf("%+v", r)
		}
	}
	if r := run(t, b, "true"); r.Census.Peak != 1 {
		t.Errorf("the run after the probe: %+v", r.Census)
	}
}

func TestLoopbackIsUp(t *testing.T) { // R5
	b := open(t, config(t, ""))
	for _, address := range []string{"127.0.0.1:0", "[::1]:0", "localhost:8080"} {
		if r := run(t, b, "serve", "tcp", address); r.Exit != 0 {
			t.Errorf("%s: %s", address, r.Stdout)
		}
	}
	got := ok(t, run(t, b, "dial", "tcp", "192.0.2.1:80", "[2001:db8::1]:80"))
	refusedAll(t, got, 2, "network is unreachable")
}

func TestFixedPortsDoNotCollide(t *testing.T) { // R14
	done := make(chan fence.Result)
	for range 2 {
		b := open(t, config(t, ""))
		go func() { done <- run(t, b, "serve", "tcp", "127.0.0.1:8080", "300ms") }()
	}
	ok(t, <-done)
	ok(t, <-done)
}

func TestPortsAreFreeForTheNextRun(t *testing.T) { // R14
	b := open(t, config(t, ""))
	for i := range 3 {
		if r := run(t, b, "reuse-port", "8081"); r.Exit != 0 {
			t.Errorf("run %d: %s", i, r.Stdout)
		}
	}
}

func TestProbeNamesWhatItDialled(t *testing.T) {
	b := open(t, config(t, ""))
	results, err := b.Probe(t.Context(), []string{"127.0.0.1:1", "udp:127.0.0.1:1", "tcp:nobody.invalid:1", "tcp:[::1]:1"})
	if err != nil {
		t.Fatal(err)
	}
	want := "tcp 127.0.0.1:1, udp 127.0.0.1:1, tcp nobody.invalid:1, tcp [::1]:1"
	var got []string
	for _, r := range results {
		if r.Reached || r.Error == "" {
			t.Errorf("%+v", r)
		}
		got = append(got, fmt.Sprintf("%s %s", r.Network, r.Address))
	}
	if strings.Join(got, ", ") != want {
		t.Errorf("got %q", got)
	}
	start := time.Now()
	if _, err := b.Probe(t.Context(), []string{"192.0.2.1:1"}); err != nil || time.Since(start) > 3*time.Second {
		t.Errorf("%v after %s", err, time.Since(start))
	}
}
