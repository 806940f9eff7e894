package door

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// Traffic counts what passed. The zero value counts and changes nothing. It may be read while connections are open.
type Traffic struct {
	// Spoil has the first bytes of each answer come out wrong, every bit of them, and the connection end after them.
	Spoil bool

	connections, asked, answered, spoilt atomic.Int64
}

// Connections is how many were carried to the other side, which took them.
func (t *Traffic) Connections() int64 { return t.connections.Load() }

// Asked is how many bytes went to the other side.
func (t *Traffic) Asked() int64 { return t.asked.Load() }

// Answered is how many bytes came back from it and reached the box as they were.
func (t *Traffic) Answered() int64 { return t.answered.Load() }

// Spoilt is how many answers reached the box wrong.
func (t *Traffic) Spoilt() int64 { return t.spoilt.Load() }

// Carry leads to what dial connects to, in both directions until both have ended or ctx is done.
func Carry(ctx context.Context, dial func(context.Context) (net.Conn, error), t *Traffic) func(net.Conn) {
	return func(box net.Conn) {
		to, err := dial(ctx)
		if err != nil {
			return // the box sees a connection that ends
		}
		defer to.Close()
		defer context.AfterFunc(ctx, func() { to.Close() })()
		t.connections.Add(1)
		end := func() { to.Close(); box.Close() }
		var both sync.WaitGroup
		both.Go(func() { copied(to, box, &t.asked, end) })
		if t.Spoil {
			both.Go(func() { t.spoil(box, to); end() })
		} else {
			both.Go(func() { copied(box, to, &t.answered, end) })
		}
		both.Wait()
	}
}

// copied copies one direction. When that has come to its end the other may go on; when it fails, both end.
func copied(to, from net.Conn, n *atomic.Int64, end func()) {
	_, err := io.Copy(&counted{to, n}, from)
	if half, ok := to.(interface{ CloseWrite() error }); err == nil && ok && half.CloseWrite() == nil {
		return
	}
	end()
}

// spoil passes on what comes first, with every bit of it turned over: in no protocol is that an answer.
func (t *Traffic) spoil(box, from net.Conn) {
	buf := make([]byte, 16<<10)
	n, _ := from.Read(buf)
	for i := range buf[:n] {
		buf[i] = ^buf[i]
	}
	if n > 0 {
		t.spoilt.Add(1)
		_, _ = box.Write(buf[:n]) // it may have gone
	}
}

// counted counts what was written.
type counted struct {
	io.Writer
	n *atomic.Int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n.Add(int64(n))
	return n, err
}
