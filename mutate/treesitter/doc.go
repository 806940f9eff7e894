// Package treesitter reads sources of languages other than Lane's own into syntax trees.
//
// The grammars are those of tree-sitter as they are published to npm, compiled to WebAssembly and hosted in wazero: no cgo, no
// child process. grammars/README.md says where each file comes from and under which licence. They are committed, and embedded
// in the program, so that `go build` alone builds it and a build without a network does too.
//
// A source is hostile input, a grammar is not: its digest is pinned. What a source can make the guest do is bounded by the size
// that is read, by the guest's memory and by a deadline that the parser itself asks for while it works; none of them stops the
// program. (wazero can end any guest by its context, which makes each loop of it several times slower.) A guest that gave out is
// replaced by a new one.
//
// The package knows no operators, opens no file and starts nothing.
package treesitter
