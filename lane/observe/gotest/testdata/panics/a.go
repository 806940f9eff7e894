package a

// First panics on an empty list.
func First(list []int) int { return list[0] }
