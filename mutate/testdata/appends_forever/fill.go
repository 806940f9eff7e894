// Package fill takes all memory when its step is mutated.
package fill

// Fill returns n pieces.
func Fill(n int) [][]byte {
	var out [][]byte
	for i := 0; i != n; i++ {
		out = append(out, make([]byte, 1<<20))
	}
	return out
}
