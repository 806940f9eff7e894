//go:build !linux || !(amd64 || arm64)

package fence

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
)

// ErrClosed is returned for a box that was closed or has died.
var ErrClosed = errors.New("the box is closed")

// Box cannot be had on this system.
type Box struct{}

var errSystem = errors.New("the local fence is made of Linux namespaces, and its filter of system calls knows amd64 and arm64")

func unavailable() error {
	return &Unavailable{
		Step: "open box",
		Err:  errSystem,
		Why:  fmt.Sprintf("this is %s on %s", runtime.GOOS, runtime.GOARCH),
		Fix:  "run lane on a Linux machine or in a Linux virtual machine",
	}
}

// Init returns at once: there is no box to be the first process of.
func Init() {}

// HostID has no meaning here; it gives -1, which leaves ownership alone.
func HostID(int) int { return -1 }

// Available always returns an *Unavailable.
func Available(context.Context) error { return unavailable() }

// Open always returns an *Unavailable.
func Open(context.Context, Config) (*Box, error) { return nil, unavailable() }

// NetworkControl always returns an *Unavailable.
func NetworkControl(context.Context, Config) (reached bool, address string, err error) {
	return false, "", unavailable()
}

// Run returns ErrClosed.
func (*Box) Run(context.Context, Command) (Result, error) { return Result{}, ErrClosed }

// Probe returns ErrClosed.
func (*Box) Probe(context.Context, []string) ([]ProbeResult, error) { return nil, ErrClosed }

// Inspect returns ErrClosed.
func (*Box) Inspect(context.Context) (Facts, error) { return Facts{}, ErrClosed }

// Leftovers finds nothing: there are no boxes here.
func Leftovers() (groups []string, boxes []int) { return nil, nil }

// Listeners returns nil.
func (*Box) Listeners() []net.Listener { return nil }

// PID returns 0.
func (*Box) PID() int { return 0 }

// Way returns ErrClosed.
func (*Box) Way() (*Way, error) { return nil, ErrClosed }

// A Way leads nowhere on this system.
type Way struct{}

// Dial returns ErrClosed.
func (*Way) Dial(context.Context, netip.AddrPort) (net.Conn, error) { return nil, ErrClosed }

// Close does nothing.
func (*Way) Close() {}

// Close does nothing.
func (*Box) Close() error { return nil }
