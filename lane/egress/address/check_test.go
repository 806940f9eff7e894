package address

import (
	"net/netip"
	"testing"

	"code.dny.dev/ssrf"
)

// closedAddresses may never be dialled. Each is written in all the ways that netip reads.
var closedAddresses = map[string][]string{
	"metadata of clouds (E1)": {"169.254.169.254", "169.254.170.2", "169.254.42.42", "168.63.129.16", "100.100.100.200", "192.0.0.192",
		"fd00:ec2::254", "fd20:ce::254", "fd00:42::42"},
	"loopback and this network":  {"127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "::", "::1"},
	"private":                    {"10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fdff:ffff::1"},
	"shared by carriers":         {"100.64.0.1", "100.127.255.255"},
	"link-local and site-local":  {"169.254.0.1", "fe80::1", "febf::1", "fec0::1"},
	"multicast and broadcast":    {"224.0.0.1", "239.255.255.255", "255.255.255.255", "ff02::1", "ff0e::1"},
	"documentation, benchmarks":  {"192.0.2.1", "198.51.100.7", "203.0.113.9", "198.18.0.1", "198.19.255.255", "2001:db8::1", "3fff::1", "3fff:fff::1"},
	"reserved":                   {"240.0.0.1", "254.1.2.3", "100::1", "5f00::1", "4000::1", "192.88.99.1", "192.31.196.1", "192.52.193.1", "192.175.48.1"},
	"mapped (E3)":                {"::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:0:7f00:1"},
	"compatible (E3)":            {"::127.0.0.1", "::169.254.169.254", "::a9fe:a9fe"},
	"NAT64 (E3)":                 {"64:ff9b::a9fe:a9fe", "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::a9fe:a9fe"},
	"6to4, Teredo, ISATAP (E3)":  {"2002:a9fe:a9fe::1", "2002:7f00:1::", "2001:0:a9fe:a9fe::", "2001::1", "2001:470::5efe:7f00:1", "2001:470::200:5efe:a9fe:a9fe"},
	"a zone (E3)":                {"fe80::1%eth0", "fe80::1%25lo", "2606:4700:4700::1111%lo"},
	"protocols, reverse lookups": {"192.0.0.1", "2001:2::1", "2001:10::1", "2001:20::1", "2620:4f:8000::1"},
}

var openAddresses = []string{"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "128.0.0.1", "168.63.129.17", "172.15.255.255", "172.32.0.1",
	"192.0.1.1", "192.167.255.255", "223.255.255.255", "::ffff:1.1.1.1", "2606:4700:4700::1111", "2a00:1450:4001::1", "2001:470::1", "2001:4860:4860::8888"}

func TestClosedAddresses(t *testing.T) {
	for name, list := range closedAddresses {
		for _, s := range list {
			if err := (Rules{}).Check(netip.MustParseAddr(s)); err == nil {
				t.Errorf("%s: %s may be dialled", name, s)
			}
		}
	}
	if (Rules{}).Check(netip.Addr{}) == nil {
		t.Error("the zero address may be dialled")
	}
}

func TestOpenAddresses(t *testing.T) {
	for _, s := range openAddresses {
		if err := (Rules{}).Check(netip.MustParseAddr(s)); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
}

// The exception of tests is loopback and nothing else.
func TestLoopbackException(t *testing.T) {
	r := Rules{Loopback: true}
	for _, s := range []string{"127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"} {
		if err := r.Check(netip.MustParseAddr(s)); err != nil {
			t.Error(err)
		}
	}
	for _, s := range []string{"169.254.169.254", "10.0.0.1", "0.0.0.0", "::", "::127.0.0.1", "64:ff9b::7f00:1", "::1%lo"} {
		if r.Check(netip.MustParseAddr(s)) == nil {
			t.Errorf("%s may be dialled", s)
		}
	}
}

// An independent implementation of the same rules refuses nothing that is open here, but for addresses whose lists differ by intent.
func TestSecondOpinion(t *testing.T) {
	other := ssrf.New(ssrf.WithAnyPort())
	for _, s := range openAddresses {
		if a := netip.MustParseAddr(s); other.SafeAddr(a.Unmap()) != nil {
			t.Errorf("%s is open here and closed there: %v", s, other.SafeAddr(a))
		}
	}
	// What it lets through and is closed here, each with its reason.
	ours := map[string]bool{
		"168.63.129.16":         true,                                       // served inside a cloud only
		"2001:470::5efe:7f00:1": true, "2001:470::200:5efe:a9fe:a9fe": true, // an IPv4 address of a network of this machine
	}
	for name, list := range closedAddresses {
		for _, s := range list {
			if other.SafeAddr(netip.MustParseAddr(s)) == nil != ours[s] {
				t.Errorf("%s: %s: the second opinion changed", name, s)
			}
		}
	}
}

// No address is open here that the second opinion closes, and no spelling of an IPv4 address changes what it is.
func FuzzCheck(f *testing.F) {
	for _, list := range closedAddresses {
		for _, s := range list {
			b := netip.MustParseAddr(s).As16()
			f.Add(b[:])
		}
	}
	other := ssrf.New(ssrf.WithAnyPort())
	f.Fuzz(func(t *testing.T, b []byte) {
		a, ok := netip.AddrFromSlice(b)
		if !ok {
			return
		}
		got := Rules{}.Check(a)
		if got == nil && other.SafeAddr(a.Unmap()) != nil {
			t.Errorf("%s is open here and closed there: %v", a, other.SafeAddr(a.Unmap()))
		}
		if a.Is4() && (got == nil) != (Rules{}.Check(netip.AddrFrom16(a.As16())) == nil) {
			t.Errorf("%s is another thing when mapped", a)
		}
		if got == nil && (a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified()) {
			t.Errorf("%s may be dialled", a)
		}
	})
}
