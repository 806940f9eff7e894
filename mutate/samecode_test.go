package mutate

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestSurvivorsOfTheSameCode(t *testing.T) {
	d, e := newDouble(clean("A")...)
	e.Reach = &Reach{}
	e.Reach.Add("A", "f.go", line(1))
	e.Reach.Known("f.go", line(2))
	d.answer = func(tr Trial) (TrialResult, error) {
		if tr.Mutant.ID == "killed" {
			return ends(tr, EndExited, 1, map[string]Status{"A": Failed}), nil
		}
		return allPass(tr), nil
	}
	ms := []Mutant{at("killed", 1), at("same", 1), at("other", 1), at("uncovered", 2)}
	asked := ""
	e.Equivalent = func(_ context.Context, ms []*Mutant) (map[string]bool, error) {
		for _, m := range ms {
			asked += m.ID + " "
		}
		return map[string]bool{"same": true, "uncovered": true, "killed": true}, nil
	}
	rep := mustRun(t, e, ms...)
	want := map[string]Verdict{"killed": Killed, "same": Equivalent, "other": Survived, "uncovered": Equivalent}
	for _, r := range rep.Results {
		if r.Verdict != want[r.Mutant.ID] {
			t.Errorf("%s is %s, want %s", r.Mutant.ID, r.Verdict, want[r.Mutant.ID])
		}
	}
	if rep.Score.Viable != 2 || rep.Score.Killed != 1 {
		t.Errorf("score %+v", rep.Score)
	}
	if strings.Contains(asked, "killed") || !strings.Contains(asked, "other") {
		t.Errorf("asked about %s", asked)
	}

	e.Equivalent = func(context.Context, []*Mutant) (map[string]bool, error) { return nil, errors.New("no compiler") }
	rep = mustRun(t, e, ms...)
	if rep.Score.Counts[Survived] != 2 || !strings.Contains(strings.Join(rep.Facts, "\n"), "no compiler") {
		t.Errorf("counts %v, facts %q", rep.Score.Counts, rep.Facts)
	}
}
