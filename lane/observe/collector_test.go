package observe

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// stream builds records of one process of unit "u"; each line is "event test status", numbered from 1.
func stream(lines ...string) []string {
	var records []string
	for i, line := range lines {
		records = append(records, numbered(i+1, line))
	}
	return records
}

func numbered(n int, line string) string {
	f := append(strings.Fields(line), "", "", "")
	head := fmt.Sprintf(`{"v":1,"e":%q,"p":7,"n":%d,"u":"u"`, f[0], n)
	switch f[0] {
	case "begin":
		return head + fmt.Sprintf(`,"runs":%s,"listed":%s}`, f[1], f[2])
	case "list":
		return head + fmt.Sprintf(`,"tests":["%s"]}`, strings.Join(strings.Split(f[1], ","), `","`))
	case "start":
		return head + fmt.Sprintf(`,"t":%q}`, f[1])
	case "fail":
		return head + fmt.Sprintf(`,"t":%q,"m":"a_test.go:1: wrong"}`, f[1])
	case "finish":
		return head + fmt.Sprintf(`,"t":%q,"s":%q,"ns":5}`, f[1], f[2])
	case "end":
		return head + fmt.Sprintf(`,"c":%s,"started":%s}`, f[1], f[2])
	}
	return head + "}"
}

func slashParent(test string) string {
	if i := strings.LastIndexByte(test, '/'); i >= 0 {
		return test[:i]
	}
	return ""
}

func fold(records []string) *Session {
	c := NewCollector(Options{Parent: slashParent, Expect: []string{"u"}, ExpectKnown: true, Canaries: []Canary{{ID: "u.Canary", Unit: "u"}}})
	for _, r := range records {
		c.Feed([]byte(r))
	}
	return c.Session()
}

// show is "test=status" of all tests, with an exclamation mark where the end is missing.
func show(tests []Test) string {
	var list []string
	for _, t := range tests {
		s := t.Name + "=" + string(t.Status)
		if !t.Ended {
			s += "!"
		}
		list = append(list, s)
	}
	return strings.Join(list, " ")
}

func TestHonestStreams(t *testing.T) {
	tests := []struct {
		name    string
		records []string
		tests   string
		unit    Unit
	}{
		{"nothing", nil, "", Unit{}},
		{"one pass", stream("begin 1 1", "list A", "start A", "finish A passed", "end 0 1"), "A=passed", Unit{Started: true, Ended: true}},
		{"one failure", stream("begin 1 1", "list A", "start A", "fail A", "finish A failed", "end 1 1"), "A=failed",
			Unit{Started: true, Ended: true, Exit: 1}},
		{"a crash", stream("begin 1 2", "list A,B", "start A", "finish A passed", "start B"), "A=passed B=unfinished!", Unit{Started: true}},
		{"a crash after a failure", stream("begin 1 1", "list A", "start A", "fail A"), "A=failed!", Unit{Started: true}},
		{"parts", stream("begin 1 1", "list A", "start A", "start A/x", "start A/y", "finish A/y skipped", "finish A/x passed", "finish A passed", "end 0 3"),
			"A=passed A/x=passed A/y=skipped", Unit{Started: true, Ended: true}},
		{"two runs, the worse counts", stream("begin 2 1", "list A", "start A", "finish A failed", "start A", "finish A passed", "end 1 2"),
			"A=failed", Unit{Started: true, Ended: true, Exit: 1}},
		{"two runs, the second never ends", stream("begin 2 1", "list A", "start A", "finish A passed", "start A"), "A=unfinished!", Unit{Started: true}},
		{"begun twice in one process", stream("begin 1 1", "list A", "start A", "finish A passed", "end 0 1", "begin 1 1", "list A", "start A", "finish A skipped", "end 0 1"),
			"A=skipped", Unit{Started: true, Ended: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := fold(tt.records)
			if got := show(s.Tests); got != tt.tests {
				t.Errorf("tests %q, want %q", got, tt.tests)
			}
			if len(s.Problems) > 0 || s.Lost {
				t.Errorf("problems %q, lost %v", s.Problems, s.Lost)
			}
			u := s.Unit("u")
			if u.Started != tt.unit.Started || u.Ended != tt.unit.Ended || u.Exit != tt.unit.Exit {
				t.Errorf("unit %+v, want %+v", *u, tt.unit)
			}
		})
	}
}

func TestDishonestStreams(t *testing.T) {
	honest := stream("begin 1 1", "list A", "start A", "finish A failed", "end 1 1")
	tests := []struct {
		name    string
		records []string
		problem string
		tests   string
		lost    bool
	}{
		{"garbage", append([]string{"\x00\xff\x1b[2J"}, honest...), "not a record", "A=failed", false},
		{"too long", append([]string{`{"v":1,"e":"start","t":"` + strings.Repeat("x", MaxRecord)}, honest...), "longer than", "A=failed", false},
		{"another version", append([]string{`{"v":2}`}, honest...), "unknown version 2", "A=failed", false},
		{"an unknown event", append([]string{`{"v":1,"e":"pass","n":1}`}, honest...), "unknown event", "A=failed", false},
		{"no begin", stream("start A", "finish A passed"), "outside of a run", "", false},
		{"a pass without a start", stream("begin 1 1", "list A", "finish A passed", "end 0 0"), "while it was not running", "", false},
		{"a failure without a start counts", stream("begin 1 1", "list A", "finish A failed", "end 0 0"), "while it was not running", "A=failed", false},
		{"a pass after a failure", stream("begin 1 1", "list A", "start A", "fail A", "finish A passed", "end 0 1"), "failed and then ended as passed", "A=failed", false},
		{"a second pass", stream("begin 1 1", "list A", "start A", "finish A failed", "start A", "finish A passed", "end 0 2"), "began 2 times", "A=failed", false},
		{"an unlisted test", stream("begin 1 1", "list A", "start B", "finish B passed", "end 0 1"), "was not listed", "B=passed", false},
		{"a part of nothing", stream("begin 1 1", "list A", "start A/x", "finish A/x passed", "end 0 1"), "outside of the test", "A/x=passed", false},
		{"a test that ends before its part", stream("begin 1 1", "list A", "start A", "start A/x", "finish A passed", "finish A/x failed", "end 0 2"),
			"ended before its part", "A=passed A/x=failed", false},
		{"a failed part of a passed test", stream("begin 1 1", "list A", "start A", "start A/x", "finish A/x failed", "finish A passed", "end 0 2"),
			"passed although its part", "A=passed A/x=failed", false},
		{"an end while a test runs", stream("begin 1 1", "list A", "start A", "end 0 1"), "ended while A was running", "A=unfinished!", false},
		{"two ends", append(slices.Clone(honest), numbered(6, "end 0 1")), "or twice", "A=failed", false},
		{"an end that miscounts", stream("begin 1 1", "list A", "start A", "finish A passed", "end 0 2"), "2 tests began, 1 were heard", "A=passed", true},
		{"a list that miscounts", stream("begin 1 2", "list A", "start A", "finish A passed", "end 0 1"), "1 listed tests were not named", "A=passed", true},
		{"a gap", append(honest[:3:3], numbered(6, "finish A passed")), "records 4 to 5", "A=passed", true},
		{"a repeated number cannot make good", append(slices.Clone(honest[:4]), numbered(4, "finish A passed"), honest[4]), "twice or too late", "A=failed", false},
		{"a repeated number can make bad", append(stream("begin 1 1", "list A", "start A", "finish A passed"), numbered(4, "finish A failed")), "twice or too late", "A=failed", false},
		{"a second begin", stream("begin 1 1", "list A", "start A", "begin 1 1", "list A", "start A", "finish A passed", "end 0 1"), "begins a second time", "A=unfinished!", false},
		{"a process number used again", append(slices.Clone(honest[:3]), honest...), "begins a second time", "A=failed!", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := fold(tt.records)
			if !slices.ContainsFunc(s.Problems, func(p string) bool { return strings.Contains(p, tt.problem) }) {
				t.Errorf("problems %q, want one with %q", s.Problems, tt.problem)
			}
			if got := show(s.Tests); got != tt.tests {
				t.Errorf("tests %q, want %q", got, tt.tests)
			}
			if s.Lost != tt.lost {
				t.Errorf("lost %v, want %v", s.Lost, tt.lost)
			}
			if text := strings.Join(s.Problems, ""); !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
				t.Errorf("problems hold bytes as they came: %q", s.Problems)
			}
		})
	}
}

func TestCanariesStandApart(t *testing.T) {
	seen := fold(stream("begin 1 2", "list A,Canary", "start A", "finish A passed", "start Canary", "start Canary/x", "finish Canary/x failed", "finish Canary failed", "end 1 3"))
	if got := show(seen.Tests); got != "A=passed" {
		t.Errorf("tests %q", got)
	}
	if got := show(seen.Canaries); got != "Canary=failed" {
		t.Errorf("canaries %q", got)
	}
	if got := seen.Unit("u").Listed; !slices.Equal(got, []string{"A"}) {
		t.Errorf("listed %q", got)
	}
	planned := []Canary{{ID: "u.Canary", Unit: "u"}}
	if unseen := seen.CanariesUnseen(planned); len(unseen) > 0 {
		t.Errorf("unseen %v", unseen)
	}
	if c := seen.Contradictions(End{Exited: true, Code: 1}); len(c) > 0 {
		t.Errorf("a canary that fails as planned contradicts exit status 1: %v", c)
	}
	for _, s := range []*Session{
		fold(stream("begin 1 1", "list A", "start A", "finish A passed", "end 0 1")),
		fold(stream("begin 1 1", "list Canary", "start Canary", "finish Canary passed", "end 0 1")),
		fold(stream("begin 1 1", "list Canary", "start Canary")),
	} {
		if unseen := s.CanariesUnseen(planned); len(unseen) != 1 {
			t.Errorf("unseen %v, want the canary", unseen)
		}
	}
}

func TestContradictions(t *testing.T) {
	green := stream("begin 1 1", "list A", "start A", "finish A passed", "end 0 1")
	tests := []struct {
		name    string
		records []string
		end     End
		want    string
	}{
		{"green", green, End{true, 0}, ""},
		{"red", stream("begin 1 1", "list A", "start A", "finish A failed", "end 1 1"), End{true, 1}, ""},
		{"exit status 0, failed", stream("begin 1 1", "list A", "start A", "finish A failed", "end 1 1"), End{true, 0}, "zero-but-failed zero-but-unit-failed"},
		{"exit status 0, unfinished", stream("begin 1 1", "list A", "start A"), End{true, 0}, "zero-but-unfinished zero-but-no-end"},
		{"exit status 0, no end", green[:4], End{true, 0}, "zero-but-no-end"},
		{"exit status 0, silent", nil, End{true, 0}, "zero-but-silent"},
		{"exit status 0, not run", stream("begin 1 2", "list A,B", "start A", "finish A passed", "end 0 1"), End{true, 0}, "zero-but-not-run"},
		{"end 0, failed", stream("begin 1 1", "list A", "start A", "finish A failed", "end 0 1"), End{true, 1}, "unit-zero-but-failed"},
		{"exit status 1, all passed", green, End{true, 1}, "red-but-green"},
		{"end 1, all passed", stream("begin 1 1", "list A", "start A", "finish A passed", "end 1 1"), End{true, 1}, "unit-red-but-green"},
		{"crash", stream("begin 1 1", "list A", "start A"), End{true, 2}, ""},
		{"build failure", nil, End{true, 1}, ""},
		{"killed after all passed", green, End{}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var kinds []string
			for _, c := range fold(tt.records).Contradictions(tt.end) {
				kinds = append(kinds, string(c.Kind))
				if c.Hides() != (c.Kind != RedButGreen && c.Kind != UnitRedButGreen) || c.Text == "" {
					t.Errorf("%+v", c)
				}
			}
			if got := strings.Join(kinds, " "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestBoundsHold(t *testing.T) {
	c := NewCollector(Options{})
	for range 3 * maxProblems {
		c.Feed([]byte("?"))
	}
	if n := len(c.Session().Problems); n != maxProblems+1 {
		t.Errorf("%d problems kept", n)
	}
	c = NewCollector(Options{})
	for i := range maxUnits + 10 {
		c.Feed(fmt.Appendf(nil, `{"v":1,"e":"begin","p":1,"n":1,"u":"%d"}`, i))
	}
	if s := c.Session(); len(s.Units) != maxUnits || !s.Lost {
		t.Errorf("%d units kept, lost %v", len(s.Units), s.Lost)
	}
	c = NewCollector(Options{})
	for _, r := range stream("begin 1 1", "list A", "start A") {
		c.Feed([]byte(r))
	}
	for n := range 100 {
		c.Feed(fmt.Appendf(nil, `{"v":1,"e":"fail","p":7,"n":%d,"u":"u","t":"A","m":"%s"}`, n+4, strings.Repeat("é", 5000)))
	}
	if m := c.Session().Tests[0].Message; len(m) > maxMessage || !strings.HasSuffix(m, "é") {
		t.Errorf("%d bytes kept, ending in %q", len(m), m[len(m)-4:])
	}
}

func TestDone(t *testing.T) {
	c := NewCollector(Options{Expect: []string{"u"}, ExpectKnown: true})
	for i, r := range stream("begin 1 1", "list A", "start A", "finish A passed", "end 0 1") {
		if c.Done() {
			t.Errorf("done before record %d", i+1)
		}
		c.Feed([]byte(r))
	}
	if !c.Done() {
		t.Error("not done after the end")
	}
	if !c.Session().Complete() {
		t.Error("not complete after the end")
	}
	unknown := NewCollector(Options{})
	for _, r := range stream("begin 1 1", "list A", "start A", "finish A passed", "end 0 1") {
		unknown.Feed([]byte(r))
	}
	if unknown.Done() {
		t.Error("done although nobody knows what else should come")
	}
}

// FuzzCollector feeds lines as records: whatever comes, there is no panic, all bounds hold, and what failed never looks passed.
func FuzzCollector(f *testing.F) {
	f.Add(strings.Join(stream("begin 1 2", "list A,B", "start A", "start A/x", "fail A/x", "finish A/x failed", "finish A failed", "end 1 2"), "\n"))
	f.Add(strings.Join(stream("begin 2 1", "list A", "start A", "finish A passed", "start A", "finish A skipped", "timeout", "end 0 2"), "\n"))
	f.Add(`{"v":1,"e":"start","p":0,"n":9223372036854775807,"u":"","t":"/"}`)
	f.Add(`{"v":1,"e":"list","p":1,"n":1,"u":"u","tests":["",""],"left":["A"]}`)
	f.Fuzz(func(t *testing.T, text string) {
		c := NewCollector(Options{Parent: slashParent, Expect: []string{"u"}, Canaries: []Canary{{ID: "u.B", Unit: "u"}}})
		records := strings.Split(text, "\n")
		for i, r := range records {
			c.Feed([]byte(r))
			if i%7 == 0 {
				c.Session()
			}
		}
		c.Done()
		s := c.Session()
		s.Contradictions(End{Exited: true})
		s.Complete()
		s.CanariesUnseen([]Canary{{ID: "u.B"}})
		if s.Records != len(records) || len(s.Problems) > maxProblems+1 || len(s.Tests) > len(records) {
			t.Errorf("%d records, %d problems, %d tests", s.Records, len(s.Problems), len(s.Tests))
		}
		failed := make(map[string]bool)
		for _, line := range records {
			r, err := decode([]byte(line))
			if err == nil && (r.Event == evFail || r.Event == evFinish && r.Status == Failed) {
				failed[r.Unit+"."+r.Test] = true
			}
		}
		for _, test := range s.Tests {
			if test.Status == "" || failed[test.ID] && test.Status != Failed {
				t.Errorf("%s is %q", test.ID, test.Status)
			}
		}
	})
}
