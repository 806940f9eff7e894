// Package nar writes and hashes Nix archives (NAR), the form in which Nix
// names the content of a store path: types, run bits, names, link targets and
// bytes, and nothing else (no owner, no time, no other mode bit).
//
// It reads the file system and writes to the writer it is given. It starts no
// process, knows no store, and changes nothing on disk.
package nar
