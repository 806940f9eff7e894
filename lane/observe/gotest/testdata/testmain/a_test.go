package a

import (
	"os"
	"testing"
)

var ready bool

func TestMain(m *testing.M) {
	ready = true
	code := m.Run()
	ready = false
	os.Exit(code)
}

func TestReady(t *testing.T) {
	if !ready {
		t.Fatal("not ready")
	}
}
