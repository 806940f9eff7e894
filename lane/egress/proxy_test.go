package egress_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vallane/lane/internal/testserver"
	"github.com/vallane/lane/lane/egress"
	"github.com/vallane/lane/lane/egress/address"
)

// house is a proxy on loopback, its client and what it decided.
type house struct {
	t         *testing.T
	proxy     *egress.Proxy
	authority *testserver.Authority
	addr      string
	stop      func()

	mu        sync.Mutex
	decisions []egress.Decision
}

// open starts a proxy that may dial loopback; set changes it before.
func open(t *testing.T, names egress.Resolver, allow []string, set func(*egress.Proxy)) *house {
	t.Helper()
	list, err := egress.ParseAllow(allow)
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, proxy: &egress.Proxy{Allow: list, Addresses: address.Rules{Loopback: true}, Resolver: names}}
	h.proxy.Decided = func(d egress.Decision) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.decisions = append(h.decisions, d)
	}
	if set != nil {
		set(h.proxy)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.addr = l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.proxy.Serve(ctx, l) }()
	h.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(h.stop)
	return h
}

// client asks through the proxy, over a new connection each time.
func (h *house) client() *http.Client {
	through, _ := url.Parse("http://" + h.addr)
	return &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{
		Proxy: http.ProxyURL(through), TLSClientConfig: &tls.Config{RootCAs: h.authority.Pool}, DisableKeepAlives: true,
	}}
}

// decided stops the proxy and returns what it decided.
func (h *house) decided() []egress.Decision {
	h.stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.decisions
}

// only returns the one decision.
func (h *house) only() egress.Decision {
	h.t.Helper()
	all := h.decided()
	if len(all) != 1 {
		h.t.Fatalf("%d decisions, want 1: %+v", len(all), all)
	}
	return all[0]
}

// say sends bytes to the proxy and returns the status line of its answer.
func (h *house) say(request string) string {
	h.t.Helper()
	c, err := net.Dial("tcp", h.addr)
	if err != nil {
		h.t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	io.WriteString(c, request)
	c.(*net.TCPConn).CloseWrite()
	line, _ := bufio.NewReader(c).ReadString('\n')
	io.Copy(io.Discard, c)
	return strings.TrimSpace(line)
}

func served(t *testing.T, text string, names ...string) (*testserver.Authority, string) {
	a := testserver.NewAuthority(t)
	return a, a.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, text) }), names...)
}

func TestServesWhatIsAllowed(t *testing.T) {
	a, port := served(t, strings.Repeat("x", 100_000), "registry.example.org", "deep.below.example.org")
	names := testserver.Names{"registry.example.org": {"127.0.0.1"}, "deep.below.example.org": {"127.0.0.1"}}
	var lines bytes.Buffer
	h := open(t, names, []string{"registry.example.org:" + port, ".below.example.org:" + port}, func(p *egress.Proxy) {
		p.Log = slog.New(slog.NewTextHandler(&lines, nil))
	})
	h.authority = a
	for _, host := range []string{"registry.example.org", "REGISTRY.example.org.", "deep.below.example.org"} {
		resp, err := h.client().Get("https://" + host + ":" + port)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || len(body) != 100_000 {
			t.Errorf("%s: %d bytes, %v", host, len(body), err)
		}
	}
	for _, d := range h.decided() {
		if d.Reason != "" || d.Received < 100_000 || d.Sent < 100 || d.Host != strings.ToLower(d.Host) || fmt.Sprint(d.Port) != port {
			t.Errorf("%+v", d)
		}
	}
	if n := strings.Count(lines.String(), "\n"); n != 3 || !strings.Contains(lines.String(), "host=registry.example.org") {
		t.Errorf("%d lines, want 3:\n%s", n, lines.String())
	}
}

// Everything that is not the one sentence, or asks for what is not on the list.
func TestRefusedRequests(t *testing.T) {
	list := []string{"registry.example.org:443", ".below.example.org:443", "listed.internal.example.org:443", "10.0.0.1:443", "169.254.169.254:443", "private.example.org:443",
		"mixed.example.org:443", "metadata.example.org:443", "nowhere.example.org:443"}
	names := testserver.Names{"private.example.org": {"10.1.2.3"}, "mixed.example.org": {"127.0.0.1", "192.168.0.1"}, "metadata.example.org": {"::ffff:169.254.169.254"}}
	connect := func(target string) string { return "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n" }
	for _, c := range []struct {
		name, request string
		reason        egress.Reason
		status        string
	}{
		{"another host", connect("evil.org:443"), egress.NotAllowed, "403"},
		{"another port", connect("registry.example.org:80"), egress.NotAllowed, "403"},
		{"a name above", connect("example.org:443"), egress.NotAllowed, "403"},
		{"the anchor itself", connect("below.example.org:443"), egress.NotAllowed, "403"},
		{"a name that only ends alike", connect("evilbelow.example.org:443"), egress.NotAllowed, "403"},
		{"metadata by name (E1)", connect("metadata.google.internal:443"), egress.BadHost, "403"},
		{"metadata by address, listed (E1)", connect("169.254.169.254:443"), egress.BadAddress, "403"},
		{"a private address, listed", connect("10.0.0.1:443"), egress.BadAddress, "403"},
		{"metadata as a number (E2)", connect("2852039166:443"), egress.BadHost, "403"},
		{"a short form (E2)", connect("127.1:443"), egress.BadHost, "403"},
		{"mapped (E3)", connect("[::ffff:127.0.0.1]:443"), egress.BadHost, "403"},
		{"a name in brackets (E4)", connect("[registry.example.org]:443"), egress.BadHost, "403"},
		{"a user (E5)", connect("registry.example.org@127.0.0.1:443"), egress.BadHost, "403"},
		{"an escape (E5)", connect("registry.example.org%00:443"), egress.BadHost, "403"},
		{"a backslash (E5)", connect("127.0.0.1\\@registry.example.org:443"), egress.BadHost, "403"},
		{"a line end within (E5)", "CONNECT registry.example.org\r\n:443 HTTP/1.1\r\n\r\n", egress.BadRequest, "403"},
		{"lines that end in LF", "CONNECT registry.example.org:443 HTTP/1.1\n\n", egress.BadRequest, "403"},
		{"a private answer", connect("private.example.org:443"), egress.BadAddress, "403"},
		{"one private answer of two (E6)", connect("mixed.example.org:443"), egress.BadAddress, "403"},
		{"a mapped answer (E3)", connect("metadata.example.org:443"), egress.BadAddress, "403"},
		{"no answer", connect("nowhere.example.org:443"), egress.Unresolved, "502"},
		{"another Host (E9)", "CONNECT registry.example.org:443 HTTP/1.1\r\nHost: evil.org:443\r\n\r\n", egress.BadRequest, "403"},
		{"another port in Host (E9)", "CONNECT registry.example.org:443 HTTP/1.1\r\nHost: registry.example.org:80\r\n\r\n", egress.BadRequest, "403"},
		{"two hosts", "CONNECT registry.example.org:443 HTTP/1.1\r\nHost: registry.example.org\r\nHost: registry.example.org\r\n\r\n", egress.BadRequest, "403"},
		{"a body", "CONNECT registry.example.org:443 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", egress.BadRequest, "403"},
		{"a folded field", "CONNECT registry.example.org:443 HTTP/1.1\r\nA: b\r\n c\r\n\r\n", egress.BadRequest, "403"},
		{"plain HTTP", "GET http://registry.example.org/ HTTP/1.1\r\nHost: registry.example.org\r\n\r\n", egress.PlainHTTP, "403"},
		{"plain HTTP to itself", "GET / HTTP/1.1\r\nHost: x.org\r\n\r\n", egress.PlainHTTP, "403"},
		{"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", egress.BadRequest, "403"},
		{"no request", "\x16\x03\x01\x00\xa5\x01\r\n\r\n", egress.BadRequest, "403"},
		{"half a request", "CONNECT registry.exa", egress.BadRequest, "403"},
		{"an endless head", "CONNECT registry.example.org:443 HTTP/1.1\r\n" + strings.Repeat("A: b\r\n", 5000), egress.BadRequest, "403"},
		{"an endless line", "CONNECT " + strings.Repeat("a", 100_000), egress.BadRequest, "403"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := open(t, names, list, nil)
			status := h.say(c.request)
			if d := h.only(); d.Reason != c.reason || len(d.Host) > 300 {
				t.Errorf("reason %q (%s), want %q", d.Reason, d.Detail, c.reason)
			}
			// What is sent after a refusal may end the connection before the answer is read.
			if len(c.request) < 10_000 && !strings.HasPrefix(status, "HTTP/1.1 "+c.status) {
				t.Errorf("status %q, want %s", status, c.status)
			}
		})
	}
}

// Without the exception of tests, loopback is refused like any other inner address, and the server hears nothing.
func TestLoopbackNeedsTheException(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		if c, err := l.Accept(); err == nil {
			t.Error("somebody came")
			c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	h := open(t, testserver.Names{"a.example.org": {"127.0.0.1"}}, []string{"a.example.org:" + port, "127.0.0.1:" + port}, func(p *egress.Proxy) { p.Addresses = address.Rules{} })
	for _, host := range []string{"a.example.org", "127.0.0.1"} {
		if got := h.say("CONNECT " + host + ":" + port + " HTTP/1.1\r\n\r\n"); !strings.Contains(got, "403") {
			t.Error(got)
		}
	}
	for _, d := range h.decided() {
		if d.Reason != egress.BadAddress {
			t.Errorf("%+v", d)
		}
	}
}

// E7: what is dialled is the address that was checked. The name is looked up once, whatever it would say the second time.
func TestNameThatChanges(t *testing.T) {
	a, port := served(t, "ok", "a.example.org")
	names := &testserver.Changing{Answers: [][]string{{"127.0.0.1"}, {"169.254.169.254"}}}
	h := open(t, names, []string{"a.example.org:" + port}, nil)
	h.authority = a
	resp, err := h.client().Get("https://a.example.org:" + port)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if names.Asked() != 1 {
		t.Errorf("looked up %d times", names.Asked())
	}
	if _, err := h.client().Get("https://a.example.org:" + port); err == nil || !strings.Contains(err.Error(), "Forbidden") {
		t.Errorf("after the change: %v", err)
	}
}

// E8: a redirect is a request of its own.
func TestRedirectToMetadata(t *testing.T) {
	a := testserver.NewAuthority(t)
	to := ""
	port := a.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }), "a.example.org")
	for where, reason := range map[string]egress.Reason{
		"https://169.254.169.254/latest/": egress.NotAllowed, "http://169.254.169.254/latest/": egress.PlainHTTP, "https://metadata.google.internal/": egress.BadHost,
	} {
		to = where
		h := open(t, testserver.Names{"a.example.org": {"127.0.0.1"}}, []string{"a.example.org:" + port}, nil)
		h.authority = a
		resp, err := h.client().Get("https://a.example.org:" + port)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode != http.StatusForbidden {
				t.Errorf("%s: %s", where, resp.Status)
			}
		}
		if all := h.decided(); len(all) != 2 || all[0].Reason != reason && all[1].Reason != reason {
			t.Errorf("%s: %+v", where, all)
		}
	}
}

// E9: the name in the TLS hello is the one that was asked for.
func TestNameInTheHello(t *testing.T) {
	a, port := served(t, "ok", "a.example.org", "b.example.org")
	for name, want := range map[string]egress.Reason{"a.example.org": "", "A.Example.ORG": "", "b.example.org": egress.NameDiffers, "127.0.0.1": egress.NameDiffers} {
		h := open(t, testserver.Names{"a.example.org": {"127.0.0.1"}}, []string{"a.example.org:" + port, "b.example.org:" + port}, nil)
		c := h.tunnel("a.example.org:" + port)
		err := tls.Client(c, &tls.Config{RootCAs: a.Pool, ServerName: name}).Handshake()
		c.Close()
		if d := h.only(); d.Reason != want || (err == nil) != (want == "") {
			t.Errorf("%s: %q (%s), %v", name, d.Reason, d.Detail, err)
		}
	}
	for name, bytes := range map[string]string{"another protocol": "GET / HTTP/1.1\r\nHost: a.example.org\r\n\r\n", "half a hello": "\x16\x03\x01\x02\x00\x01", "nothing": ""} {
		h := open(t, testserver.Names{"a.example.org": {"127.0.0.1"}}, []string{"a.example.org:" + port}, nil)
		c := h.tunnel("a.example.org:" + port)
		io.WriteString(c, bytes)
		c.(*net.TCPConn).CloseWrite()
		io.Copy(io.Discard, c)
		c.Close()
		if d := h.only(); d.Reason != egress.NoTLS {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// tunnel opens a tunnel and leaves what goes through it to the caller.
func (h *house) tunnel(target string) net.Conn {
	h.t.Helper()
	c, err := net.Dial("tcp", h.addr)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, target)
	const want = "HTTP/1.1 200 Connection established\r\n\r\n"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != want {
		h.t.Fatalf("%q, %v", got, err)
	}
	return c
}
