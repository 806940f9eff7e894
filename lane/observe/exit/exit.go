// Package exit lets any command be a test: one test, named as its task, that passes where the exit status is 0.
//
// It is the weakest of Lane's reporters, and of the forgeable class: the code under test decides the exit status. That such
// a command can say no at all is shown by the mutants that it kills, and by nothing else.
package exit

import (
	"fmt"
	"strings"

	"github.com/vallane/lane/lane/observe"
)

// Reporter judges a command by its exit status. The zero value is ready.
type Reporter struct{}

// Name is "exit".
func (Reporter) Name() string { return "exit" }

// Class is Forgeable.
func (Reporter) Class() observe.Class { return observe.Forgeable }

// Claims is never true: any command has an exit status, so nothing is plainly one for it.
func (Reporter) Claims([]string) bool { return false }

// Match reports whether a pattern is the test's id.
func (Reporter) Match(pattern, id string) bool { return pattern == id }

// Instrument plans one run: the command as it is. It ends when it ends, also where it may stop at the first failure.
func (Reporter) Instrument(r observe.Request) (observe.Plan, error) {
	if r.Select != nil {
		return observe.Plan{}, fmt.Errorf("plan %s: a command that is one test has none to select", strings.Join(r.Argv, " "))
	}
	name := r.Name
	if name == "" {
		name = strings.Join(r.Argv, " ")
	}
	p := observe.Plan{
		Argv: r.Argv, Class: observe.Forgeable, Expected: []string{name}, Known: true,
		Read: func(left observe.Remains) (observe.Report, error) { return read(name, left.End), nil },
	}
	p.SetNaming(func(unit, _ string) string { return unit }, func(string) string { return "" })
	return p, nil
}

// read makes the report. A command that did not exit by itself breaks off: what ended it is known from outside.
func read(name string, end observe.End) observe.Report {
	u := observe.UnitReport{ID: name, Broken: !end.Exited}
	test := observe.Outcome{Name: name, Status: observe.Failed}
	switch {
	case !end.Exited:
		test.Message = "it did not exit by itself"
	case end.Code == 0:
		test.Status = observe.Passed
	default:
		test.Message = fmt.Sprintf("exit status %d", end.Code)
	}
	u.Tests = []observe.Outcome{test}
	return observe.Report{Units: []observe.UnitReport{u}}
}

var _ observe.Reporter = Reporter{}
