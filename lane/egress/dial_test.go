package egress

import (
	"net/netip"
	"testing"

	"github.com/vallane/lane/lane/egress/address"
)

// An address of this machine is closed, however public it is; loopback only where it is open by the exception of tests.
func TestOwnAddresses(t *testing.T) {
	public, loopback := netip.MustParseAddr("1.1.1.1"), netip.MustParseAddr("127.0.0.1")
	own := map[netip.Addr]bool{public: true, loopback: true}
	for _, c := range []struct {
		rules   address.Rules
		address netip.Addr
		own     map[netip.Addr]bool
		open    bool
	}{
		{address.Rules{}, public, nil, true},
		{address.Rules{}, public, own, false},
		{address.Rules{}, netip.AddrFrom16(public.As16()), own, false},
		{address.Rules{Loopback: true}, public, own, false},
		{address.Rules{Loopback: true}, loopback, own, true},
		{address.Rules{}, loopback, own, false},
	} {
		p := Dialer{Addresses: c.rules}
		if err := p.check(c.address, c.own); (err == nil) != c.open {
			t.Errorf("%s with %+v: %v", c.address, c.rules, err)
		}
	}
	if !ownAddresses()[loopback] {
		t.Error("the addresses of this machine lack its loopback")
	}
}
