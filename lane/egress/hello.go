package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
)

// helloLimit bounds what a client may send before its TLS hello is understood, in bytes.
const helloLimit = 64 << 10

var errSeen = errors.New("hello seen")

// readHello reads the client's TLS hello and checks that it names the host. It returns all bytes that it read, which
// the server is to get.
func readHello(ctx context.Context, r io.Reader, host string) ([]byte, error) {
	listener := &overheard{r: io.LimitReader(r, helloLimit)}
	name, seen := "", false
	// crypto/tls parses the hello; it is told nothing else and answers nobody.
	err := tls.Server(listener, &tls.Config{GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		name, seen = h.ServerName, true
		return nil, errSeen
	}}).HandshakeContext(ctx)
	_, literal := netip.ParseAddr(host)
	switch {
	case !seen:
		return nil, refuse(NoTLS, "what followed was no TLS hello: %v", err)
	case name == "" && literal == nil:
		return listener.heard, nil // a name is never an address there
	case lower(name) != host:
		return nil, refuse(NameDiffers, "the TLS hello names the host %q", bounded(name))
	}
	return listener.heard, nil
}

// lower maps ASCII letters only: a name with others is none that Host returns.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// overheard is a connection that keeps what is read and swallows what is written.
type overheard struct {
	net.Conn // nil: crypto/tls asks for nothing else while it waits for a hello
	r        io.Reader
	heard    []byte
}

func (o *overheard) Read(p []byte) (int, error) {
	n, err := o.r.Read(p)
	o.heard = append(o.heard, p[:n]...)
	return n, err
}

func (*overheard) Write(p []byte) (int, error) { return len(p), nil }
func (*overheard) Close() error                { return nil }
