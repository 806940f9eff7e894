// Package contract makes contracts of specs and reads them back.
//
// A contract carries the text of its spec and, beside it, what the text means. [Open] believes neither alone: it reads the text again and
// refuses a contract whose terms are not what the text means to this Lane. [Files] says which files of a tree steer a check, and
// so which of them a change may not touch under a contract; [Diff] names what two contracts differ in.
//
// The package may not open a repository, run a command or read a file: bytes, lists of files and the time come in as values.
package contract
