package gotest

import (
	"regexp"
	"strings"
)

// A filter is what -run and -skip of a command let run. Code under test may change either before the tests begin; what
// the command asked for is known all the same.
type filter struct {
	run, skip *regexp.Regexp // nil where the flag is not given
	unknown   bool           // the flags say more than a pattern for whole tests
}

// filterOf reads the filter of a go test command.
func filterOf(argv []string) filter {
	c, ok := parseCommand(argv)
	if !ok {
		return filter{unknown: true}
	}
	f := filter{}
	for _, name := range []string{"list", "fuzz"} {
		if v, _ := c.flag(name); v != "" {
			f.unknown = true
		}
	}
	for name, to := range map[string]**regexp.Regexp{"run": &f.run, "skip": &f.skip} {
		v, _ := c.flag(name)
		if v == "" {
			continue
		}
		var err error
		*to, err = regexp.Compile(v)
		f.unknown = f.unknown || err != nil || strings.Contains(v, "/")
	}
	for _, w := range c.words {
		f.unknown = f.unknown || w.kind == wordRest // what the test binary gets may be a filter too
	}
	return f
}

// surely returns the names that the filter is known to let run.
func (f filter) surely(names []string) []string {
	if f.unknown {
		return nil
	}
	var asked []string
	for _, n := range names {
		if (f.run == nil || f.run.MatchString(n)) && (f.skip == nil || !f.skip.MatchString(n)) {
			asked = append(asked, n)
		}
	}
	return asked
}
