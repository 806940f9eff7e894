package sign

import "testing"

func TestRunsIt(t *testing.T) {
	for _, n := range []int{-2, 0, 2} {
		Sign(n)
	}
}

func TestNegative(t *testing.T) {
	if Sign(-3) != -1 {
		t.Error("minus three is not negative")
	}
}
