package fetch

import (
	"cmp"
	"slices"
	"sync"

	"github.com/vallane/lane/lane/egress"
)

// Host is what a phase had to do with one host, at one port.
type Host struct {
	Host        string        `json:"host"`
	Port        uint16        `json:"port"`
	Connections int           `json:"connections"`
	Sent        int64         `json:"sent"`             // bytes from the box
	Received    int64         `json:"received"`         // bytes to the box
	Reason      egress.Reason `json:"reason,omitempty"` // why it was not served; "" where it was
	Detail      string        `json:"detail,omitempty"` // more of that, for people
}

// hostsKept bounds how many hosts are told apart: what a box asks for must not fill a verdict.
const hostsKept = 200

// hosts adds decisions up, by host, port and reason.
type hosts struct {
	mu   sync.Mutex
	list []Host
	more int // decisions about hosts beyond the bound
}

func (h *hosts) add(d egress.Decision) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.list, func(x Host) bool { return x.Host == d.Host && x.Port == d.Port && x.Reason == d.Reason })
	if i < 0 {
		if len(h.list) >= hostsKept {
			h.more++
			return
		}
		i = len(h.list)
		h.list = append(h.list, Host{Host: d.Host, Port: d.Port, Reason: d.Reason, Detail: d.Detail})
	}
	x := &h.list[i]
	x.Connections++
	x.Sent += d.Sent
	x.Received += d.Received
}

// all returns the hosts in the order of their names.
func (h *hosts) all() []Host {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := slices.Clone(h.list)
	slices.SortFunc(out, func(a, b Host) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Port, b.Port), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}
