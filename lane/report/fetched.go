package report

import (
	"fmt"
	"strings"

	"github.com/vallane/lane/assurance"
)

// fetched prints what the fetch phases brought, and every host that they asked for. Hosts that were not served come first.
func (p *page) fetched(v assurance.Verdict) {
	if len(v.Fetched) == 0 {
		return
	}
	p.head("fetch phases")
	for _, f := range v.Fetched {
		p.line(2, plain, strings.Join(f.Commands, "; "))
		p.prose(4, "", fetchedWords(f))
		var refused, served []assurance.FetchedHost
		for _, h := range f.Hosts {
			if h.Refused != "" {
				refused = append(refused, h)
			} else {
				served = append(served, h)
			}
		}
		list := append(refused, served...)
		for _, h := range list[:p.shown(len(list))] {
			if h.Refused != "" {
				p.line(4, red, fmt.Sprintf("%s  %s, %s", hostPort(h), h.Refused, plural(h.Connections, "connection", "connections")))
				p.prose(6, "", h.Detail)
				continue
			}
			p.line(4, plain, fmt.Sprintf("%s  %s, %d bytes sent, %d received", hostPort(h), plural(h.Connections, "connection", "connections"), h.Sent, h.Received))
		}
		p.rest(len(list))
	}
}

func fetchedWords(f assurance.Fetched) string {
	var trees []string
	for _, t := range f.Trees {
		trees = append(trees, string(t))
	}
	saw := "no manifest"
	if n := len(f.Manifests); n > 0 {
		saw = strings.Join(f.Manifests[:min(n, few)], ", ")
		if n > few {
			saw += fmt.Sprintf(" and %d more", n-few)
		}
	}
	s := fmt.Sprintf("for %s, from %s", strings.Join(trees, ", "), saw)
	switch {
	case f.Digest == "":
		s += ": it failed"
	case f.Kept:
		s += ": kept from an earlier check, " + f.Digest
	default:
		s += ": " + f.Digest
	}
	return s
}

func hostPort(h assurance.FetchedHost) string {
	if h.Port == 0 {
		return h.Host
	}
	return fmt.Sprintf("%s:%d", h.Host, h.Port)
}
