package egress

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A tunnel carries bytes between the box and a host.
type tunnel struct {
	proxy      *Proxy
	box, host  net.Conn
	sent, came atomic.Int64
	cut        atomic.Pointer[Reason] // why it was ended before its ends did
}

// piece is how much is carried before it is counted, in bytes, and pace how long one is waited for. The kernel moves a
// piece by itself from socket to socket.
const (
	piece = 1 << 20
	pace  = 2 * time.Second
)

// carry returns when both directions have ended.
func (t *tunnel) carry() {
	done := make(chan struct{})
	var watcher, both sync.WaitGroup
	watcher.Go(func() { t.watch(done) })
	both.Go(func() { t.copy(t.host, t.box, &t.sent) })
	both.Go(func() { t.copy(t.box, t.host, &t.came) })
	both.Wait()
	close(done)
	watcher.Wait()
}

func (t *tunnel) copy(to, from net.Conn, count *atomic.Int64) {
	for {
		left := t.proxy.limits.Bytes - t.proxy.bytes.Load()
		if left <= 0 {
			t.end(TooManyBytes)
			return
		}
		if err := from.SetReadDeadline(time.Now().Add(min(pace, t.proxy.limits.Idle/2))); err != nil {
			break
		}
		n, err := io.CopyN(to, from, min(piece, left))
		count.Add(n)
		t.proxy.bytes.Add(n)
		if errors.Is(err, io.EOF) {
			if half, ok := to.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
				return // the other direction may go on
			}
			break
		}
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
	}
	t.close()
}

// watch ends the tunnel when nothing moved for too long, in either direction.
func (t *tunnel) watch(done <-chan struct{}) {
	idle := t.proxy.limits.Idle
	tick := time.NewTicker(max(idle/4, time.Millisecond))
	defer tick.Stop()
	last, since := int64(-1), time.Now()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		if now := t.sent.Load() + t.came.Load(); now != last {
			last, since = now, time.Now()
		} else if time.Since(since) >= idle {
			t.end(Idle)
			return
		}
	}
}

func (t *tunnel) end(why Reason) {
	t.cut.CompareAndSwap(nil, &why)
	t.close()
}

func (t *tunnel) close() {
	t.box.Close()
	t.host.Close()
}
