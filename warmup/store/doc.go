// Package store checks that store paths on this machine are what a lock says
// they are, at the price that a caller wants to pay, and computes the names of
// content-addressed paths.
//
// It only reads the store. It starts no process and does not ask Nix: what Nix's
// database claims about a path is not evidence of its bytes. (For that reason,
// and because it would need an SQLite reader, the level "db" of the design is
// known by name only, and asking for it is an error.)
package store
