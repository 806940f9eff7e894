package a

import "testing"

func TestAnswer(t *testing.T) { t.Fatal("wrong") }
