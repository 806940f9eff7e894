// Package text makes mutants of files in languages that Lane has no grammar of, and of configuration: numbers, truth values and, in code,
// comparisons and connections; in configuration of lines, lines that go.
//
// A small lexer tells comments and texts from the rest. It is careful rather than complete: where it cannot tell what something is, it
// leaves it alone. What no test of a program reads is passed over: locks, and the settings of tools.
//
// Of JSON and TOML, a mutant that is none any more is known before any run. Of other files nobody knows without a build; see package lane.
//
// The package reads the tree through an fs.FS and starts nothing.
package text
