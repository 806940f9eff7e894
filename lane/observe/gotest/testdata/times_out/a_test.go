package a

import "testing"

func TestQuick(t *testing.T) {}

func TestStuck(t *testing.T) {
	t.Log("waiting")
	select {}
}
