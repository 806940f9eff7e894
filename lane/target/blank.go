package target

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

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
