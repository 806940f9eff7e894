// Package golang makes mutants of Go code.
//
// Operators work on the syntax tree and edit bytes: what lies outside of a mutant is never touched, whatever its line
// ends or encoding. Which mutants compile is proven by type checking before anything is built, against the sources of
// the toolchain and the tree that the caller gives. Where that cannot be known (a missing dependency, cgo, a package
// that has errors already), a mutant's viability is left to the build.
//
// The package reads the tree through an fs.FS and starts nothing: no go command, no file of the user's.
package golang
