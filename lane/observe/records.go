package observe

import (
	"strings"
	"time"
)

func (c *Collector) apply(p *processState, r record, current bool) {
	switch r.Event {
	case evStart:
		if current {
			c.start(p, r)
		}
		return
	case evFail:
		c.fail(p, r)
		return
	case evFinish:
		c.finish(p, r, current)
		return
	}
	if !current {
		return
	}
	switch r.Event {
	case evBegin:
		c.begin(p, r)
	case evList:
		c.list(p, r)
	case evTimeout:
		c.timeout(p, r)
	case evEnd:
		c.end(p, r)
	}
}

func (c *Collector) begin(p *processState, r record) {
	if p.active {
		c.problem("%s: process %d begins a second time without an end", clip(r.Unit), r.Process)
		p.close()
	}
	if r.Number > 1 {
		p.unit.ended--
	}
	p.active = true
	p.runs = r.Runs
	p.due, p.late = r.Listed, r.Late
	p.listed = make(map[string]bool)
	p.ran = make(map[string]int)
	p.open = make(map[string]*testState)
	p.started = 0
	p.unit.FailFast = p.unit.FailFast || r.FailFast
}

func (c *Collector) list(p *processState, r record) {
	if !p.active {
		c.problem("%s: a list outside of a run", clip(r.Unit))
		return
	}
	for _, name := range append(r.Tests, r.Left...) {
		if len(name) > maxName {
			c.problem("%s: a listed name is too long", clip(r.Unit))
			return
		}
	}
	if c.names += len(r.Tests) + len(r.Left); c.names > maxTests {
		c.overflow("listed names", maxTests)
		return
	}
	p.due -= len(r.Tests)
	for _, name := range r.Tests {
		p.listed[name] = true
		p.unit.listed[name] = true
	}
	for _, name := range r.Left {
		p.unit.left[name] = true
	}
}

func (c *Collector) timeout(p *processState, r record) {
	p.unit.TimedOut = true
	for _, t := range p.open {
		c.say(t, r.Message)
	}
}

func (c *Collector) end(p *processState, r record) {
	if !p.active {
		c.problem("%s: process %d ends without a begin, or twice", clip(r.Unit), r.Process)
		return
	}
	if p.late {
		p.due += r.Listed
	}
	if p.due != 0 {
		c.lost = true
		c.problem("%s: %d listed tests were not named", clip(r.Unit), p.due)
	}
	if r.Started != p.started {
		c.lost = true
		c.problem("%s: process %d says that %d tests began, %d were heard", clip(r.Unit), r.Process, r.Started, p.started)
	}
	for name := range p.open {
		c.problem("%s: the run ended while %s was running", clip(r.Unit), clip(name))
	}
	p.close()
	p.unit.ended++
	p.unit.Exit = max(p.unit.Exit, r.Code)
}

// top is the name of the test that a test is in the end a part of.
func (c *Collector) top(name string) string {
	for range maxName {
		up := c.opts.Parent(name)
		if up == "" || up == name {
			break
		}
		name = up
	}
	return name
}

func (c *Collector) test(unit, name string) *testState {
	id := c.opts.Join(unit, name)
	t := c.tests[id]
	if t == nil {
		if len(c.tests) >= maxTests {
			c.overflow("tests", maxTests)
			return nil
		}
		t = &testState{Test: Test{ID: id, Unit: unit, Name: name}, canary: c.canaries[c.opts.Join(unit, c.top(name))]}
		if up := c.opts.Parent(name); up != "" {
			t.Parent = c.opts.Join(unit, up)
		}
		c.tests[id] = t
	}
	return t
}

func (c *Collector) start(p *processState, r record) {
	if !p.active {
		c.problem("%s: %s began outside of a run", clip(r.Unit), clip(r.Test))
		return
	}
	t := c.test(r.Unit, r.Test)
	if t == nil {
		return
	}
	p.started++
	top := c.top(r.Test)
	if !p.listed[top] {
		c.problem("%s: %s began and was not listed", clip(r.Unit), clip(r.Test))
	}
	if p.open[r.Test] != nil {
		c.problem("%s: %s began while it was running", clip(r.Unit), clip(r.Test))
		return
	}
	if p.ran[r.Test]++; p.ran[r.Test] > p.runs {
		c.problem("%s: %s began %d times in a run that asked for %d", clip(r.Unit), clip(r.Test), p.ran[r.Test], p.runs)
	}
	if top != r.Test && p.open[top] == nil {
		c.problem("%s: %s began outside of the test that it is a part of", clip(r.Unit), clip(r.Test))
	}
	p.open[r.Test] = t
	p.unit.ran[top] = true
	t.Runs++
	t.opens++
}

func (c *Collector) fail(p *processState, r record) {
	t := c.test(r.Unit, r.Test)
	if t == nil {
		return
	}
	c.say(t, r.Message)
	if p.open[r.Test] != t {
		c.problem("%s: %s failed while it was not running", clip(r.Unit), clip(r.Test))
		t.attempt(Failed)
		return
	}
	t.fresh = Failed
}

func (c *Collector) finish(p *processState, r record, current bool) {
	t := p.open[r.Test]
	if t == nil {
		c.problem("%s: %s ended as %s while it was not running", clip(r.Unit), clip(r.Test), r.Status)
		if r.Status != Failed {
			return // good news from nowhere is no news
		}
		if t = c.test(r.Unit, r.Test); t != nil {
			c.say(t, r.Message)
			t.attempt(Failed)
		}
		return
	}
	if r.Status != Passed {
		c.say(t, r.Message)
	}
	if !current {
		if r.Status == Failed {
			t.fresh = Failed
		}
		return
	}
	for part := range p.open {
		if part != r.Test && strings.HasPrefix(part, r.Test) && c.within(part, r.Test) {
			c.problem("%s: %s ended before its part %s", clip(r.Unit), clip(r.Test), clip(part))
		}
	}
	if t.fresh == Failed && r.Status != Failed {
		c.problem("%s: %s failed and then ended as %s", clip(r.Unit), clip(r.Test), r.Status)
	}
	delete(p.open, r.Test)
	t.opens--
	t.Duration += time.Duration(min(r.Nanos, int64(24*time.Hour)))
	t.attempt(r.Status)
}

// within reports whether the test named part is a part, of a part, of the test named whole.
func (c *Collector) within(part, whole string) bool {
	for range maxName {
		up := c.opts.Parent(part)
		if up == "" || up == part {
			return false
		}
		if up == whole {
			return true
		}
		part = up
	}
	return false
}

// say keeps what a test said, within bounds.
func (c *Collector) say(t *testState, text string) {
	if text == "" {
		return
	}
	room := min(maxMessage-len(t.Message), maxMessages-c.spent)
	if room <= 0 {
		return
	}
	if t.Message != "" {
		text = "\n" + text
	}
	if len(text) > room {
		text = text[:room]
	}
	text = strings.TrimRight(strings.ToValidUTF8(text, ""), "\n")
	c.spent += len(text)
	t.Message += text
}

// attempt closes one run of a test.
func (t *testState) attempt(s Status) {
	if t.fresh.worse(s) {
		s = t.fresh
	}
	if t.Status == "" || s.worse(t.Status) {
		t.Status = s
	}
	if len(t.Attempts) < maxAttempts {
		t.Attempts = append(t.Attempts, s)
	}
	t.fresh = ""
}
