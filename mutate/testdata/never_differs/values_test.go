package values

import (
	"testing"
	"time"
)

func check(t *testing.T, ok bool) {
	t.Helper()
	if !ok {
		t.Error("wrong")
	}
}

func TestBoundary(t *testing.T) { check(t, boundary(3) && !boundary(30)) }

func TestLength(t *testing.T) { check(t, length("a") == "short" && length("abcdef") == "long") }

func TestSum(t *testing.T) { check(t, sum(7, 0) == 7) }

func TestArea(t *testing.T) { check(t, area(5, 1) == 5) }

func TestRatio(t *testing.T) {
	defer func() { check(t, recover() != nil) }()
	check(t, ratio(4, 1) == 4)
	ratio(4, 0)
}

func TestNegative(t *testing.T) { check(t, negative(0) == 0) }

func TestTogether(t *testing.T) { check(t, together(true, true) && !together(false, false)) }

func TestEither(t *testing.T) { check(t, either(1, 1) && !either(0, 0)) }

func TestFirst(t *testing.T) { check(t, first(&box{n: 2}) == 2) }

func TestDepth(t *testing.T) {
	n, err := depth(&box{n: 7})
	check(t, n == 7 && err == nil)
	_, err = depth(nil)
	check(t, err == errNone)
}

func TestNoisy(t *testing.T) {
	calls := 0
	check(t, noisy(&calls) == "called" && calls == 1)
}

func TestWait(t *testing.T) { check(t, wait(time.Minute) && !wait(0)) }

func TestConcurrently(t *testing.T) { check(t, concurrently(1000) == 0) }
