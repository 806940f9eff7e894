// Package work computes in a goroutine of its own, where a panic ends the whole process.
package work

// Work divides in the background.
func Work(a, b int) int {
	out := make(chan int)
	go func() {
		if b == 0 {
			out <- 0
			return
		}
		out <- a / b
	}()
	return <-out
}

func init() {
	if len(table) != 2 {
		panic("no table")
	}
}

var table = map[bool]int{true: 1, false: 2}
