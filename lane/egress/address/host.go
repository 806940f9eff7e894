package address

import (
	"net/netip"
	"strconv"
	"strings"
)

// closedNames are names that mean this machine or its own network wherever they are looked up; names below them do too.
var closedNames = []string{"localhost", "local", "localdomain", "internal", "intranet", "lan", "home.arpa", "arpa", "onion", "invalid"}

// Host brings a host into its one form: a name in lower case without a final dot, or an address as netip writes it,
// without brackets. The error is a *Refused. Whether an address may be dialled is for Check to say.
//
// Refused are names of one label, names that mean a local network, characters beyond ASCII (such names are written in
// their xn-- form), every spelling of an address that is not four decimal numbers or a plain IPv6 address.
func Host(s string) (string, error) {
	refuse := func(why string) (string, error) { return "", &Refused{What: s, Why: why} }
	if inner, ok := strings.CutPrefix(s, "["); ok {
		inner, closed := strings.CutSuffix(inner, "]")
		a, err := netip.ParseAddr(inner)
		switch {
		case !closed || err != nil || !a.Is6():
			return refuse("only an IPv6 address stands in brackets")
		case a.Zone() != "":
			return refuse("it has a zone, which means a network of this machine")
		case a.Is4In6():
			return refuse("it is an IPv4 address written as an IPv6 one")
		}
		return a.String(), nil
	}
	if why := spelling(s); why != "" {
		return refuse(why)
	}
	name := strings.ToLower(strings.TrimSuffix(s, "."))
	if a, err := netip.ParseAddr(name); err == nil && a.Is4() {
		return a.String(), nil
	}
	if why := notAName(name); why != "" {
		return refuse(why)
	}
	return name, nil
}

// spelling says what is wrong with the characters of a host; "" for nothing.
func spelling(s string) string {
	if s == "" {
		return "it is empty"
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 0x80:
			return "it has characters beyond ASCII; such a name is written in its xn-- form"
		case c == ':':
			return "an IPv6 address stands in brackets"
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
		default:
			return "the character " + strconv.QuoteRune(rune(c)) + " is in no name of a host"
		}
	}
	return ""
}

// notAName says why a lower-case host is no name that may be looked up; "" where it is one.
func notAName(name string) string {
	if len(name) > 253 {
		return "it is longer than any name"
	}
	labels := strings.Split(name, ".")
	for _, l := range labels {
		switch {
		case l == "":
			return "it has an empty label"
		case len(l) > 63:
			return "it has a label of more than 63 characters"
		case l[0] == '-' || l[len(l)-1] == '-':
			return "a label begins or ends with a hyphen"
		}
	}
	if isNumber(labels[len(labels)-1]) {
		return "it ends in a number, which some programs read as an address"
	}
	for _, c := range closedNames {
		if name == c || strings.HasSuffix(name, "."+c) {
			return "names in " + c + " mean this machine or its own network"
		}
	}
	if len(labels) == 1 {
		return "a name of one label means something of the local network"
	}
	return ""
}

// isNumber reports whether any C library would read the label as a number: decimal, octal or hexadecimal.
func isNumber(l string) bool {
	digits := "0123456789"
	if hex, ok := strings.CutPrefix(l, "0x"); ok {
		l, digits = hex, "0123456789abcdef"
	}
	return strings.Trim(l, digits) == ""
}

// HostPort splits HOST:PORT and brings the host into its one form. The port is a decimal number from 1 to 65535
// without sign or leading zeros. The error is a *Refused.
func HostPort(s string) (host string, port uint16, err error) {
	colon := strings.LastIndexByte(s, ':')
	if colon < 0 || strings.HasSuffix(s, "]") {
		return "", 0, &Refused{What: s, Why: "it has no port"}
	}
	n, err := strconv.ParseUint(s[colon+1:], 10, 16)
	if err != nil || n == 0 || strconv.FormatUint(n, 10) != s[colon+1:] {
		return "", 0, &Refused{What: s, Why: "its port is no number from 1 to 65535"}
	}
	host, err = Host(s[:colon])
	return host, uint16(n), err
}
