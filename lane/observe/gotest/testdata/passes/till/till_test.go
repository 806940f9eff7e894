package till_test

import (
	"testing"

	"example.org/passes/till"
)

func TestPay(t *testing.T) {
	if till.Pay(2) != 4 {
		t.Error("wrong")
	}
}
