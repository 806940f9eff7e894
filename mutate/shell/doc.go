// Package shell makes mutants of scripts for POSIX shells and bash, on the syntax trees of mvdan.cc/sh.
//
// The first line of a script says which of the two it is; one that says nothing is read as POSIX and, where that fails, as bash. A mutant
// that is no script any more is known before any run. A script is hostile input: what is read is bounded in size and depth, and a parser
// that gives out says so.
//
// The package reads the tree through an fs.FS and starts nothing.
package shell
