// Package gotest makes the go command's tests report to Lane.
//
// At build time it lays files of its own over the closure's package testing, by GOFLAGS=-overlay: hooks at the places where a test
// begins, fails and ends, and one added file that writes the records of package observe. Whatever runs the go command,
// directly or from a Makefile, then builds test binaries that report; their standard output is never read. The
// hooks are put into the closure's own source by its syntax tree: where a place is not found, that release of Go is refused as unparsed
// rather than half reported.
//
// What a command will test is found by reading the tree, never by running a go command on this machine. The tree is hostile: it is
// read through os.Root, links that lead out of it are not followed, and sizes are bounded.
package gotest
