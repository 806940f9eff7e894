package a

import (
	"os"
	"testing"
)

func TestText(t *testing.T) {
	if text != "embedded\n" {
		t.Errorf("text is %q", text)
	}
	if _, err := os.Stat("text.txt"); err != nil {
		t.Error(err)
	}
}
