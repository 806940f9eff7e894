package a

import "testing"

func TestParentFromChild(t *testing.T) {
	t.Run("child", func(*testing.T) { t.FailNow() })
}

func TestGoexit(t *testing.T) {
	done := make(chan bool)
	go func() { defer close(done); t.Error("from a goroutine") }()
	<-done
}

func TestCleanup(t *testing.T) {
	t.Cleanup(func() { t.Error("late") })
}

func helper(t *testing.T) { t.Helper(); t.Fatalf("in %s", t.Name()) }

func TestHelper(t *testing.T) { helper(t) }
