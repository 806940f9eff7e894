package a

// Answer has no test.
func Answer() int { return 42 }
