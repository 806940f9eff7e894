package quote

import "testing"

func TestQuote(t *testing.T) {
	if Quote("x") != "'x'" {
		t.Error(Quote("x"))
	}
}
