// Package outer lies around a module of its own.
package outer

// Less reports whether a is less than b.
func Less(a, b int) bool { return a < b }
