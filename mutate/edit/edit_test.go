package edit_test

import (
	"testing"

	"github.com/vallane/lane/mutate/edit"
)

// An edit never melts with what stands beside it.
func TestApart(t *testing.T) {
	for _, c := range []struct {
		src        string
		start, end int
		text, want string
	}{
		{"return!x", 6, 7, "", " "}, {"return(x)", 6, 9, "y", " y"}, {"a- -b", 1, 3, "-", "- "}, {"a < b", 2, 3, "<=", "<="}, {"x", 0, 1, "", ""},
	} {
		if got := edit.Apart([]byte(c.src), c.start, c.end, c.text); got != c.want {
			t.Errorf("%q in place of %q of %q: %q, want %q", c.text, c.src[c.start:c.end], c.src, got, c.want)
		}
	}
}

// What is the same in two places of a function differs in its id, and lines above change none (M15).
func TestIDs(t *testing.T) {
	make := func(src string, at ...int) (ids []string) {
		f := edit.New("a.x", []byte(src))
		for _, i := range at {
			ids = append(ids, f.Add(edit.Fault{Operator: "boundary", Start: i, End: i + 1, Text: "<=", Func: "f", Context: "a < b"}))
		}
		return ids
	}
	first := make("a < b\na < b\n", 2, 8)
	moved := make("\n\na < b\n\na < b\n", 4, 11)
	if first[0] == first[1] || first[0] != moved[0] || first[1] != moved[1] {
		t.Errorf("%v and %v", first, moved)
	}
}

func TestPlaces(t *testing.T) {
	f := edit.New("a.x", []byte("ab\ncd\n\nef"))
	for at, want := range map[int][2]int{0: {1, 1}, 2: {1, 3}, 3: {2, 1}, 6: {3, 1}, 8: {4, 2}} {
		if line, col := f.Position(at); line != want[0] || col != want[1] {
			t.Errorf("byte %d is at %d:%d, want %v", at, line, col, want)
		}
	}
	f.Add(edit.Fault{Operator: "b", Start: 7, End: 9})
	f.Add(edit.Fault{Operator: "a", Start: 3, End: 4, From: 0, To: 5})
	if ms := f.Mutants(); ms[0].Operator != "a" || ms[0].Line != 1 || ms[0].EndLine != 2 || ms[1].Line != 4 {
		t.Errorf("%+v", ms)
	}
}
