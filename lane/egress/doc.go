// Package egress is the only way out of the box of a fetch phase: a proxy that stands outside of the box and connects
// it to the hosts on a list, and to nothing else.
//
// It speaks one sentence, CONNECT HOST:PORT, and then carries TLS that it does not open. What it makes sure of:
//
//   - host and port are on the list, by the one form that package address gives a name;
//   - the name is resolved once, every address of the answer may be dialled, and what is dialled is one of those
//     addresses, checked again by the socket itself: a name that changes in between changes nothing;
//   - the name that the client tells the server in its TLS hello is the one that it asked the proxy for;
//   - time, bytes and connections have bounds, and memory does not grow with either.
//
// Every request ends in one [Decision]. What it cannot see is what goes through TLS: a listed host that serves or
// forwards for others, serves and forwards for others here too. Only hosts that deserve it belong on the list.
//
// The package knows no spec and no box: it is given a listener.
package egress
