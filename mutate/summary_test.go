package mutate

import (
	"fmt"
	"strings"
	"testing"
)

// What each test is worth: B notices alone what others do not, A and C share what they notice, D notices nothing.
func TestSummariesOfTests(t *testing.T) {
	for _, whole := range []bool{true, false} {
		d, e := newDouble(clean("A", "B", "C", "D")...)
		e.Whole, e.Judge, e.Reach = whole, []string{"A", "B", "C", "D"}, &Reach{}
		for _, id := range e.Judge {
			e.Reach.Add(id, "f.go", line(1), line(2))
		}
		d.answer = func(tr Trial) (TrialResult, error) {
			how := map[string]Status{"A": Failed, "C": Failed}
			if tr.Mutant.ID == "two" {
				how = map[string]Status{"B": Failed}
			}
			r := ends(tr, EndExited, 0, how)
			for _, id := range tr.Tests {
				if how[id] == Failed {
					r.Exit = 1
				}
			}
			if tr.FailFast && r.Exit == 1 { // tests end at the first that fails
				for i, id := range tr.Tests {
					if how[id] == Failed {
						for _, later := range tr.Tests[i+1:] {
							delete(r.Tests, later)
						}
						break
					}
				}
			}
			return r, nil
		}
		rep := mustRun(t, e, at("one", 1), at("two", 2))
		var got []string
		for _, s := range rep.Summaries(func(id string) string { return id }) {
			got = append(got, fmt.Sprintf("%s %s %d %v", s.Test, s.State, s.Killed, s.Only))
		}
		want := "A redundant 1 []; B bites 1 [two]; C redundant 1 []; D vacuous 0 []"
		if !whole {
			want = "A redundant 1 []; B bites 1 []; C redundant 1 []; D vacuous 0 []" // C was asked alone, and shows it
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("whole is %v: %s, want %s", whole, strings.Join(got, "; "), want)
		}
	}
}
