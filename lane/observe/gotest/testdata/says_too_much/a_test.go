package a

import (
	"strings"
	"testing"
)

func TestLoud(t *testing.T) {
	for range 300 {
		t.Error(strings.Repeat("\x01", 3000))
	}
}

func TestNames(t *testing.T) {
	for _, tail := range []string{"a", "b"} {
		t.Run(strings.Repeat("\x01\u00e9 ", 3000)+tail, func(t *testing.T) { t.Log("said") })
	}
	t.Run("control\n\x1b[31m\"quoted\\", func(t *testing.T) { t.Error("red \x1b[31m\xff") })
}
