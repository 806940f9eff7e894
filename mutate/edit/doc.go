// Package edit is what the operators of all languages share: where a place of a source lies, how a fault is written there, and how the
// mutant that comes of it is named.
//
// A fault is an edit of bytes: what lies outside of it is never touched. The package knows no language, opens no file and starts
// nothing.
package edit
