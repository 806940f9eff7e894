package till

import cart "example.org/passes"

// Pay pays.
func Pay(n int) int {
	return cart.Twice(n)
}
