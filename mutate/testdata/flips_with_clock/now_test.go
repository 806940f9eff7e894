package now

import (
	"os"
	"testing"
)

// TestFlips passes and fails in turn, as a test of an odd and an even second would; the file stands for the clock.
func TestFlips(t *testing.T) {
	Add(0, 0)
	clock := os.Getenv("CLOCK")
	if _, err := os.Stat(clock); err == nil {
		os.Remove(clock)
		t.Error("an odd second")
		return
	}
	os.WriteFile(clock, nil, 0o644)
}
