package golang

import (
	le "encoding/binary"
	"testing"

	"github.com/vallane/lane/mutate"
)

// The largest count of any record decides, and a loop that nobody counted has no bound.
func TestLimits(t *testing.T) {
	record := func(counts ...uint32) mutate.Record {
		data, _ := le.Append(nil, le.LittleEndian, append([]uint32{1}, counts...))
		return mutate.Record{Files: map[string][]byte{"a": data}}
	}
	s := &Switched{turns: []*noted{{file: "a", limits: "turns-a", turns: []int{1, 0, 2, 3, 9}}, {file: "b", limits: "turns-b", turns: []int{1}}}}
	laid := s.Limit([]mutate.Record{record(3, 1_000_000, 1<<31), record(5, 7, 0), {}})
	want := []uint32{leastTurns, 0, maxTurns * 1_000_000, 1 << 31, 0}
	if len(laid["turns-a"]) != 4*len(want) {
		t.Fatalf("laid %v", laid)
	}
	for i, w := range want {
		if got := le.LittleEndian.Uint32(laid["turns-a"][4*i:]); got != w {
			t.Errorf("loop %d may go round %d times, want %d", i, got, w)
		}
	}
	if string(laid["turns-b"]) != "\x00\x00\x00\x00" {
		t.Errorf("of a package that left no record: %v", laid["turns-b"])
	}
}
