package mutate

import (
	"strings"
	"testing"
)

// told is an engine whose code tells that test A reaches line 1, and that nothing reaches line 2.
func told() (*doubleRunner, Engine, []Mutant) {
	d, e := newDouble(clean("A", "B")...)
	e.Told, e.Reach = true, &Reach{}
	e.Reach.Add("A", "f.go", line(1))
	e.Reach.Known("f.go", line(2))
	e.Reach.Measured("B")
	return d, e, []Mutant{at("m1", 1), at("m2", 2), at("m3", 1)}
}

// What the code tells of its reach is tried again by the whole command: where that notices more, the file is judged by it.
func TestToldReachIsAudited(t *testing.T) {
	d, e, ms := told()
	d.answer = func(tr Trial) (TrialResult, error) {
		if tr.Mutant.ID == "m2" && tr.Tests == nil || tr.Mutant.ID == "m3" {
			return ends(tr, EndExited, 1, map[string]Status{"A": Failed}), nil
		}
		return allPass(tr), nil
	}
	rep := mustRun(t, e, ms...)
	got := map[string]string{}
	for _, r := range rep.Results {
		got[r.Mutant.ID] = string(r.Tier) + " " + string(r.Verdict)
	}
	if got["m1"] != "T0 survived" || got["m2"] != "T0 killed" || got["m3"] != "T1 killed" {
		t.Errorf("%v", got)
	}
	if len(rep.Audit) != 2 || disagreed(rep.Audit) != 1 || !strings.Contains(strings.Join(rep.Facts, "\n"), "m2 of f.go was uncovered by the tests that are known to reach it, and killed by all") {
		t.Errorf("%+v %q", rep.Audit, rep.Facts)
	}
}

// Where the whole command notices nothing either, everything stays as it is.
func TestToldReachAgrees(t *testing.T) {
	d, e, ms := told()
	rep := mustRun(t, e, ms...)
	for _, r := range rep.Results {
		if want := map[string]Verdict{"m1": Survived, "m2": Uncovered, "m3": Survived}[r.Mutant.ID]; r.Verdict != want || r.Tier == T0 {
			t.Errorf("%s is %s at %s, want %s", r.Mutant.ID, r.Verdict, r.Tier, want)
		}
	}
	if len(rep.Audit) != 3 || disagreed(rep.Audit) != 0 || len(d.asked(ForAudit)) != 3 {
		t.Errorf("%+v, asked %v", rep.Audit, d.asked(ForAudit))
	}
	e.Told = false
	if rep = mustRun(t, e, ms...); len(rep.Audit) != 0 {
		t.Errorf("what was measured is audited: %+v", rep.Audit)
	}
}
