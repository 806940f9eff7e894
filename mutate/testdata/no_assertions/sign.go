// Package sign has tests that run it and look at nothing.
package sign

// Sign is -1, 0 or 1.
func Sign(n int) int {
	if n < 0 {
		return -1
	}
	if n > 0 {
		return 1
	}
	return 0
}
