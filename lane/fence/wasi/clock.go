package wasi

import (
	"math"
	"time"

	"github.com/tetratelabs/wazero/sys"
)

// tick is what one reading of the clock takes: code that waits by reading it gets on.
const tick = time.Microsecond

// A clock is moved by who reads it and by who sleeps, and by nothing else.
type clock struct {
	start time.Time
	spent time.Duration // since start
}

// pass moves the clock, which stops at the end of all time rather than run backwards.
func (c *clock) pass(d time.Duration) time.Duration {
	if d > 0 {
		c.spent = min(c.spent, math.MaxInt64/4) + min(d, math.MaxInt64/4)
	}
	return c.spent
}

func (c *clock) now() time.Time { return c.start.Add(c.spent) }

// wall is the time of day.
func (c *clock) wall() (sec int64, nsec int32) {
	c.pass(tick)
	t := c.now()
	return t.Unix(), int32(t.Nanosecond())
}

// mono is the time since some moment, never zero.
func (c *clock) mono() int64 { return int64(c.pass(tick)) }

func (c *clock) sleep(ns int64) { c.pass(time.Duration(ns)) }

var _ sys.Walltime = (*clock)(nil).wall
