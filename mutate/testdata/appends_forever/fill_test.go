package fill

import "testing"

func TestFill(t *testing.T) {
	if len(Fill(3)) != 3 {
		t.Error("not filled")
	}
}
