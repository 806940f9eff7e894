package egress

import (
	"context"
	"fmt"
	"log/slog"
)

// Reason is why a request was not served to its end; "" where it was.
type Reason string

// Reasons. The first group is refused before anything is dialled; in the second nobody answered; the last are bounds.
const (
	BadRequest  Reason = "bad-request"  // not the one sentence that the proxy speaks
	PlainHTTP   Reason = "plain-http"   // a request without TLS
	BadHost     Reason = "bad-host"     // a host in no form that may be asked for
	NotAllowed  Reason = "not-allowed"  // host and port are not on the list
	BadAddress  Reason = "bad-address"  // the name leads to an address that may not be dialled
	NameDiffers Reason = "name-differs" // the TLS hello names another host, or none
	NoTLS       Reason = "no-tls"       // what followed was no TLS hello

	Unresolved  Reason = "unresolved"  // the name has no address
	Unreachable Reason = "unreachable" // no address of it answered

	TooManyConnections Reason = "connections" // the bound on connections
	TooManyBytes       Reason = "bytes"       // the bound on bytes
	Idle               Reason = "idle"        // nothing moved for too long
	Stopped            Reason = "stopped"     // the phase ended before there was a connection
)

// Refused reports whether the proxy would not, rather than could not, serve the request.
func (r Reason) Refused() bool {
	switch r {
	case "", Unresolved, Unreachable, Idle, Stopped:
		return false
	}
	return true
}

// Decision is what became of one request.
type Decision struct {
	Host     string // in its one form, or as it was asked for where it has none; bounded
	Port     uint16 // 0 where none was understood
	Sent     int64  // bytes from the box
	Received int64  // bytes to the box
	Reason   Reason
	Detail   string // for people
}

// decide tells the log and the caller.
func (p *Proxy) decide(d Decision) {
	if p.Log != nil {
		level := slog.LevelInfo
		if d.Reason != "" {
			level = slog.LevelWarn
		}
		p.Log.Log(context.Background(), level, "egress", "host", d.Host, "port", d.Port, "sent", d.Sent, "received", d.Received,
			"reason", string(d.Reason), "detail", d.Detail)
	}
	if p.Decided != nil {
		p.Decided(d)
	}
}

// refusal is an error that becomes a decision.
type refusal struct {
	reason Reason
	detail string
}

func (r *refusal) Error() string { return r.detail }

func refuse(reason Reason, format string, args ...any) error {
	return &refusal{reason, fmt.Sprintf(format, args...)}
}
