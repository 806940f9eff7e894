package target

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// doorSlots is how many connections of a check are open at once; further ones wait.
const doorSlots = 256

// A door is what a check's box finds at the address of the target: each connection is handed to whatever the door leads to.
type door struct {
	mu   sync.Mutex
	to   func(net.Conn) // takes the connection and closes it
	open map[net.Conn]bool
	over bool
}

// lead has the door lead elsewhere. Connections that are open end.
func (d *door) lead(to func(net.Conn)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.to = to
	d.closeOpen()
}

func (d *door) closeOpen() {
	for c := range d.open {
		c.Close()
	}
	d.open = map[net.Conn]bool{}
}

// keep registers a connection that ends when the door leads elsewhere; false where the door is shut.
func (d *door) keep(c net.Conn) (to func(net.Conn), ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over || d.to == nil {
		return nil, false
	}
	d.open[c] = true
	return d.to, true
}

func (d *door) drop(c net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, c)
	c.Close()
}

// serve hands on the connections of a listener until it is closed, and returns when the last of them has ended.
func (d *door) serve(l net.Listener) {
	slots := make(chan struct{}, doorSlots)
	var served sync.WaitGroup
	defer served.Wait()
	for {
		slots <- struct{}{}
		c, err := l.Accept()
		if err != nil {
			return
		}
		served.Go(func() {
			defer func() { <-slots }()
			defer d.drop(c)
			if to, ok := d.keep(c); ok {
				to(c)
			}
		})
	}
}

// shut ends every connection. The listener is the box's and ends with it.
func (d *door) shut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	d.closeOpen()
}

// carry leads to what dial connects to, in both directions until both have ended.
func carry(ctx context.Context, dial func(context.Context) (net.Conn, error)) func(net.Conn) {
	return func(box net.Conn) {
		to, err := dial(ctx)
		if err != nil {
			return // the check sees a connection that ends
		}
		defer to.Close()
		defer context.AfterFunc(ctx, func() { to.Close() })()
		var both sync.WaitGroup
		copied := func(to, from net.Conn) {
			_, err := io.Copy(to, from)
			if half, ok := to.(interface{ CloseWrite() error }); err == nil && ok && half.CloseWrite() == nil {
				return // the other direction may go on
			}
			to.Close()
			from.Close()
		}
		both.Go(func() { copied(to, box) })
		both.Go(func() { copied(box, to) })
		both.Wait()
	}
}

// blank leads to a stub of Lane's own, which answers every request of HTTP with 200 and nothing else.
func blank(ctx context.Context) func(net.Conn) {
	queue := &queue{conns: make(chan net.Conn), done: ctx.Done()}
	server := &http.Server{ReadHeaderTimeout: 20 * time.Second, MaxHeaderBytes: 64 << 10, ErrorLog: silent(),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })}
	go func() {
		_ = server.Serve(queue) // ends with ctx
		server.Close()
	}()
	return func(c net.Conn) {
		ended := make(chan struct{})
		select {
		case queue.conns <- &signalling{Conn: c, ended: ended}:
		case <-ctx.Done():
			return
		}
		select {
		case <-ended:
		case <-ctx.Done():
		}
	}
}

// A queue is a listener whose connections somebody else accepted.
type queue struct {
	conns chan net.Conn
	done  <-chan struct{}
}

func (q *queue) Accept() (net.Conn, error) {
	select {
	case c := <-q.conns:
		return c, nil
	case <-q.done:
		return nil, errors.Join(net.ErrClosed, context.Canceled)
	}
}

func (q *queue) Close() error { return nil }

func (q *queue) Addr() net.Addr { return &net.TCPAddr{} }

// signalling tells when a connection is closed.
type signalling struct {
	net.Conn
	once  sync.Once
	ended chan struct{}
}

func (s *signalling) Close() error {
	defer s.once.Do(func() { close(s.ended) })
	return s.Conn.Close()
}
