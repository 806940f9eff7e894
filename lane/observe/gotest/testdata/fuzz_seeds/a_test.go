package a

import "testing"

func FuzzAnswer(f *testing.F) {
	f.Add(1)
	f.Add(2)
	f.Fuzz(func(t *testing.T, n int) {
		if n == 2 {
			t.Error("two")
		}
	})
}

func FuzzFine(f *testing.F) {
	f.Add("x")
	f.Fuzz(func(t *testing.T, s string) { t.Run("inner", func(t *testing.T) {}) })
}
