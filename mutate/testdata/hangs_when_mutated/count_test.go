package count

import "testing"

func TestSteps(t *testing.T) {
	if got := Steps(10); got != 10 {
		t.Errorf("Steps(10) = %d", got)
	}
}
