package tap

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/observe"
)

// A story is one text, and what it must be read as.
type story struct {
	name string
	text string
	exit int

	tests    string // "id=status", with ×N where it ran N times; sorted by id, joined by "; "
	open     bool   // the session has no end
	unparsed string // or: what cannot be counted
	kinds    string
}

var stories = []story{
	{name: "version 12", text: "1..3\nok 1 - input opened\nnot ok 2 - first line\nok 3\n", exit: 1, tests: "first line=failed; input opened=passed; test 3=passed"},
	{name: "plan at the end", text: "TAP version 13\nok 1 a\nok 2 b\n1..2\n# tests 2\n# pass  2\n", tests: "a=passed; b=passed"},
	{name: "skip and todo", exit: 0, text: "1..5\nok 1 - a # SKIP no network\nnot ok 2 - b # TODO later\nok 3 - c # todo\nok 4 - \\# d # skipped: x\nok 5 - not # skipping\n",
		tests: "# d=skipped; a=skipped; b=skipped; c=skipped; not=skipped"},
	{name: "a failure stays one although it is marked as skipped", exit: 1, text: "1..1\nnot ok 1 - a # SKIP\n", tests: "a=failed"},
	{name: "details", exit: 1, text: "TAP version 13\nnot ok 1 a\n  ---\n  operator: equal\n  ok 2 - inner\n  ...\nok 2 b\n1..2\n", tests: "a=failed; b=passed"},
	{name: "subtests of version 14", exit: 1, text: "TAP version 14\n1..2\n# Subtest: cart\n    1..2\n    ok 1 - total\n    # Subtest: tax\n        ok 1 - zero\n        1..1\n    not ok 2 - tax\nnot ok 1 - cart\nok 2 - alone\n",
		tests: "alone=passed; cart=failed; cart > tax=failed; cart > tax > zero=passed; cart > total=passed"},
	{name: "tape", exit: 1, text: "TAP version 13\n# parse args\nok 1 should be equal\nok 2 should be equal\n# short flags\nnot ok 3 should be equal\n  ---\n    operator: equal\n  ...\n\n1..3\n# tests 3\n# pass  2\n# fail  1\n",
		tests: "parse args > should be equal=passed×2; short flags > should be equal=failed"},
	{name: "comments of others name nothing", text: "# seed 8123\nok 1 - a\n1..1\n", tests: "a=passed"},
	{name: "twice, and green at last", exit: 0, text: "1..2\nnot ok 1 - a\nok 2 - a\n", tests: "a=failed×2", kinds: "zero-but-failed zero-but-unit-failed"},
	{name: "a line of a test in other output", text: "> shop@1.0.0 test\n> tape\n\nokay then\nok 1 - a\nhello\n1..1\n", tests: "a=passed"},

	{name: "breaks off", exit: 1, text: "1..3\nok 1 - a\n", tests: "a=passed", open: true},
	{name: "breaks off and ends well", exit: 0, text: "1..3\nok 1 - a\n", tests: "a=passed", open: true, kinds: "zero-but-no-end"},
	{name: "more tests than planned", exit: 0, text: "1..1\nok 1 - a\nok 2 - b\n", tests: "a=passed; b=passed", open: true, kinds: "zero-but-no-end"},
	{name: "two plans", exit: 0, text: "1..1\nok 1 - a\n1..1\n", tests: "a=passed", open: true, kinds: "zero-but-no-end"},
	{name: "a subtest is missing", exit: 0, text: "1..1\n    1..2\n    ok 1 - x\nok 1 - a\n", tests: "a=passed; a > x=passed", open: true, kinds: "zero-but-no-end"},
	{name: "bails out", exit: 1, text: "1..2\nok 1 - a\nBail out! no database\nok 2 - b\n", tests: "Bail out!=failed; a=passed", open: true},
	{name: "no plan", exit: 0, text: "ok 1 - a\n", unparsed: "no plan"},
	{name: "no plan and a failure", exit: 1, text: "not ok 1 - a\n", tests: "a=failed", open: true},

	// R9, and C12: what is no TAP says nothing.
	{name: "nothing", text: ""},
	{name: "nothing planned", text: "TAP version 13\n1..0 # SKIP none here\n"},
	{name: "no TAP and a crash", exit: 1, text: "Error: no such file\n"},
	{name: "no TAP", text: "3 passed\n", unparsed: "nothing that the command printed is TAP"},

	// R17 and bytes that are no text
	{name: "markup, colours and no text", text: "1..2\nok 1 - </script>\x1b[31m\nok 2 - \xff\xfe\n", tests: "</script>\x1b[31m=passed; \uFFFD=passed"},
	{name: "numbers that are too large", text: "1..99999999999\nok 99999999999 - a\n", unparsed: "no plan"},
	{name: "lines that end as elsewhere", text: "1..1\r\nok 1 - a\r\n", tests: "a=passed"},
}

func TestStories(t *testing.T) {
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			p, err := Reporter{}.Instrument(observe.Request{Name: "unit", Argv: []string{"make", "tap"}})
			if err != nil {
				t.Fatal(err)
			}
			end := observe.End{Exited: true, Code: s.exit}
			r, err := p.Read(observe.Remains{End: end, Output: []byte(s.text)})
			var u *observe.Unparsed
			if errors.As(err, &u) != (s.unparsed != "") || u != nil && !strings.Contains(u.What, s.unparsed) {
				t.Fatalf("%v, want unparsed: %q", err, s.unparsed)
			}
			c := p.Collector()
			c.Replay(r)
			session := c.Session()
			if got := describe(session); got != s.tests {
				t.Errorf("tests:\n got %s\nwant %s", got, s.tests)
			}
			if open := slices.ContainsFunc(session.Units, func(u observe.Unit) bool { return !u.Ended }); open != s.open {
				t.Errorf("open %v, want %v (%s)", open, s.open, r.Detail)
			}
			var kinds []string
			for _, c := range session.Contradictions(end) {
				kinds = append(kinds, string(c.Kind))
			}
			if got := strings.Join(kinds, " "); got != s.kinds {
				t.Errorf("contradictions %q, want %q", got, s.kinds)
			}
			if len(session.Problems) > 0 || session.Lost {
				t.Errorf("problems %q, lost %v", session.Problems, session.Lost)
			}
		})
	}
}

func describe(s *observe.Session) string {
	var list []string
	for _, t := range s.Tests {
		text := t.ID + "=" + string(t.Status)
		if t.Runs != 1 {
			text += fmt.Sprintf("×%d", t.Runs)
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

func TestTooMuchOutput(t *testing.T) {
	_, err := read("unit", observe.Remains{End: observe.End{Exited: true}, Output: []byte("1..1\nok 1\n"), Cut: true})
	if !errors.As(err, new(*observe.Unparsed)) {
		t.Errorf("%v, want unparsed", err)
	}
}

// A small report cannot stand for any amount of memory.
func TestBounds(t *testing.T) {
	deep := ""
	for d := range 200 {
		deep = strings.Repeat("    ", d) + "ok - " + strings.Repeat("x", 400) + "\n" + deep
	}
	r := parse([]byte(strings.Repeat("    ok\n", 200_000) + "ok 1 - " + strings.Repeat("y", 1<<20) + "\n" + deep))
	size := 0
	for _, x := range r.tests {
		size += len(x.Name)
	}
	if len(r.tests) > maxTests || size > maxTests*maxPath || r.broken == "" {
		t.Errorf("%d tests with %d bytes of names, broken: %q", len(r.tests), size, r.broken)
	}
}

func TestMessages(t *testing.T) {
	r := parse([]byte("1..2\nnot ok 1 - a\n  ---\n  expected: 3\n    actual: 4\n  ...\nok 2 - b # skip no disk\n"))
	if r.tests[0].Message != "expected: 3\n  actual: 4" || r.tests[1].Message != "skip no disk" {
		t.Errorf("%+v", r.tests)
	}
}

func TestMatch(t *testing.T) {
	for pattern, want := range map[string]bool{
		"cart > tax > zero": true, "tax > zero": true, "zero": true, "cart": true, "cart > tax": true, "tax": false, "ero": false, "car": false,
	} {
		if got := (Reporter{}).Match(pattern, "cart > tax > zero"); got != want {
			t.Errorf("%s: %v, want %v", pattern, got, want)
		}
	}
}

// Whatever a command prints, it is read to its end, within bounds, and a failure in it is not lost.
func FuzzParse(f *testing.F) {
	for _, s := range stories {
		f.Add([]byte(s.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := read("unit", observe.Remains{End: observe.End{Exited: true}, Output: text})
		if err != nil {
			return
		}
		c := observe.NewCollector(observe.Options{Join: func(_, test string) string { return test }})
		c.Replay(r)
		s := c.Session()
		if len(s.Problems) > 0 {
			t.Errorf("problems %q", s.Problems)
		}
		if strings.HasPrefix(string(text), "not ok 1 - a\n") && len(r.Units) > 0 {
			if !slices.ContainsFunc(s.Tests, func(t observe.Test) bool { return t.Status == observe.Failed }) {
				t.Error("a failure was lost")
			}
		}
	})
}
