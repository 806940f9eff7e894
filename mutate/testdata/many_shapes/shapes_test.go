package shapes

import (
	"os"
	"testing"
)

// What the switch says was read before this (M11).
func TestMain(m *testing.M) {
	os.Clearenv()
	os.Exit(m.Run())
}

func TestStart(t *testing.T) {
	if start != 42 || !ready {
		t.Error(start, ready)
	}
}

func TestLargest(t *testing.T) {
	if x, err := largest(1, 3, 2); x != 3 || err != nil {
		t.Error(x, err)
	}
	if _, err := largest[int](); err == nil {
		t.Error("no error")
	}
}

func TestStack(t *testing.T) {
	var s stack[string]
	s.push("a")
	if x, ok := s.pop(); x != "a" || !ok {
		t.Error(x, ok)
	}
	if _, ok := s.pop(); ok {
		t.Error("not empty")
	}
}

func TestGuarded(t *testing.T) {
	if err := guarded(func() { panic("x") }); err == nil || err.Error() != "recovered: x" {
		t.Error(err)
	}
}

func TestKind(t *testing.T) {
	for x, want := range map[any]string{-1: "negative", 1: "int", "ab": "string of 2", 1.5: "other"} {
		if got := kind(x); got != want {
			t.Error(got, want)
		}
	}
}

func TestLine(t *testing.T) {
	if n := line(); n != 77 {
		t.Error(n)
	}
}

func TestGrid(t *testing.T) {
	if n := grid(5); n != 24 {
		t.Error(n)
	}
}

func TestTotal(t *testing.T) {
	if n := total([]int{1, 2}); n != 3 {
		t.Error(n)
	}
}

func TestLog(t *testing.T) {
	var to []string
	log(&to, "x")
	if len(to) != 1 {
		t.Error(to)
	}
}

func TestName(t *testing.T) {
	if s := name(); s != "shapes.local 3" {
		t.Error(s)
	}
}

func TestUnsure(t *testing.T) {
	if s := unsure(make(chan bool), 2); s != "not even" {
		t.Error(s)
	}
}

func TestValues(t *testing.T) {
	if !Loud || width != 40 || paint != 4 || sizes[2] != 12 || len(sizes) != 3 || area != 1000 || where != 137 {
		t.Error(Loud, width, paint, sizes, area, where)
	}
}
