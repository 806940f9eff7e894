package observe

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// What a finished report says is folded as the records of a process would be: the worst run of a test counts.
func TestReplay(t *testing.T) {
	long := strings.Repeat("x", 5000)
	tests := []struct {
		name   string
		report Report
		want   string // tests
		broken bool
	}{
		{"nothing", Report{}, "", false},
		{"one of each", Report{Units: []UnitReport{{ID: "u", Tests: []Outcome{
			{Name: "a", Status: Passed, Duration: time.Second}, {Name: "b", Status: Failed, Message: "no"}, {Name: "c", Status: Skipped}}}}},
			"a=passed b=failed c=skipped", false},
		{"retried until green", Report{Units: []UnitReport{{ID: "u", Tests: []Outcome{
			{Name: "a", Status: Failed}, {Name: "b", Status: Passed}, {Name: "a", Status: Passed}}}}}, "a=failed b=passed", false},
		{"breaks off", Report{Units: []UnitReport{{ID: "u", Tests: []Outcome{{Name: "a", Status: Passed}}, Broken: true}}}, "a=passed", true},
		{"the same unit twice", Report{Units: []UnitReport{
			{ID: "u", Tests: []Outcome{{Name: "a", Status: Failed}}}, {ID: "u", Tests: []Outcome{{Name: "a", Status: Passed}}}}}, "a=failed", false},
		{"no name and bytes that are no text", Report{Units: []UnitReport{{ID: "u", Tests: []Outcome{{Status: Passed}, {Name: "\xff", Status: Passed}}}}},
			"(unnamed)=passed \uFFFD=passed", false},
		{"a message of any size and kind", Report{Units: []UnitReport{{ID: "u", Tests: []Outcome{{Name: "a", Status: Failed, Message: strings.Repeat("\x00\xff", 1<<20)}}}}},
			"a=failed", false},
		{"long names stay apart", Report{Units: []UnitReport{{ID: "u", Tests: []Outcome{{Name: long + "1", Status: Passed}, {Name: long + "2", Status: Failed}}}}},
			"ANY", false},
	}
	for _, x := range tests {
		t.Run(x.name, func(t *testing.T) {
			c := NewCollector(Options{})
			c.Replay(x.report)
			s := c.Session()
			if got := show(s.Tests); x.want != "ANY" && got != x.want {
				t.Errorf("got %q, want %q", got, x.want)
			}
			if x.want == "ANY" && len(s.Tests) != 2 {
				t.Errorf("%d tests, want 2", len(s.Tests))
			}
			if len(s.Problems) > 0 || s.Lost {
				t.Errorf("problems %q, lost %v", s.Problems, s.Lost)
			}
			if open := slices.ContainsFunc(s.Units, func(u Unit) bool { return !u.Ended }); open != x.broken {
				t.Errorf("open %v, want %v", open, x.broken)
			}
		})
	}
}

// A runner that learns of its tests as it goes says at the end how many it named.
func TestLateLists(t *testing.T) {
	record := func(n, rest string) string { return `{"v":1,"p":7,"u":"u","n":` + n + `,` + rest + `}` }
	begin, list := record("1", `"e":"begin","runs":1,"late":true`), record("2", `"e":"list","tests":["a"]`)
	start, finish := record("3", `"e":"start","t":"a"`), record("4", `"e":"finish","t":"a","s":"passed"`)
	for end, lost := range map[string]bool{`"e":"end","started":1,"listed":1`: false, `"e":"end","started":1,"listed":2`: true, `"e":"end","started":1`: true} {
		s := fold([]string{begin, list, start, finish, record("5", end)})
		if s.Lost != lost || len(s.Problems) > 0 != lost {
			t.Errorf("%s: lost %v, problems %q", end, s.Lost, s.Problems)
		}
	}
}
