// Package lib is there twice, and the suite tests the installed copy.
package lib

// Max is the larger one.
func Max(a, b int) int {
	if a > b {
		return a
	}
	return b
}
