// Package python makes mutants of Python code.
//
// Sources are read by the closure's own ast, in a script that executes none of them: what a release of Python accepts, it can
// mutate. Operators edit bytes: what lies outside of a mutant is never touched, whatever its line ends or encoding. Each mutant
// is compiled by the same interpreter: what does not compile is unviable, and what gives the same bytecode is equivalent.
//
// The package reads the tree through an fs.FS and starts nothing: whoever calls it gives it a function that runs the
// interpreter, in a box. Places within f-strings are left alone, because releases before 3.12 do not say where they are.
package python
