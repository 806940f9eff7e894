package a

import "testing"

func TestAnswer(t *testing.T) { t.Skip("no answer yet") }

func TestParts(t *testing.T) {
	t.Run("one", func(t *testing.T) { t.SkipNow() })
	t.Run("two", func(t *testing.T) { t.Skipf("%d is too many", 2) })
}
