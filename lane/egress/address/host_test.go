package address

import (
	"net/netip"
	"strings"
	"testing"
)

func TestHost(t *testing.T) {
	for given, want := range map[string]string{
		"example.org": "example.org", "EXAMPLE.Org": "example.org", "example.org.": "example.org", "a_b.example.org": "a_b.example.org", // E4
		"xn--exmple-cua.org": "xn--exmple-cua.org", "0x7f.example.org": "0x7f.example.org", "169.254.169.254.nip.io": "169.254.169.254.nip.io",
		"1.1.1.1": "1.1.1.1", "1.1.1.1.": "1.1.1.1", "[2606:4700::1111]": "2606:4700::1111", "[2606:4700:0:0::1111]": "2606:4700::1111", "[::1]": "::1",
		strings.Repeat("a.", 125) + "org": strings.Repeat("a.", 125) + "org",
	} {
		if got, err := Host(given); err != nil || got != want {
			t.Errorf("Host(%q) = %q, %v, want %q", given, got, err, want)
		}
	}
}

func TestRefusedHosts(t *testing.T) {
	for name, list := range map[string][]string{
		"metadata by name (E1)":         {"metadata.google.internal", "METADATA.google.internal.", "metadata", "instance-data.ec2.internal"},
		"this machine by name":          {"localhost", "localhost.", "LocalHost", "foo.localhost", "printer.local", "ip6-localhost", "router.home.arpa", "x.invalid"},
		"one number (E2)":               {"2852039166", "2130706433", "0", "0x7f000001", "0X7F000001", "017700000001", "0xa9fea9fe", "0251.0376.0251.0376"},
		"octal, hex, short forms (E2)":  {"127.1", "127.0.1", "0177.0.0.1", "0x7f.0.0.1", "0x7f.1", "127.0.0.01", "1.2.3.4.5", "0x", "example.0x7f", "example.123", "256.1.1.1"},
		"mapped, zones (E3)":            {"[::ffff:127.0.0.1]", "[::ffff:1.1.1.1]", "[fe80::1%eth0]", "[fe80::1%25eth0]", "::1", "::ffff:127.0.0.1"},
		"brackets (E4)":                 {"[example.org]", "[127.0.0.1]", "[[::1]]", "[::1", "::1]", "[]", "[", "]", "[::1].org"},
		"dots (E4)":                     {"", ".", "..", "example.org..", ".example.org", "a..b"},
		"user, escape, line ends (E5)":  {"allowed@127.0.0.1", "example.org%00", "example.org\x00.evil.org", "127.0.0.1\\@example.org", "a.org\r\nHost: b", "a.org\n", "a b.org", "a.org/", "a.org#", "a.org?", "%31%32%37.0.0.1", "a.org:80", "a.org\t"},
		"beyond ASCII":                  {"１２７.0.0.1", "127。0。0。1", "①②⑦.⓪.⓪.①", "ⓔxample.org", "exаmple.org", "faß.de", "a\u200db.org", "\xff.org"},
		"not of the form of DNS labels": {"-x.org", "x-.org", strings.Repeat("a", 64) + ".org", strings.Repeat("a.", 126) + "org"},
	} {
		for _, s := range list {
			if got, err := Host(s); err == nil {
				t.Errorf("%s: Host(%q) = %q, want it refused", name, s, got)
			}
		}
	}
}

func TestHostPort(t *testing.T) {
	for _, given := range []string{"example.org:443", "EXAMPLE.org.:443"} {
		if host, port, err := HostPort(given); host != "example.org" || port != 443 || err != nil {
			t.Errorf("HostPort(%q) = %q, %d, %v", given, host, port, err)
		}
	}
	if host, port, err := HostPort("[2606:4700::1111]:8443"); host != "2606:4700::1111" || port != 8443 || err != nil {
		t.Errorf("%q, %d, %v", host, port, err)
	}
	for _, s := range []string{"", ":", ":443", "a.org", "a.org:", "a.org:0", "a.org:00443", "a.org:+443", "a.org:65536", "a.org:-1", "a.org:http", "a.org:443:443", "[::1]",
		"[::1]443", "a.org:443 ", "a.org:4\x0043", "https://a.org:443", "a@b.org:443", "::1:443"} {
		if host, port, err := HostPort(s); err == nil {
			t.Errorf("HostPort(%q) = %q, %d, want it refused", s, host, port)
		}
	}
}

// What Host returns is its own form, has no character that ends or escapes anything, and is an address only where it was written as one.
func FuzzHost(f *testing.F) {
	for _, s := range []string{"example.org", "EXAMPLE.org.", "[::1]", "127.0.0.1", "0x7f.1", "[fe80::1%25eth0]", "a@b", "①.org", "x\r\ny"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		host, err := Host(s)
		if err != nil {
			return
		}
		again := host
		if a, err := netip.ParseAddr(host); err == nil {
			if a.Is6() {
				again = "[" + host + "]"
			}
			if a.Zone() != "" || a.Is4In6() {
				t.Errorf("Host(%q) = %q", s, host)
			}
		} else if strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" || strings.HasSuffix(host, ".") {
			t.Errorf("Host(%q) = %q", s, host)
		}
		if h, err := Host(again); err != nil || h != host {
			t.Errorf("Host(%q) = %q, and again %q, %v", s, host, h, err)
		}
	})
}
