package cart

// Total adds up, and Twice is not tested.
func Total(prices ...int) int {
	sum := 0
	for _, p := range prices {
		if p < 0 {
			p = 0
		}
		sum += p
	}
	return sum
}

func Twice(n int) int {
	return 2 * n
}
