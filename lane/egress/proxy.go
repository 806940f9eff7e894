package egress

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vallane/lane/lane/egress/address"
)

// Limits bound what a proxy carries. Zero means the default named at each field.
type Limits struct {
	Bytes       int64         // in both directions and all connections together, to within a few MiB (16 GiB)
	Connections int           // over the life of the proxy (20,000)
	AtOnce      int           // open at the same time; further ones wait (256)
	Idle        time.Duration // without a byte in either direction (1 minute)
	Greeting    time.Duration // for the request, and again for the TLS hello (20 seconds)
}

func (l Limits) withDefaults() Limits {
	l.Bytes = cmp.Or(max(l.Bytes, 0), 16<<30)
	l.Connections = cmp.Or(max(l.Connections, 0), 20_000)
	l.AtOnce = cmp.Or(max(l.AtOnce, 0), 256)
	l.Idle = cmp.Or(max(l.Idle, 0), time.Minute)
	l.Greeting = cmp.Or(max(l.Greeting, 0), 20*time.Second)
	return l
}

// Proxy connects a box to the hosts on its list. Its fields are set before Serve, which is called once.
type Proxy struct {
	Allow     Allow
	Addresses address.Rules  // which addresses may be dialled; the zero value lets no test's server be reached
	Resolver  Resolver       // nil: the machine's own
	Limits    Limits         // the zero value has bounds too
	Log       *slog.Logger   // gets one line per decision; nil for none
	Decided   func(Decision) // called once per request, from several goroutines; nil for nobody

	limits Limits       // with defaults
	bytes  atomic.Int64 // carried so far
	mu     sync.Mutex
	open   map[net.Conn]bool // what Serve has to close
	over   bool              // Serve is ending
}

// Serve serves the listener until ctx is over, then closes it with every connection and returns when the last decision
// has been made. It returns an error only where the listener failed before that.
func (p *Proxy) Serve(ctx context.Context, l net.Listener) error {
	p.limits, p.open = p.Limits.withDefaults(), map[net.Conn]bool{}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { p.closeAll(l) })()
	slots := make(chan struct{}, p.limits.AtOnce)
	var served sync.WaitGroup
	defer served.Wait()
	defer cancel()
	for n := 1; ; n++ {
		slots <- struct{}{}
		c, err := l.Accept()
		if err != nil {
			p.closeAll(l)
			if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return nil
			}
			return fmt.Errorf("accept a connection of the fetch phase: %w", err)
		}
		served.Go(func() {
			defer func() { <-slots }()
			p.serve(ctx, c, n > p.limits.Connections)
		})
	}
}

// keep registers a connection that ends with Serve; false where that is over.
func (p *Proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		c.Close()
		return false
	}
	p.open[c] = true
	return true
}

func (p *Proxy) drop(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, c)
	c.Close()
}

func (p *Proxy) closeAll(l net.Listener) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	l.Close()
	for c := range p.open {
		c.Close()
	}
}

// serve serves one connection of the box and makes one decision.
func (p *Proxy) serve(ctx context.Context, box net.Conn, tooMany bool) {
	if !p.keep(box) {
		return
	}
	defer p.drop(box)
	r := bufio.NewReaderSize(box, headLimit)
	box.SetDeadline(time.Now().Add(p.limits.Greeting))
	if tooMany {
		answer(box, "429 Too Many Requests", "the fetch phase made more connections than it may")
		p.decide(Decision{Reason: TooManyConnections, Detail: fmt.Sprintf("more than %d connections", p.limits.Connections)})
		return
	}
	if _, err := r.Peek(1); errors.Is(err, io.EOF) {
		return // a probe: it asked for nothing
	}
	t, err := readRequest(r)
	d := Decision{Host: t.host, Port: t.port}
	if d.Host == "" {
		d.Host = bounded(t.text)
	}
	if err == nil {
		err = p.connect(ctx, box, r, t, &d)
	} else {
		refused(box, err)
	}
	if d.Reason == "" && err != nil {
		d.Reason, d.Detail = reasonOf(err)
	}
	if ctx.Err() != nil && (d.Reason == Unresolved || d.Reason == Unreachable) {
		d.Reason = Stopped
	}
	p.decide(d)
}

// connect does what a well-formed request asks for, where it may.
func (p *Proxy) connect(ctx context.Context, box net.Conn, r *bufio.Reader, t target, d *Decision) error {
	if !p.Allow.has(t.host, t.port) {
		err := refuse(NotAllowed, "%s:%d is not on the list of allowed hosts", t.host, t.port)
		refused(box, err)
		return err
	}
	host, err := p.dial(ctx, t)
	if err != nil {
		refused(box, err)
		return err
	}
	if !p.keep(host) {
		return refuse(Stopped, "the fetch phase is over")
	}
	defer p.drop(host)
	box.SetDeadline(time.Now().Add(p.limits.Greeting))
	if _, err := io.WriteString(box, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return refuse(NoTLS, "the box went away: %v", err)
	}
	hello, err := readHello(ctx, r, t.host)
	if err != nil {
		return err
	}
	rest, _ := r.Peek(r.Buffered())
	hello = append(hello, rest...)
	box.SetDeadline(time.Time{})
	host.SetWriteDeadline(time.Now().Add(p.limits.Greeting))
	if _, err := host.Write(hello); err != nil {
		return refuse(Unreachable, "pass the TLS hello on: %v", err)
	}
	host.SetDeadline(time.Time{})
	w := &tunnel{proxy: p, box: box, host: host}
	w.sent.Store(int64(len(hello)))
	p.bytes.Add(int64(len(hello)))
	w.carry()
	d.Sent, d.Received = w.sent.Load(), w.came.Load()
	if why := w.cut.Load(); why != nil {
		d.Reason, d.Detail = *why, "the connection was ended"
	}
	return nil
}

// dial resolves a target once and dials what that found.
func (p *Proxy) dial(ctx context.Context, t target) (net.Conn, error) {
	host, err := Dialer{Addresses: p.Addresses, Resolver: p.Resolver}.Pin(ctx, t.host)
	if err != nil {
		return nil, err
	}
	return host.Dial(ctx, t.port)
}

// reasonOf takes a refusal apart.
func reasonOf(err error) (Reason, string) {
	var r *refusal
	if errors.As(err, &r) {
		return r.reason, r.detail
	}
	return BadRequest, err.Error()
}

// refused tells the client why; many print it.
func refused(box net.Conn, err error) {
	status := "403 Forbidden"
	if why, _ := reasonOf(err); !why.Refused() {
		status = "502 Bad Gateway"
	}
	answer(box, status, err.Error())
}

func answer(box net.Conn, status, text string) {
	text = "lane: " + text + "\n"
	fmt.Fprintf(box, "HTTP/1.1 %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", status, len(text), text)
}
