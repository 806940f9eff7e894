// Package syntax makes mutants of Rust, Java, Ruby and C: operators that all four share work on the syntax trees of mutate/treesitter, and a
// table per language says what its nodes stand for.
//
// What a grammar does not know (a macro of C that is no expression, a brace in one branch of the preprocessor) has no mutants, and what
// lies around it has those that are whole by themselves; [Result.Unread] names such lines. Rust's macros are text to its grammar: nothing is mutated in their arguments.
//
// Viability is syntax alone: a mutant that its own grammar does not read is unviable before any run. Whether it compiles is left to the
// project's build; [Compiled] says of which files nobody knows without one.
//
// The package reads the tree through an fs.FS and starts nothing.
package syntax
