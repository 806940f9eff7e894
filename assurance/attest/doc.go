// Package attest signs verdicts and contracts and says whose signature counts.
//
// Either is an in-toto Statement in a DSSE envelope (github.com/secure-systems-lab/dsse, protocol 1.0.2), signed with ed25519. [Sign] and
// [SignContract] make one, [ParseEnvelope] reads its form, and [Trust], the form of a trust.toml, says which key may sign which, up to which
// level, at which venues and from when to when. Whoever reads asks [Trust.Verifier] or [Trust.Author] before what is inside.
//
// The package may use the standard library, package assurance and a TOML reader only. It does no I/O and looks at no clock: keys, files and
// the reader's time come in as values.
package attest
