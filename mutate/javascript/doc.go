// Package javascript makes mutants of JavaScript and TypeScript, JSX included.
//
// Operators work on the syntax trees of mutate/treesitter and edit bytes: what lies outside of a mutant is never touched, whatever
// its line ends. Types are never mutated, nor is what a module imports or exports, without which no test of it can run: that every
// test notices says nothing of any. Where a fault would bind otherwise than what it replaces, it is put in parentheses; where it
// would be read as the end of the line above, because no semicolon stands there, it is not made.
//
// Viability is syntax alone. What a compiler of TypeScript says of the types of a mutant is left to the project's own build.
//
// The package reads the tree through an fs.FS and starts nothing.
package javascript
