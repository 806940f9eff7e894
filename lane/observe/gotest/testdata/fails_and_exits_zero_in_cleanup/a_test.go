package a

import (
	"syscall"
	"testing"
)

func TestAnswer(t *testing.T) {
	t.Cleanup(func() { syscall.Exit(0) })
	t.Fatal("wrong")
}
