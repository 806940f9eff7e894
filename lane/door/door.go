// Package door stands between a box and what a command of it may talk to: a connection to an address of the box's own loopback
// interface is handed to whatever its door leads to, and what passes is counted. It dials nothing by itself and knows no box.
package door

import (
	"net"
	"sync"
)

// slots is how many connections are open at once; further ones wait.
const slots = 256

// A Door is what a box finds at an address. The zero value leads nowhere: connections end at once.
type Door struct {
	mu   sync.Mutex
	to   func(net.Conn)
	open map[net.Conn]bool
	over bool
}

// Lead has the door lead elsewhere, or nowhere for nil. Connections that are open end. What it leads to takes a connection and returns
// when it has ended.
func (d *Door) Lead(to func(net.Conn)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.to = to
	d.closeOpen()
}

func (d *Door) closeOpen() {
	for c := range d.open {
		c.Close()
	}
	d.open = map[net.Conn]bool{}
}

// keep registers a connection that ends when the door leads elsewhere; false where the door is shut.
func (d *Door) keep(c net.Conn) (to func(net.Conn), ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over || d.to == nil {
		return nil, false
	}
	if d.open == nil {
		d.open = map[net.Conn]bool{}
	}
	d.open[c] = true
	return d.to, true
}

func (d *Door) drop(c net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, c)
	c.Close()
}

// Serve hands on the connections of a listener until it is closed, and returns when the last of them has ended.
func (d *Door) Serve(l net.Listener) {
	free := make(chan struct{}, slots)
	var served sync.WaitGroup
	defer served.Wait()
	for {
		free <- struct{}{}
		c, err := l.Accept()
		if err != nil {
			return
		}
		served.Go(func() {
			defer func() { <-free }()
			defer d.drop(c)
			if to, ok := d.keep(c); ok {
				to(c)
			}
		})
	}
}

// Shut ends every connection, and those that come later. The listener is the caller's.
func (d *Door) Shut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	d.closeOpen()
}
