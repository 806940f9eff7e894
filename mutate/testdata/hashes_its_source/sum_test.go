package sum

import (
	"hash/fnv"
	"testing"
)

func TestSource(t *testing.T) {
	Sum(1, 2)
	h := fnv.New32a()
	h.Write([]byte(source))
	if h.Sum32() != 0xd4bd877e {
		t.Errorf("somebody edited sum.go: %#x", h.Sum32())
	}
}

func TestTwice(t *testing.T) {
	if Twice(4) != 8 {
		t.Error("twice four is not eight")
	}
}
