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

// A Dialer connects to hosts by the rules of addresses. The zero value is what everybody gets.
type Dialer struct {
	Addresses address.Rules // which addresses may be dialled
	Resolver  Resolver      // nil: the machine's own
}

// Pinned is a host as one look-up found it: whatever its name means later, these addresses are dialled and no others.
type Pinned struct {
	dialer    Dialer
	addresses []netip.Addr
	own       map[netip.Addr]bool
}

// Pin resolves a host in its one form, once, and refuses it where any address of the answer is closed.
func (d Dialer) Pin(ctx context.Context, host string) (Pinned, error) {
	addresses, err := d.resolve(ctx, host)
	if err != nil {
		return Pinned{}, err
	}
	p := Pinned{dialer: d, addresses: addresses, own: ownAddresses()}
	for _, a := range addresses {
		if err := d.check(a, p.own); err != nil {
			return Pinned{}, err
		}
	}
	return p, nil
}

// Dial connects to one of the addresses, each of them checked again by the socket itself.
func (p Pinned) Dial(ctx context.Context, port uint16) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTime, ControlContext: func(_ context.Context, _, to string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(to)
		if err != nil {
			return err
		}
		return p.dialer.check(at.Addr(), p.own) // of the socket itself
	}}
	var err error
	for _, a := range p.addresses {
		var c net.Conn
		if c, err = d.DialContext(ctx, "tcp", netip.AddrPortFrom(a.Unmap(), port).String()); err == nil {
			return c, nil
		}
	}
	return nil, refuse(Unreachable, "%v", err)
}

func (d Dialer) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, resolveTime)
	defer cancel()
	var r Resolver = net.DefaultResolver
	if d.Resolver != nil {
		r = d.Resolver
	}
	addresses, err := r.LookupNetIP(ctx, "ip", host+".") // the dot: no search domains
	if err != nil || len(addresses) == 0 {
		return nil, refuse(Unresolved, "find the address of %s: %v", host, err)
	}
	return addresses, nil
}

// check says whether an address may be dialled.
func (d Dialer) check(a netip.Addr, own map[netip.Addr]bool) error {
	if err := d.Addresses.Check(a); err != nil {
		return refuse(BadAddress, "%v", err)
	}
	if own[a.Unmap()] && !(d.Addresses.Loopback && a.Unmap().IsLoopback()) {
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
