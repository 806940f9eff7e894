// Package inner is a module within a module.
package inner

// More reports whether a is more than b.
func More(a, b int) bool { return a > b }
