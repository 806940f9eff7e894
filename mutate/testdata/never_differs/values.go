// Package values has expressions whose mutants make another value of them only sometimes, and tests that see few of those times.
package values

import (
	"errors"
	"sync"
	"time"
)

type size int

type box struct {
	n    int
	next *box
}

var errNone = errors.New("none")

func boundary(n int) bool { return n < 10 }

func length(s string) string {
	if len(s) > 3 {
		return "long"
	}
	return "short"
}

func sum(a, b int) int { return a + b }

func area(w, h size) size { return w * h }

func ratio(a, b int) int { return a / b }

func negative(n int) int { return -n }

func together(a, b bool) bool { return a && b }

func either(a, b int) bool {
	return a > 0 ||
		b > 0
}

func first(b *box) int {
	if b != nil && b.n > 0 {
		return b.n
	}
	return 0
}

// depth fails for no box; what it was about to compare is begun and never ended.
func depth(b *box) (n int, err error) {
	defer func() {
		if recover() != nil {
			err = errNone
		}
	}()
	if b.n > 100 {
		return 100, nil
	}
	return b.n, nil
}

func counted(calls *int) int {
	*calls++
	return *calls
}

// noisy has a call where a mutant has none.
func noisy(calls *int) string {
	if counted(calls) > 0 {
		return "called"
	}
	return "not called"
}

func wait(d time.Duration) bool { return d >= time.Second }

func concurrently(limit int) int {
	var mu sync.Mutex
	var group sync.WaitGroup
	over := 0
	for i := 0; i < 100; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			if i > limit {
				mu.Lock()
				over++
				mu.Unlock()
			}
		}(i)
	}
	group.Wait()
	return over
}
