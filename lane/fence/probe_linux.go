//go:build amd64 || arm64

package fence

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// probeTimeout bounds a probe.
const probeTimeout = 2 * time.Second

// Probe dials addresses from inside the box, under the same lock as any command,
// all at once and for 2 seconds, and reports what came of each. An address is
// "ip:port", "tcp:ip:port" or "udp:ip:port". Runs see nothing of it.
func (b *Box) Probe(ctx context.Context, addresses []string) ([]ProbeResult, error) {
	return b.askProbe(ctx, &probeRequest{Addresses: addresses, Timeout: probeTimeout})
}

// NetworkControl is the positive control of "no network": in a box made like any
// other, but for a listener that Lane puts into the box's own network, the very
// same probe must reach that listener. It gives the listener's address, which no
// other box can reach.
func NetworkControl(ctx context.Context, config Config) (reached bool, address string, err error) {
	b, err := Open(ctx, config)
	if err != nil {
		return false, "", err
	}
	defer b.Close()
	results, err := b.askProbe(ctx, &probeRequest{Listen: true, Timeout: probeTimeout})
	if err != nil {
		return false, "", err
	}
	if len(results) != 1 {
		return false, "", fmt.Errorf("probe box: %d results for one address", len(results))
	}
	return results[0].Reached, results[0].Address, nil
}

func (b *Box) askProbe(ctx context.Context, request *probeRequest) ([]ProbeResult, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gone() {
		return nil, fmt.Errorf("probe box: %w", ErrClosed)
	}
	if err := b.wire.send(message{Probe: request}); err != nil {
		return nil, fmt.Errorf("probe box: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = b.cmd.Process.Kill() })
	defer stop()
	var answer reply
	if err := b.answer(&answer); err != nil {
		return nil, fmt.Errorf("probe box: %w", err)
	}
	if answer.Failed != nil {
		return nil, fmt.Errorf("probe box: %w", answer.Failed)
	}
	return answer.Probe, nil
}

// probe dials on a thread that is locked down like a command. It runs no program,
// so that it needs none in the box.
func (b *boxInit) probe(req *probeRequest) reply {
	addresses := req.Addresses
	if req.Listen {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return reply{Failed: fail("listen in box", err)}
		}
		defer l.Close()
		addresses = append(addresses, "tcp:"+l.Addr().String()) // the kernel accepts by itself
	}
	var results []ProbeResult
	err := b.locked(true, func() error { // the ipc namespace stays that of the last run
		results = dialAll(addresses, req.Timeout)
		return nil
	})
	if err != nil {
		return reply{Failed: fail("lock prober down", err)}
	}
	return reply{Probe: results}
}

// dialAll dials all addresses at once, by system calls on the calling thread.
func dialAll(addresses []string, timeout time.Duration) []ProbeResult {
	results := make([]ProbeResult, len(addresses))
	fds := make([]unix.PollFd, len(addresses)) // a negative descriptor is passed over
	for i, address := range addresses {
		r := &results[i]
		r.Network, r.Address = splitNetwork(address)
		fd, err := beginDial(r.Network, r.Address)
		fds[i] = unix.PollFd{Fd: int32(fd), Events: unix.POLLOUT}
		if r.Network == "udp" {
			fds[i].Events = unix.POLLIN
		}
		if err != nil {
			r.Error = err.Error()
		}
	}
	deadline := time.Now().Add(timeout)
	for waiting := len(fds); waiting > 0; {
		left := time.Until(deadline).Milliseconds()
		if left <= 0 {
			break
		}
		if n, err := unix.Poll(fds, int(left)); err == unix.EINTR {
			continue
		} else if n <= 0 || err != nil {
			break
		}
		waiting = 0
		for i := range fds {
			if fds[i].Fd >= 0 && fds[i].Revents != 0 {
				endDial(&results[i], int(fds[i].Fd))
				fds[i].Fd = -1
			}
			if fds[i].Fd >= 0 {
				waiting++
			}
		}
	}
	for i := range fds {
		if fds[i].Fd >= 0 {
			results[i].Error = "no answer"
			unix.Close(int(fds[i].Fd))
		}
	}
	return results
}

func splitNetwork(address string) (network, rest string) {
	for _, network := range []string{"tcp", "udp"} {
		if rest, ok := strings.CutPrefix(address, network+":"); ok {
			return network, rest
		}
	}
	return "tcp", address
}

// beginDial starts to connect; the descriptor is negative where that failed at
// once.
func beginDial(network, address string) (int, error) {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return -1, err
	}
	kind, family := unix.SOCK_STREAM, unix.AF_INET6
	if network == "udp" {
		kind = unix.SOCK_DGRAM
	}
	var sa unix.Sockaddr = &unix.SockaddrInet6{Port: int(to.Port()), Addr: to.Addr().As16()}
	if ip := to.Addr().Unmap(); ip.Is4() {
		family, sa = unix.AF_INET, &unix.SockaddrInet4{Port: int(to.Port()), Addr: ip.As4()}
	}
	fd, err := unix.Socket(family, kind|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	err = unix.Connect(fd, sa)
	if err == nil && network == "udp" {
		err = unix.Send(fd, []byte("lane?\n"), unix.MSG_NOSIGNAL)
	}
	if err != nil && err != unix.EINPROGRESS {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// endDial says what came of a socket that poll found ready.
func endDial(r *ProbeResult, fd int) {
	defer unix.Close(fd)
	code, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err == nil && code != 0 {
		err = syscall.Errno(code)
	}
	if err == nil && r.Network == "udp" {
		_, err = unix.Read(fd, make([]byte, 1))
	}
	if err != nil {
		r.Error = err.Error()
		return
	}
	r.Reached = true
}
