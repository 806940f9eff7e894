package work

import "testing"

func TestWork(t *testing.T) {
	if Work(6, 3) != 2 {
		t.Error("six by three is not two")
	}
}

func TestByZero(t *testing.T) {
	if Work(6, 0) != 0 {
		t.Error("by zero")
	}
}
