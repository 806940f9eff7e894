package wasi

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/vallane/lane/lane/fence"
)

// prober is a module that tries to accept a connection from each of its descriptors, and exits with 0 once it has one, else with 1. It is
// all that preview 1 knows of a network: there is no call to open a socket.
var prober = []byte{
	// magic and version
	0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00,
	// types: (i32 i32 i32) -> i32, (i32) -> (), () -> ()
	0x01, 0x0f, 0x03, 0x60, 0x03, 0x7f, 0x7f, 0x7f, 0x01, 0x7f, 0x60, 0x01, 0x7f, 0x00, 0x60, 0x00, 0x00,
	// import sock_accept, proc_exit
	0x02, 0x49, 0x02, 0x16, 0x77, 0x61, 0x73, 0x69, 0x5f, 0x73, 0x6e, 0x61, 0x70, 0x73, 0x68, 0x6f, 0x74, 0x5f, 0x70, 0x72,
	0x65, 0x76, 0x69, 0x65, 0x77, 0x31, 0x0b, 0x73, 0x6f, 0x63, 0x6b, 0x5f, 0x61, 0x63, 0x63, 0x65, 0x70, 0x74, 0x00, 0x00,
	0x16, 0x77, 0x61, 0x73, 0x69, 0x5f, 0x73, 0x6e, 0x61, 0x70, 0x73, 0x68, 0x6f, 0x74, 0x5f, 0x70, 0x72, 0x65, 0x76, 0x69,
	0x65, 0x77, 0x31, 0x09, 0x70, 0x72, 0x6f, 0x63, 0x5f, 0x65, 0x78, 0x69, 0x74, 0x00, 0x01,
	// one function of the third type
	0x03, 0x02, 0x01, 0x02,
	// one page of memory
	0x05, 0x03, 0x01, 0x00, 0x01,
	// export memory, _start
	0x07, 0x13, 0x02, 0x06, 0x6d, 0x65, 0x6d, 0x6f, 0x72, 0x79, 0x02, 0x00, 0x06, 0x5f, 0x73, 0x74, 0x61, 0x72, 0x74, 0x00,
	0x02,
	// for fd = 0; fd < 64; fd++ { if sock_accept(fd, 0, 0) == 0 { proc_exit(0) } }; proc_exit(1)
	0x0a, 0x2c, 0x01, 0x2a, 0x01, 0x01, 0x7f, 0x03, 0x40, 0x20, 0x00, 0x41, 0x00, 0x41, 0x00, 0x10, 0x00, 0x45, 0x04, 0x40,
	0x41, 0x00, 0x10, 0x01, 0x0b, 0x20, 0x00, 0x41, 0x01, 0x6a, 0x21, 0x00, 0x20, 0x00, 0x41, 0xc0, 0x00, 0x49, 0x0d, 0x00,
	0x0b, 0x41, 0x01, 0x10, 0x01, 0x0b,
}

const proberName = "/lane/probe.wasm"

// Probe runs the prober as any guest of the box. The one result says whether it got a connection.
func (b *Box) Probe(ctx context.Context) (fence.ProbeResult, error) {
	out := fence.ProbeResult{Network: "wasi", Address: "sock_accept"}
	c := fence.Command{Argv: []string{proberName}, Timeout: 10 * time.Second}
	res, err := b.start(ctx, &c, b.request(&c, prober))
	if err != nil {
		return out, err
	}
	if res.End != fence.Exited {
		return out, fmt.Errorf("probe the network under WASI: the probe ended as %s: %s", res.End, res.Note)
	}
	out.Reached = res.Exit == 0
	out.Error = "no descriptor is a listener"
	if out.Reached {
		out.Error = ""
	}
	return out, nil
}

// NetworkControl shows that the prober does get a connection where a guest is given a listener: without that, its silence in a box would
// prove nothing.
func NetworkControl(ctx context.Context, config Config) (reached bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	b := Open(config)
	c := fence.Command{Argv: []string{proberName}, Timeout: 20 * time.Second}
	r := b.request(&c, prober)
	r.Listen = true
	ports := make(chan started, 1)
	go dial(ctx, ports)
	res, err := b.startAnd(ctx, &c, r, ports)
	if err != nil {
		return false, fmt.Errorf("probe the network under WASI: %w", err)
	}
	return res.End == fence.Exited && res.Exit == 0, nil
}

// dial connects to the guest's listener as soon as that is there.
func dial(ctx context.Context, ports <-chan started) {
	var at string
	select {
	case s := <-ports:
		at = net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port))
	case <-ctx.Done():
		return
	}
	for ctx.Err() == nil {
		conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", at)
		if err == nil {
			conn.Close()
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}
