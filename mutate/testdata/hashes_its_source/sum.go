// Package sum is guarded by a test that looks at its source and not at what it does.
package sum

import _ "embed"

//go:embed sum.go
var source string

// Sum adds two numbers.
func Sum(a, b int) int { return a + b }

// Twice doubles a number.
func Twice(a int) int { return 2 * a }
