package half

import "testing"

func TestAlreadyFailing(t *testing.T) {
	if Half(4) != 3 {
		t.Error("has failed for years")
	}
}

func TestHalfOfZero(t *testing.T) {
	if Half(0) != 0 {
		t.Error("half of nothing is something")
	}
}
