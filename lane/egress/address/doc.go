// Package address says which network addresses Lane may dial for somebody else, and brings the names of hosts into
// the one form in which they are compared.
//
// It refuses what is not the open internet: loopback, private, link-local, shared, multicast, documentation and
// reserved ranges, the places where clouds serve credentials, and every way of writing an IPv4 address inside an IPv6
// one that a gateway nearby might unwrap. A spelling that two programs may read differently is refused and never
// guessed at: numbers as hosts, escapes, characters beyond ASCII.
//
// The package resolves nothing and dials nothing.
package address
