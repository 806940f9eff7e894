package observe

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
)

// Remains are what is left of a run once its last process is gone.
type Remains struct {
	End    End
	Output []byte            // standard output, at most as many bytes as the plan asked for
	Cut    bool              // there was more of it
	Files  map[string][]byte // by the paths that the plan asked for
	Why    map[string]string // per path that is missing from Files, why
}

// A Report is what a command says of its own tests. The code under test may have written it.
type Report struct {
	Units  []UnitReport
	Detail string // for a person: why it says less than it might
}

// A UnitReport is what a report says of one unit.
type UnitReport struct {
	ID     string
	Tests  []Outcome // in any order; a test that comes several times ran several times
	Broken bool      // the report breaks off in it
}

// An Outcome is what a report says of one run of one test.
type Outcome struct {
	Name     string
	Status   Status // Passed, Skipped or Failed
	Message  string // what it said where it did not pass
	Duration time.Duration
}

// Replay feeds a report to the collector, as the records that a reporter in the process would have sent. All bounds of a
// collector hold.
func (c *Collector) Replay(r Report) {
	for i, u := range r.Units {
		c.replay(i+1, u)
	}
}

func (c *Collector) replay(process int, u UnitReport) {
	n := 0
	u.ID = fit(u.ID)
	for i := range u.Tests {
		u.Tests[i].Name = fit(u.Tests[i].Name)
	}
	send := func(rec record) {
		n++
		rec.Version, rec.Process, rec.Number, rec.Unit = 1, process, n, u.ID
		if b, err := json.Marshal(rec); err == nil {
			c.Feed(b)
		}
	}
	runs, most := make(map[string]int), 1
	for _, t := range u.Tests {
		runs[t.Name]++
		most = max(most, runs[t.Name])
	}
	send(record{Event: evBegin, Runs: most, Listed: len(runs)})
	for _, t := range u.Tests {
		if runs[t.Name] > 0 {
			send(record{Event: evList, Tests: []string{t.Name}})
			runs[t.Name] = 0
		}
	}
	code := 0
	for _, t := range u.Tests {
		send(record{Event: evStart, Test: t.Name})
		send(record{Event: evFinish, Test: t.Name, Status: t.Status, Nanos: max(0, t.Duration.Nanoseconds()), Message: brief(t.Message)})
		if t.Status == Failed {
			code = 1
		}
	}
	if !u.Broken {
		send(record{Event: evEnd, Code: code, Started: len(u.Tests)})
	}
}

// fit makes a name one that records can hold. Names that are too long stay apart by their digest.
func fit(name string) string {
	const most = 1000
	name = strings.ToValidUTF8(name, "\uFFFD")
	switch {
	case name == "":
		return "(unnamed)"
	case len(name) <= most:
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return strings.ToValidUTF8(name[:most-20], "") + "… " + hex.EncodeToString(sum[:6])
}

// brief keeps a message short enough for a record, whatever its bytes become as JSON.
func brief(s string) string {
	const most = 8 << 10
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}
