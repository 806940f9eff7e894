package cart

import "testing"

func TestTotal(t *testing.T) {
	if Total(1, 2) != 3 {
		t.Error("wrong")
	}
}

func TestTotalNegative(t *testing.T) {
	if Total(1, -2) != 1 {
		t.Error("wrong")
	}
}
