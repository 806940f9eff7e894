package age

import "testing"

func TestAdult(t *testing.T) {
	for age, want := range map[int]bool{1: false, 17: false, 18: true, 40: true} {
		if got, err := Adult(age); err != nil || got != want {
			t.Errorf("Adult(%d) = %v, %v", age, got, err)
		}
	}
}

func TestNegative(t *testing.T) {
	if _, err := Adult(-1); err != ErrNegative {
		t.Errorf("Adult(-1): %v", err)
	}
}
