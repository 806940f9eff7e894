package target

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/egress"
	"github.com/vallane/lane/lane/egress/address"
)

// EchoHeader is the header of an answer by which a target gives the challenge back. An answer without it does so by its whole body.
const EchoHeader = "Lane-Challenge"

// Bounds of one answer.
const (
	answerTime  = 5 * time.Second
	headBytes   = 16 << 10
	bodyBytes   = 64 << 10
	redirects   = 3
	echoBytes   = 128
	detailBytes = 300
)

// Health asks one URL whether a target is alive. Pin it before it asks.
type Health struct {
	URL    string        // http or https, with a host in any form that package address takes
	Dialer egress.Dialer // which addresses may be dialled
	// Box dials the URL's address inside of a box; nil dials this machine's network.
	Box func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
	// Time bounds one answer from the first byte of the question to the last of the answer; 0 means 5 seconds.
	Time time.Duration

	url    *url.URL
	port   uint16
	pinned egress.Pinned
}

// Pin resolves the host, once: whatever its name means later, the same addresses are asked. It refuses what may not be dialled.
func (h *Health) Pin(ctx context.Context) error {
	u, err := url.Parse(h.URL)
	if err != nil {
		return fmt.Errorf("read the address of the target: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Opaque != "" || u.Fragment != "" {
		return fmt.Errorf("read the address of the target: %q is no plain http or https URL", h.URL)
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	host, n, err := address.HostPort(strings.TrimSuffix(u.Host, ":"+u.Port()) + ":" + port)
	if err != nil {
		return fmt.Errorf("read the address of the target: %w", err)
	}
	if h.pinned, err = h.Dialer.Pin(ctx, host); err != nil {
		return fmt.Errorf("find the target: %w", err)
	}
	h.url, h.port = u, n
	return nil
}

// dial connects to what was pinned, whatever address is asked for.
func (h *Health) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	if h.Box == nil {
		return h.pinned.Dial(ctx, h.port)
	}
	a, err := netip.ParseAddr(h.url.Hostname())
	if err != nil {
		return nil, err
	}
	return h.Box(ctx, netip.AddrPortFrom(a, h.port))
}

// Ask asks once. It has no error: what went wrong is in the answer, whose Detail then says so.
func (h *Health) Ask(ctx context.Context) assurance.TargetAnswer {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(h.Time, answerTime))
	defer cancel()
	out := assurance.TargetAnswer{Address: net.JoinHostPort(h.url.Hostname(), strconv.Itoa(int(h.port)))}
	err := h.ask(ctx, &out)
	out.At = time.Now().UTC()
	if err != nil {
		out.Detail = bounded(err.Error(), detailBytes)
	}
	return out
}

func (h *Health) ask(ctx context.Context, out *assurance.TargetAnswer) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url.String(), nil)
	if err != nil {
		return err
	}
	dial := func(dialling context.Context, network, address string) (net.Conn, error) {
		c, err := h.dial(dialling, network, address)
		if err == nil {
			// A client lets go of a connection that an answer makes one of another protocol, and with it of the time that it was given.
			c = &askedFirst{Conn: c, asked: make(chan struct{})}
			context.AfterFunc(ctx, func() { c.Close() })
		}
		return c, err
	}
	transport := &http.Transport{
		DialContext: dial, DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: headBytes,
	}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, CheckRedirect: h.redirect}
	resp, err := client.Do(req)
	if resp != nil {
		out.Status = resp.StatusCode
	}
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 {
		return fmt.Errorf("it answers with status %d, and nothing after it", resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, bodyBytes+1))
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if len(body) > bodyBytes {
		return fmt.Errorf("the answer is longer than %d bytes", bodyBytes)
	}
	sum := sha256.Sum256(body)
	out.Body, out.Echo = "sha256:"+hex.EncodeToString(sum[:]), echo(resp.Header, body)
	return nil
}

// askedFirst is a connection on which nothing is read before something was written: what is said before it was asked for, a client prints.
type askedFirst struct {
	net.Conn
	once  sync.Once
	asked chan struct{}
}

func (c *askedFirst) Read(b []byte) (int, error) {
	<-c.asked
	return c.Conn.Read(b)
}

func (c *askedFirst) Write(b []byte) (int, error) {
	defer c.once.Do(func() { close(c.asked) })
	return c.Conn.Write(b)
}

func (c *askedFirst) Close() error {
	defer c.once.Do(func() { close(c.asked) })
	return c.Conn.Close()
}

// redirect lets an answer lead to another path of the same target and nowhere else. Where it leads to an address that nobody may dial, the
// error says so.
func (h *Health) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > redirects {
		return fmt.Errorf("it redirects more than %d times", redirects)
	}
	if req.URL.Scheme == h.url.Scheme && req.URL.Host == h.url.Host && req.URL.User == nil {
		return nil
	}
	host, err := address.Host(req.URL.Hostname())
	if a, perr := netip.ParseAddr(host); perr == nil && err == nil {
		err = address.Rules{}.Check(a)
	}
	return errors.Join(errors.New("it redirects to somewhere else, which is not followed"), err)
}

// echo is what an answer gives for the challenge.
func echo(head http.Header, body []byte) string {
	switch given := head.Values(EchoHeader); len(given) {
	case 0:
		return bounded(strings.TrimSpace(string(body)), echoBytes)
	case 1:
		return bounded(given[0], echoBytes)
	}
	return "" // more than one
}

// bounded keeps the beginning of a text that anybody may have written.
func bounded(s string, most int) string {
	return strings.ToValidUTF8(s[:min(len(s), most)], "\ufffd")
}

// settled reports whether an answer will not become a better one by waiting.
func settled(a assurance.TargetAnswer) bool {
	return a.Status >= 200 && a.Status < 500 && a.Status != http.StatusNotFound && a.Status != http.StatusTooManyRequests
}
