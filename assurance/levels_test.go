package assurance_test

import (
	"testing"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
)

// Each level is earned by what it asks for on top of the one below, and by no less.
func TestEveryLevelIsEarned(t *testing.T) {
	hidden := func(e *assurance.Evidence) { at.WithHidden(e, assurance.HiddenBlackBox) }
	for _, c := range []struct {
		name string
		with []func(*assurance.Evidence)
		want assurance.Level
	}{
		{"tests that bite", nil, assurance.VAL1},
		{"rehearsed", []func(*assurance.Evidence){at.Rehearse}, assurance.VAL2},
		{"real", []func(*assurance.Evidence){at.Rehearse, at.AddTarget, hidden}, assurance.VAL3},
		{"a target, and nothing rehearsed", []func(*assurance.Evidence){at.AddTarget, hidden}, assurance.VAL1},
		{"a target without hidden tests", []func(*assurance.Evidence){at.Rehearse, at.AddTarget}, assurance.VAL2},
		{"hidden tests without a target", []func(*assurance.Evidence){at.Rehearse, hidden}, assurance.VAL2},
	} {
		v := at.Judged(func(e *assurance.Evidence) {
			for _, with := range c.with {
				with(e)
			}
		})
		if v.Level != c.want || v.Outcome != assurance.OutcomePassed {
			t.Errorf("%s: %s %s, want %s: %s", c.name, v.Outcome, v.Level, c.want, v.Reason)
		}
	}
}
