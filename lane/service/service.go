package service

import (
	"cmp"
	"net/netip"
	"strings"
	"time"
)

// Service is a program of the closure that tests talk to by TCP.
type Service struct {
	Name    string
	Prepare []string // runs before Up in the same box, which keeps what it writes; nil for nothing
	Up      []string // goes on until Lane ends it
	Port    int      // where Up listens, on 127.0.0.1 of its box, and where tests find it on that of theirs
	// Health exits with 0 when the service is ready, and is asked where the tests run. nil: it is ready when it takes a connection.
	Health []string
	// Timeout is the time for Prepare, and from the start of Up until the service is ready; 0 means 30 seconds.
	Timeout time.Duration
}

// Address is where tests find the service.
func (s *Service) Address() netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(s.Port))
}

// Variable is the name of the variable that tells tests the address: LANE_SERVICE_ and the service's name in capitals, with _ for all
// that is no letter and no digit.
func (s *Service) Variable() string { return Variable(s.Name) }

// Variable is that of the service with a name.
func Variable(name string) string {
	return "LANE_SERVICE_" + strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
}

func (s *Service) timeout() time.Duration { return cmp.Or(s.Timeout, 30*time.Second) }

// Seen is what was seen of a service during one run.
type Seen struct {
	Name string
	// Healthy says that it was ready before the tests began, Alive that it still took connections when they had ended.
	Healthy, Alive bool
	// Connections were carried between it and the tests, with Asked bytes to it and Answered bytes from it. Spoilt counts the answers that
	// Lane made wrong.
	Connections, Asked, Answered, Spoilt int64
	// Detail says for people why it is not healthy or not alive, with the end of what it printed.
	Detail string
}
