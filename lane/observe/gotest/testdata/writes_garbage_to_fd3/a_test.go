package a

import "testing"

func TestAnswer(t *testing.T) {
	Garbage(spare)
	t.Fatal("wrong")
}
