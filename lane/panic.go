package lane

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
)

// panicked is a panic in Lane's own code, on its way to the verdict that says so.
type panicked struct {
	value any
	stack string
}

func (p *panicked) Error() string {
	what, _, _ := strings.Cut(fmt.Sprint(p.value), "\n") // what follows is a stack, which is the ledger's
	return "internal fault: " + what + "; please report it with the ledger of this run"
}

// guarded makes an error of a panic in do, so that a fault of Lane's own loses no verdict and stops no other spec. Every
// goroutine of a check runs through it: a panic in one cannot be caught anywhere else.
func guarded(do func() error) func() error {
	return func() (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = &panicked{v, string(debug.Stack())}
			}
		}()
		return do()
	}
}

// fault records a panic, with the stack in the ledger alone.
func (j *job) fault(err error) bool {
	var p *panicked
	if !errors.As(err, &p) {
		return false
	}
	j.evidence.Stop.Fault = p.Error()
	j.journal.Event("panic", map[string]any{"value": fmt.Sprint(p.value), "stack": p.stack})
	return true
}
