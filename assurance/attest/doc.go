// Package attest signs verdicts and says whose signature counts.
//
// A signed verdict is an in-toto Statement in a DSSE envelope (github.com/secure-systems-lab/dsse, protocol 1.0.2), signed with ed25519. [Sign]
// makes one, [Open] reads one back after a signature has been verified and not before, and [Trust], the form of a trust.toml, says which
// key may sign what, up to which level, at which venues and from when to when.
//
// The package may use the standard library, package assurance and a TOML reader only. It does no I/O and looks at no clock: keys, files and
// the reader's time come in as values.
package attest
