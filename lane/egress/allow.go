package egress

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vallane/lane/lane/egress/address"
)

// Allow is a list of what may be reached. The zero value allows nothing.
type Allow struct{ rules []rule }

type rule struct {
	host  string // in its one form; with a dot before it, every name below
	below bool
	port  uint16
}

// ParseAllow reads a list of HOST:PORT. A host that begins with a dot, as in ".example.org:443", stands for every name
// below it and not for example.org itself.
func ParseAllow(list []string) (Allow, error) {
	var a Allow
	for _, entry := range list {
		name, below := strings.CutPrefix(entry, ".")
		host, port, err := address.HostPort(name)
		if err != nil {
			return Allow{}, fmt.Errorf("read allowed host %q: %w", entry, err)
		}
		if below && strings.Trim(host[strings.LastIndexByte(host, '.')+1:], "0123456789abcdef:") == "" {
			return Allow{}, fmt.Errorf("read allowed host %q: there is nothing below an address", entry)
		}
		a.rules = append(a.rules, rule{host: host, below: below, port: port})
	}
	return a, nil
}

// has says whether a host in its one form may be reached at a port.
func (a Allow) has(host string, port uint16) bool {
	return slices.ContainsFunc(a.rules, func(r rule) bool {
		if r.port != port {
			return false
		}
		if r.below {
			return strings.HasSuffix(host, "."+r.host)
		}
		return r.host == host
	})
}
