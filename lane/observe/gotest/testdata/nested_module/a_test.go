package a

import "testing"

func TestOuter(t *testing.T) {}
