package egress_test

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/vallane/lane/internal/testserver"
	"github.com/vallane/lane/lane/egress"
)

var one = testserver.Names{"a.example.org": {"127.0.0.1"}}

// greeted opens a tunnel to a server and shakes hands with it.
func (h *house) greeted(port string) *tls.Conn {
	h.t.Helper()
	c := tls.Client(h.tunnel("a.example.org:"+port), &tls.Config{RootCAs: h.authority.Pool, ServerName: "a.example.org"})
	if err := c.Handshake(); err != nil {
		h.t.Fatal(err)
	}
	return c
}

func TestBounds(t *testing.T) {
	a := testserver.NewAuthority(t)
	port := a.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write(make([]byte, 8<<20))
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		<-r.Context().Done()
	}), "a.example.org")
	allow := []string{"a.example.org:" + port}

	t.Run("bytes", func(t *testing.T) {
		h := open(t, one, allow, func(p *egress.Proxy) { p.Limits.Bytes = 1 << 20 })
		h.authority = a
		if resp, err := h.client().Get("https://a.example.org:" + port); err == nil {
			if n, err := io.Copy(io.Discard, resp.Body); err == nil {
				t.Errorf("read all %d bytes", n)
			}
			resp.Body.Close()
		}
		if d := h.only(); d.Reason != egress.TooManyBytes || d.Received < 1<<19 || d.Received > 4<<20 {
			t.Errorf("%+v", d)
		}
	})
	t.Run("idle", func(t *testing.T) {
		h := open(t, one, allow, func(p *egress.Proxy) { p.Limits.Idle = 200 * time.Millisecond })
		h.authority = a
		if _, err := h.greeted(port).Read(make([]byte, 1)); err == nil {
			t.Error("the idle tunnel went on")
		}
		if d := h.only(); d.Reason != egress.Idle {
			t.Errorf("%+v", d)
		}
	})
	t.Run("silent client", func(t *testing.T) {
		h := open(t, one, allow, func(p *egress.Proxy) { p.Limits.Greeting = 100 * time.Millisecond })
		c, err := net.Dial("tcp", h.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		io.Copy(io.Discard, c)
		if d := h.only(); d.Reason != egress.BadRequest {
			t.Errorf("%+v", d)
		}
	})
	t.Run("connections", func(t *testing.T) {
		h := open(t, one, allow, func(p *egress.Proxy) { p.Limits.Connections = 2 })
		for range 3 {
			h.say("GET / HTTP/1.1\r\n\r\n")
		}
		if all := h.decided(); len(all) != 3 || all[2].Reason != egress.TooManyConnections {
			t.Errorf("%+v", all)
		}
	})
	t.Run("the end of the phase", func(t *testing.T) {
		h := open(t, one, allow, nil)
		h.authority = a
		c := h.greeted(port)
		h.stop()
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Error("the tunnel went on")
		}
		if d := h.only(); d.Reason != "" || d.Received == 0 {
			t.Errorf("%+v", d)
		}
	})
}

// 200 connections at once are all served, and nothing stays behind: neither goroutines nor decisions.
func TestManyAtOnce(t *testing.T) {
	a, port := served(t, "ok", "a.example.org")
	before := runtime.NumGoroutine()
	h := open(t, one, []string{"a.example.org:" + port}, nil)
	h.authority = a
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			resp, err := h.client().Get("https://a.example.org:" + port)
			if err != nil {
				t.Error(err)
				return
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		})
	}
	all.Wait()
	for _, d := range h.decided() {
		if d.Reason != "" {
			t.Errorf("%+v", d)
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before+5 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func TestParseAllow(t *testing.T) {
	for _, s := range []string{"", ":443", "example.org", "*.example.org:443", "example.org:https", "https://example.org:443", ".:443", "..example.org:443", ".10.0.0.1:443",
		".[::1]:443", "localhost:443", ".internal:443", "exämple.org:443"} {
		if _, err := egress.ParseAllow([]string{s}); err == nil {
			t.Errorf("%q is taken", s)
		}
	}
	if _, err := egress.ParseAllow([]string{"example.org:443", ".example.org:8443", "Example.NET.:443", "[2606:4700::1111]:443", "1.1.1.1:443"}); err != nil {
		t.Error(err)
	}
}

// One direction may end before the other: who has said everything still gets the answer.
func TestHalfClosed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		io.Copy(io.Discard, c) // until the client has said everything
		io.WriteString(c, "answer")
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	h := open(t, one, []string{"a.example.org:" + port}, nil)
	c := h.tunnel("a.example.org:" + port)
	sayHello(c, &tls.Config{ServerName: "a.example.org"})
	c.(*net.TCPConn).CloseWrite()
	if got, err := io.ReadAll(c); err != nil || string(got) != "answer" {
		t.Errorf("%q, %v", got, err)
	}
	if d := h.only(); d.Reason != "" || d.Received != int64(len("answer")) {
		t.Errorf("%+v", d)
	}
}
