package observe

import (
	"fmt"
	"sync"
)

// What a collector keeps at most; beyond that records are counted as lost.
const (
	maxTests    = 200_000
	maxUnits    = 10_000
	maxProblems = 100
	maxAttempts = 64
	maxMessage  = 32 << 10 // bytes per test
	maxMessages = 32 << 20 // bytes per session
)

// Options of a collector. The zero value takes any unit and joins ids as "unit.test".
type Options struct {
	Join        func(unit, test string) string // nil: unit + "." + test
	Parent      func(test string) string       // name of the test that a test is a part of; nil: tests have no parts
	Expect      []string                       // units that should report
	ExpectKnown bool                           // Expect is complete
	Source      map[string][]string            // per unit, names of the top-level tests that its source holds
	Asked       map[string][]string            // those names of Source that the command's own filter is known to let run
	Canaries    []Canary
}

// A Collector takes the records of one run. It may be fed from one goroutine while others ask for the session.
type Collector struct {
	opts     Options
	canaries map[string]bool

	mu        sync.Mutex
	records   int
	lost      bool
	problems  []string
	unsaid    int // problems beyond maxProblems
	units     map[string]*unitState
	processes map[processKey]*processState
	tests     map[string]*testState
	names     int // listed names kept
	spent     int // message bytes kept
}

type processKey struct {
	unit string
	id   int
}

// processState follows the records of one process of the runner.
type processState struct {
	unit   *unitState
	id     int
	next   int  // number of the record that should come next
	active bool // between begin and end

	runs    int  // how often each test may run until the end
	due     int  // names that lists have still to bring
	late    bool // how many names lists bring is only said at the end
	listed  map[string]bool
	started int
	ran     map[string]int
	open    map[string]*testState
}

type unitState struct {
	Unit
	ended  int // processes that ended and did not begin again
	listed map[string]bool
	left   map[string]bool
	ran    map[string]bool // top-level tests that began
}

type testState struct {
	Test
	canary bool
	fresh  Status // the run that is open: "" or Failed
	opens  int    // processes in which a run is open
}

// NewCollector returns a collector for one run.
func NewCollector(o Options) *Collector {
	if o.Join == nil {
		o.Join = func(unit, test string) string { return unit + "." + test }
	}
	if o.Parent == nil {
		o.Parent = func(string) string { return "" }
	}
	c := &Collector{
		opts:      o,
		canaries:  make(map[string]bool),
		units:     make(map[string]*unitState),
		processes: make(map[processKey]*processState),
		tests:     make(map[string]*testState),
	}
	for _, k := range o.Canaries {
		c.canaries[k.ID] = true
	}
	for _, id := range o.Expect {
		if u := c.unit(id); u != nil {
			u.Expected = true
		}
	}
	return c
}

// Feed takes one record as it came from the channel. It never fails: what it cannot use becomes a problem of the session.
func (c *Collector) Feed(b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.records++
	r, err := decode(b)
	if err != nil {
		c.problem("record %d is %v: %s", c.records, err, clip(string(b[:min(len(b), 400)])))
		return
	}
	p, current := c.process(r)
	if p == nil {
		return
	}
	c.apply(p, r, current)
}

// Lose says that the channel dropped records.
func (c *Collector) Lose() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost = true
}

// Done reports whether everything that was expected has begun and ended, so that no more tests should come. It is false where
// the expected units are not known. A process may begin again all the same, if rarely: give it some seconds before ending it.
func (c *Collector) Done() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.opts.ExpectKnown {
		return false
	}
	for _, p := range c.processes {
		if p.active {
			return false
		}
	}
	began := false
	for _, u := range c.units {
		if u.Silent() {
			return false
		}
		began = began || u.Started
	}
	return began
}

func (c *Collector) problem(format string, args ...any) {
	if len(c.problems) >= maxProblems {
		c.unsaid++
		return
	}
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// overflow says that a bound was met. Nothing is known of what came beyond it.
func (c *Collector) overflow(what string, most int) {
	c.lost = true
	c.problem("more than %d %s", most, what)
}

func (c *Collector) unit(id string) *unitState {
	u := c.units[id]
	if u == nil {
		if len(c.units) >= maxUnits {
			c.overflow("units", maxUnits)
			return nil
		}
		u = &unitState{Unit: Unit{ID: id}, listed: make(map[string]bool), left: make(map[string]bool), ran: make(map[string]bool)}
		c.units[id] = u
	}
	return u
}

// process finds the sender of a record and checks the record's number. current is false for a record that cannot be next: of those
// only bad news counts.
func (c *Collector) process(r record) (p *processState, current bool) {
	key := processKey{r.Unit, r.Process}
	p = c.processes[key]
	if p != nil && r.Event == evBegin && r.Number == 1 {
		if p.active {
			c.problem("%s: process %d begins a second time without an end", clip(r.Unit), r.Process)
		}
		p.close()
		p = nil
	}
	if p == nil {
		u := c.unit(r.Unit)
		if u == nil {
			return nil, false
		}
		if len(c.processes) >= 2*maxUnits {
			c.overflow("processes", 2*maxUnits)
			return nil, false
		}
		p = &processState{unit: u, id: r.Process, next: 1}
		c.processes[key] = p
		u.Started = true
		u.Processes++
	}
	switch {
	case r.Number == p.next:
		p.next++
		return p, true
	case r.Number > p.next:
		c.lost = true
		c.problem("%s: records %d to %d of process %d are missing", clip(r.Unit), p.next, r.Number-1, r.Process)
		p.next = r.Number + 1
		return p, true
	}
	c.problem("%s: record %d of process %d came twice or too late", clip(r.Unit), r.Number, r.Process)
	return p, false
}

// close ends every run that is still open as unfinished.
func (p *processState) close() {
	for _, t := range p.open {
		t.opens--
		t.attempt(Unfinished)
	}
	p.open = nil
	p.active = false
}
