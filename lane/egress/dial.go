package egress

import (
	"context"
	"net"
	"net/netip"
	"syscall"
	"time"

	"github.com/vallane/lane/lane/egress/address"
)

// Resolver finds the addresses of a name. *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

const (
	resolveTime = 10 * time.Second
	dialTime    = 10 * time.Second // of each address
)

// dial connects to a host in its one form: it resolves once, refuses the name where any address of the answer is
// closed, and dials what it has checked.
func (p *Proxy) dial(ctx context.Context, host string, port uint16) (net.Conn, error) {
	addresses, err := p.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	own := ownAddresses()
	for _, a := range addresses {
		if err := p.check(a, own); err != nil {
			return nil, err
		}
	}
	d := net.Dialer{Timeout: dialTime, ControlContext: func(_ context.Context, _, to string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(to)
		if err != nil {
			return err
		}
		return p.check(at.Addr(), own) // of the socket itself
	}}
	for _, a := range addresses {
		var c net.Conn
		if c, err = d.DialContext(ctx, "tcp", netip.AddrPortFrom(a.Unmap(), port).String()); err == nil {
			return c, nil
		}
	}
	return nil, refuse(Unreachable, "%v", err)
}

func (p *Proxy) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, resolveTime)
	defer cancel()
	var r Resolver = net.DefaultResolver
	if p.Resolver != nil {
		r = p.Resolver
	}
	addresses, err := r.LookupNetIP(ctx, "ip", host+".") // the dot: no search domains
	if err != nil || len(addresses) == 0 {
		return nil, refuse(Unresolved, "find the address of %s: %v", host, err)
	}
	return addresses, nil
}

// check says whether an address may be dialled.
func (p *Proxy) check(a netip.Addr, own map[netip.Addr]bool) error {
	if err := p.Addresses.Check(a); err != nil {
		return refuse(BadAddress, "%v", err)
	}
	if own[a.Unmap()] && !(p.Addresses.Loopback && a.Unmap().IsLoopback()) {
		return refuse(BadAddress, "%v", &address.Refused{What: a.String(), Why: "it is an address of this machine"})
	}
	return nil
}

// ownAddresses are those of this machine's interfaces: what listens on a public one of them may trust who is near.
func ownAddresses() map[netip.Addr]bool {
	own := map[netip.Addr]bool{}
	list, err := net.InterfaceAddrs()
	if err != nil {
		return own
	}
	for _, a := range list {
		if n, ok := a.(*net.IPNet); ok {
			if ip, ok := netip.AddrFromSlice(n.IP); ok {
				own[ip.Unmap()] = true
			}
		}
	}
	return own
}
