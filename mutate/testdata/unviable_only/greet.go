// Package greet has mutants that do not compile, and nothing else.
package greet

// Greeting is a constant: a string cannot be subtracted.
const Greeting = "hello " + "world"
