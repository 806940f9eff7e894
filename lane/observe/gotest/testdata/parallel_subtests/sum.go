package parallel

// Sum adds up.
func Sum(n ...int) (sum int) {
	for _, i := range n {
		sum += i
	}
	return sum
}
