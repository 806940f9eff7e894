package fence

import "io"

// A Capture keeps what a command prints as a run in a box does: within the bounds that the Command names, and with its copies. It is for
// fences of other packages.
type Capture struct {
	out   output
	tails [2]tail
}

// NewCapture makes the capture of one run. tooMuch is called once, when the two streams have brought more than limit bytes; a limit of
// 0 is none.
func NewCapture(c *Command, limit int64, tooMuch func()) *Capture {
	k := &Capture{out: output{log: c.Log, logRoom: c.LogLimit, limit: limit, tooMuch: tooMuch, live: [2]io.Writer{c.Stdout, c.Stderr}}}
	if c.LogLimit <= 0 {
		k.out.logRoom = 64 * mib
	}
	for i := range k.tails {
		if k.tails[i].limit = c.TailLimit; c.TailLimit <= 0 {
			k.tails[i].limit = 64 << 10
		}
	}
	return k
}

// Stdout is where the command's standard output goes, Stderr its standard error. They may be written to side by side.
func (k *Capture) Stdout() io.Writer { return captured{k, 0} }

// Stderr is where the command's standard error goes.
func (k *Capture) Stderr() io.Writer { return captured{k, 1} }

// Fill puts what was kept into a result. Nothing may be written any more.
func (k *Capture) Fill(r *Result) {
	r.Stdout, r.Stderr = k.tails[0].result(), k.tails[1].result()
	r.LogCut = k.out.logCut
	if k.out.logErr != nil {
		r.LogError = k.out.logErr.Error()
	}
}

type captured struct {
	k      *Capture
	stream int
}

func (c captured) Write(p []byte) (int, error) {
	c.k.out.keep(c.stream, &c.k.tails[c.stream], p)
	return len(p), nil
}

// WithDefaults returns the limits with every default filled in; 0 then means no limit.
func (l Limits) WithDefaults() Limits { return l.withDefaults() }
