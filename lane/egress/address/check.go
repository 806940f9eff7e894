package address

import (
	"fmt"
	"net/netip"
)

// Rules say which addresses may be dialled. The zero value is what every spec gets.
type Rules struct {
	// Loopback lets 127.0.0.0/8 and ::1 be dialled. It is for tests, which have no other network; nothing that a
	// spec, a flag or a variable says sets it.
	Loopback bool
}

// A Refused is an address or a name that may not be dialled.
type Refused struct {
	What string // as it was given
	Why  string
}

func (r *Refused) Error() string { return fmt.Sprintf("%q is refused: %s", r.What, r.Why) }

// block is a range that is not the open internet.
type block struct {
	prefix netip.Prefix
	is     string
}

func blocks(list ...string) (out []block) {
	for i := 0; i < len(list); i += 2 {
		out = append(out, block{netip.MustParsePrefix(list[i]), list[i+1]})
	}
	return out
}

// closed4 are the ranges of IANA's registry of special purposes that are not globally reachable, and addresses that
// look public and are served inside a cloud only.
var closed4 = blocks(
	"0.0.0.0/8", "this network",
	"10.0.0.0/8", "private",
	"100.64.0.0/10", "shared by carriers, and metadata in some clouds",
	"127.0.0.0/8", "loopback",
	"168.63.129.16/32", "a cloud's own service",
	"169.254.0.0/16", "link-local, where clouds serve metadata",
	"172.16.0.0/12", "private",
	"192.0.0.0/24", "reserved for protocols, and metadata in some clouds",
	"192.0.2.0/24", "documentation",
	"192.31.196.0/24", "a sink for reverse lookups",
	"192.52.193.0/24", "multicast tunnels",
	"192.88.99.0/24", "6to4 relays",
	"192.168.0.0/16", "private",
	"192.175.48.0/24", "a sink for reverse lookups",
	"198.18.0.0/15", "benchmarks",
	"198.51.100.0/24", "documentation",
	"203.0.113.0/24", "documentation",
	"224.0.0.0/4", "multicast",
	"240.0.0.0/4", "reserved or broadcast",
)

// closed6 are ranges below open6. What lies outside of open6 is closed anyway: loopback, unique local, link-local,
// site-local, multicast, IPv4-compatible, NAT64 and reserved addresses.
var closed6 = blocks(
	"2001::/23", "Teredo and other protocols",
	"2001:db8::/32", "documentation",
	"2002::/16", "6to4, which holds an IPv4 address",
	"2620:4f:8000::/48", "a sink for reverse lookups",
	"3fff::/20", "documentation",
)

var open6 = netip.MustParsePrefix("2000::/3")

// Check says whether an address may be dialled; the error is a *Refused. An IPv4 address that is written as an IPv6
// one (::ffff:a.b.c.d, as resolvers return them) is judged as what it is.
func (r Rules) Check(a netip.Addr) error {
	refuse := func(why string) error { return &Refused{What: a.String(), Why: why} }
	switch {
	case !a.IsValid():
		return refuse("it is no address")
	case a.Zone() != "":
		return refuse("it has a zone, which means a network of this machine")
	case r.Loopback && a.Unmap().IsLoopback():
		return nil
	}
	plain := a.Unmap()
	closed := closed6
	if plain.Is4() {
		closed = closed4
	} else if !open6.Contains(plain) {
		return refuse("it is not in the range of public IPv6 addresses")
	}
	for _, b := range closed {
		if b.prefix.Contains(plain) {
			return refuse(b.prefix.String() + " is " + b.is)
		}
	}
	if plain.Is6() && isISATAP(plain.As16()) {
		return refuse("it is an ISATAP address, which holds an IPv4 address")
	}
	return nil
}

// isISATAP reports whether the lower half is 0000:5efe or 0200:5efe and an IPv4 address (RFC 5214).
func isISATAP(b [16]byte) bool { return b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe }
