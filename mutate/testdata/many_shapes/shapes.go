// Package shapes has functions of every shape that a switch has to hold.
package shapes

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

var start = double(21) // runs before any init

func double(n int) int { return n * 2 }

func init() {
	if start == 42 {
		ready = true
	}
}

var ready bool

type number interface{ ~int | ~float64 }

func largest[T number](list ...T) (max T, err error) {
	if len(list) == 0 {
		err = errors.New("none")
		return
	}
	max = list[0]
	for _, x := range list[1:] {
		if x > max {
			max = x
		}
	}
	return
}

type stack[T any] struct{ items []T }

func (s *stack[T]) push(x T) { s.items = append(s.items, x) }

func (s *stack[T]) pop() (x T, ok bool) {
	n := len(s.items)
	if n == 0 {
		return x, false
	}
	x, s.items = s.items[n-1], s.items[:n-1]
	return x, true
}

func guarded(f func()) (err error) { // recovers in a deferred function
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("recovered: %v", v)
		}
	}()
	f()
	return nil
}

func kind(x any) string {
	switch x := x.(type) {
	case int:
		if x < 0 {
			return "negative"
		}
		return "int"
	case string:
		return "string of " + fmt.Sprint(len(x))
	default:
		return "other"
	}
}

func line() int {
	_, file, line, _ := runtime.Caller(0) // the test knows this line
	if !strings.HasSuffix(file, "/shapes.go") {
		return -1
	}
	return line
}

func grid(n int) (found int) {
outer:
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			if i*j > 6 {
				found = i*10 + j
				break outer
			}
		}
	}
	return found
}

func total(list []int) int {
	x := 0
	add := func(n int) { x += n }
	for _, n := range list {
		add(n)
	}
	return x
}

func log(to *[]string, s string) { *to = append(*to, s) }

func name() string {
	type local struct{ a, b int }
	x := local{1, 2}
	return fmt.Sprintf("%T %d", x, x.a+x.b)
}

func unsure(done chan bool, n int) (s string) {
	select {
	case <-done:
		s = "done"
	default:
		s = "not"
	}
	if n&1 == 0 && n != 4 || n > 8 {
		s += " even"
	}
	return
}

type colour uint8

// Values that variables have from the start.
var (
	Loud                 = true
	width, height        = 40, 30 - 5
	paint         colour = 3 + 1
	sizes                = []int{1, 2,
		3 * 4}
	area  = width * height // depends on others
	where = place()        // says on which line it was called
)

func place() int {
	_, _, line, _ := runtime.Caller(1)
	return line
}
