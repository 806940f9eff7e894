// Package signing keeps keys in files, signs verdicts with them, and reads a trust.toml. Contracts are signed by package lane, which makes them.
//
// Who signs judges again: [Sign] reads a verdict strictly, judges its evidence anew and refuses one that claims something else. It runs in
// a process of its own, `lane sign`, which has read nothing of what the code under test said but the verdict, and the process that
// did read it holds no key.
//
// The package may not run anything of a spec, and knows no box.
package signing
