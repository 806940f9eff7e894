package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/vallane/lane/lane"
)

// progress shows the events of a check: one live line on a terminal, plain lines in a log.
type progress struct {
	out   *printer
	quiet bool
	many  bool // several specs: name the spec on each line
	start time.Time

	mu    sync.Mutex
	phase map[string]string
	next  time.Time
}

func newProgress(out *printer, quiet, many bool) *progress {
	return &progress{out: out, quiet: quiet, many: many, start: time.Now(), phase: map[string]string{}}
}

// show draws one event. Survivors and faults are lines of their own everywhere; counting goes to
// the live line, and in a log to a line each ten seconds.
func (p *progress) show(e lane.Event) {
	if p.quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	text := p.text(e)
	entered := p.phase[e.Spec] != e.Phase
	p.phase[e.Spec] = e.Phase
	switch {
	case e.Important:
		p.out.say("%s", text)
	case p.out.live:
		p.out.redraw(text)
	case entered || time.Now().After(p.next):
		p.out.say("%s", text)
		p.next = time.Now().Add(10 * time.Second)
	}
}

func (p *progress) text(e lane.Event) string {
	s := fmt.Sprintf("%5.1fs  %-8s ", time.Since(p.start).Seconds(), e.Phase)
	if p.many {
		s += e.Spec + ": "
	}
	if e.Total > 0 {
		s += fmt.Sprintf("%d of %d ", e.Done, e.Total)
	}
	return s + e.Text
}
