package inner

import "testing"

func TestMore(t *testing.T) {
	if !More(2, 1) || More(2, 2) {
		t.Error("not more")
	}
}
