package main

import (
	"testing"

	"example.org/lib"
)

func TestMax(t *testing.T) {
	if lib.Max(1, 2) != 2 || lib.Max(2, 1) != 2 {
		t.Error("not the larger one")
	}
}
