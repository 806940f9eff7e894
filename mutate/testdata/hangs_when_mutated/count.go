// Package count has a loop that no longer ends when its step is changed.
package count

// Steps counts how many steps of n lead to 100.
func Steps(n uint) uint {
	i, steps := uint(0), uint(0)
	for i != 100 {
		i += n
		steps++
	}
	return steps
}
