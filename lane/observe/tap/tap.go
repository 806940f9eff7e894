package tap

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/vallane/lane/lane/observe"
)

// maxOutput is how much of a command's output is read, in bytes.
const maxOutput = 16 << 20

// Reporter reads TAP. The zero value is ready.
type Reporter struct{}

// Name is "tap".
func (Reporter) Name() string { return "tap" }

// Class is Forgeable.
func (Reporter) Class() observe.Class { return observe.Forgeable }

// Claims reports whether argv is plainly a program that prints TAP.
func (Reporter) Claims(argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	name := argv[0][strings.LastIndexByte(argv[0], '/')+1:]
	return name == "tape" || name == "bats" && (contains(argv, "--tap") || contains(argv, "-t"))
}

func contains(argv []string, flag string) bool {
	for _, a := range argv {
		if a == flag {
			return true
		}
	}
	return false
}

// Instrument plans one run: the command as it is. It ends when it ends, also where it may stop at the first failure.
func (Reporter) Instrument(r observe.Request) (observe.Plan, error) {
	if r.Select != nil {
		return observe.Plan{}, fmt.Errorf("plan %s: what prints TAP is not known, so that no test of it can be selected", strings.Join(r.Argv, " "))
	}
	unit := r.Name
	if unit == "" {
		unit = strings.Join(r.Argv, " ")
	}
	p := observe.Plan{
		Argv: r.Argv, Class: observe.Forgeable, Output: maxOutput,
		Read: func(left observe.Remains) (observe.Report, error) { return read(unit, left) },
	}
	p.SetNaming(func(_, test string) string { return test }, func(string) string { return "" })
	return p, nil
}

func read(unit string, left observe.Remains) (observe.Report, error) {
	if left.Cut {
		return observe.Report{}, unparsed("the command printed more than %d MiB", maxOutput>>20)
	}
	res := parse(left.Output)
	ended := left.End.Exited && left.End.Code == 0
	switch {
	case res.lines == 0 && ended && len(bytes.TrimSpace(left.Output)) > 0:
		return observe.Report{}, unparsed("nothing that the command printed is TAP")
	case res.lines == 0:
		detail := "the command printed no TAP"
		if left.End.Exited && left.End.Code != 0 {
			detail += fmt.Sprintf(", and ended with exit status %d", left.End.Code)
		}
		return observe.Report{Detail: detail}, nil
	case !res.planned && ended:
		return observe.Report{}, unparsed("there is no plan (a line such as 1..4), so that missing tests would not show")
	case !res.planned && res.broken == "":
		res.broken = "there is no plan"
	}
	if len(res.tests) == 0 {
		return observe.Report{Detail: res.broken}, nil
	}
	return observe.Report{Units: []observe.UnitReport{{ID: unit, Tests: res.tests, Broken: res.broken != ""}}, Detail: res.broken}, nil
}

func unparsed(format string, args ...any) error {
	return &observe.Unparsed{Reporter: "tap", What: fmt.Sprintf(format, args...),
		Advice: "make the command print TAP on its standard output, or name another reporter"}
}

// Match reports whether a pattern names the test with this id: the id, its end after any " > ", or the name of what holds it.
func (Reporter) Match(pattern, id string) bool {
	pattern = strings.Join(strings.Fields(pattern), " ")
	return pattern == id || strings.HasSuffix(id, separator+pattern) || strings.HasPrefix(id, pattern+separator)
}

var _ observe.Reporter = Reporter{}
