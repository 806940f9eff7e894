// Package half has a suite with a test that fails on the clean tree.
package half

// Half is half of n.
func Half(n int) int { return n / 2 }
