package a

import "testing"

func TestBefore(t *testing.T) {}

func TestFirst(t *testing.T) {
	t.Run("other", func(t *testing.T) { t.Parallel(); select {} })
	t.Run("empty", func(t *testing.T) { First(nil) })
}

func TestNever(t *testing.T) {}
