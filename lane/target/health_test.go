package target_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/egress"
	"github.com/vallane/lane/lane/egress/address"
	"github.com/vallane/lane/lane/target"
)

// names answers each look-up of a name with the next of its addresses.
type names struct {
	answers [][]string
	asked   int
}

func (n *names) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	var out []netip.Addr
	for _, a := range n.answers[min(n.asked, len(n.answers)-1)] {
		out = append(out, netip.MustParseAddr(a))
	}
	n.asked++
	return out, nil
}

// What may not be dialled is refused before anything is, in every notation (E1 to E6).
func TestHealthRefuses(t *testing.T) {
	for url, why := range map[string]string{
		"http://169.254.169.254/":             "link-local",
		"http://metadata.google.internal/":    "mean this machine or its own network",
		"http://127.0.0.1:8080/":              "loopback",
		"http://localhost:8080/":              "mean this machine",
		"http://2130706433/":                  "ends in a number",
		"http://0x7f.1/":                      "ends in a number",
		"http://[::1]/":                       "not in the range",
		"http://[::ffff:127.0.0.1]/":          "written as an IPv6 one",
		"http://10.0.0.1/":                    "private",
		"http://two.example.org/":             "private",
		"http://allowed@example.org/":         "no plain http",
		"http://example.org#x":                "no plain http",
		"ftp://example.org/":                  "no plain http",
		"file:///etc/passwd":                  "no plain http",
		"http://example.org:0/":               "port",
		"http:/example.org/":                  "empty",
		"http://example.org\\@127.0.0.1/":     "",
		"http://example.org%00.example.com/":  "",
		"http://ex\u00e4mple.org/":            "ASCII",
		"http://example.org:80:80/":           "",
		"http://[fe80::1%25eth0]/":            "zone",
		"http://example.org\r\nHost: intern/": "",
	} {
		h := target.Health{URL: url, Dialer: egress.Dialer{Resolver: &names{answers: [][]string{{"93.184.216.34", "10.0.0.1"}}}}}
		if err := h.Pin(t.Context()); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %q", url, err, why)
		}
	}
}

// A name is resolved once: what it means later is never dialled (E7).
func TestHealthPins(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(target.EchoHeader, "there: "+r.Host)
	}))
	defer s.Close()
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	n := &names{answers: [][]string{{"127.0.0.1"}, {"169.254.169.254"}}}
	h := target.Health{URL: "http://shop.example.org:" + port + "/", Dialer: egress.Dialer{Addresses: address.Rules{Loopback: true}, Resolver: n}}
	if err := h.Pin(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		a := h.Ask(t.Context())
		if want := "there: shop.example.org:" + port; a.Status != 200 || a.Echo != want || a.Detail != "" {
			t.Errorf("answer %+v, want %q", a, want)
		}
	}
	if n.asked != 1 {
		t.Errorf("the name was looked up %d times", n.asked)
	}
}

// A redirect to anything but the target itself is not followed (E8), and where nobody may go there, the answer says so.
func TestHealthFollowsNobody(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer other.Close()
	to := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/there" {
			w.Header().Set(target.EchoHeader, "there")
			return
		}
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusTemporaryRedirect)
	}))
	defer s.Close()
	h := target.Health{URL: s.URL + "/health", Dialer: egress.Dialer{Addresses: address.Rules{Loopback: true}}}
	if err := h.Pin(t.Context()); err != nil {
		t.Fatal(err)
	}
	for where, why := range map[string]string{
		"/there": "", s.URL + "/there": "",
		other.URL:                                   "not followed",
		"http://169.254.169.254/":                   "link-local",
		"//metadata.google.internal/":               "mean this machine",
		"https" + strings.TrimPrefix(s.URL, "http"): "not followed",
		strings.Replace(s.URL, "//", "//u:p@", 1):   "not followed",
		"file:///etc/passwd":                        "not followed",
		"/health":                                   "more than 3 times",
	} {
		to = where
		a := h.Ask(t.Context())
		if fine := why == ""; fine != (a.Detail == "" && a.Echo == "there") || !strings.Contains(a.Detail, why) {
			t.Errorf("%s: %+v, want %q", where, a, why)
		}
	}
}

// What is long is cut, and what is no text becomes one.
func TestHealthBounds(t *testing.T) {
	write := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, write) }))
	defer s.Close()
	h := target.Health{URL: s.URL, Dialer: egress.Dialer{Addresses: address.Rules{Loopback: true}}}
	if err := h.Pin(t.Context()); err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]int{"": 0, " 5e\n": 2, strings.Repeat("a", 60<<10): 128, strings.Repeat("a", 65<<10): 0} {
		write = body
		if a := h.Ask(t.Context()); len(a.Echo) != want || (len(body) > 64<<10) != (a.Detail != "") {
			t.Errorf("%d bytes: echo of %d, want %d, %s", len(body), len(a.Echo), want, a.Detail)
		}
	}
	write = "\xff\xfe"
	if a := h.Ask(t.Context()); a.Echo != "\ufffd" {
		t.Errorf("echo %q", a.Echo)
	}
}
