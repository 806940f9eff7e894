package a

import (
	"os"
	"testing"
)

func init() { os.Clearenv() }

func TestAnswer(t *testing.T) {
	os.Clearenv()
	if len(os.Environ()) > 0 {
		t.Error("environment is left")
	}
}
