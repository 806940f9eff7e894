package warmup_test

import (
	"slices"
	"testing"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/warmup/stage"
)

// Verdicts know every code that a refusal of an environment can have.
func TestCodesAreInTheClosedList(t *testing.T) {
	known := assurance.RefusalCodes()
	for _, code := range stage.Codes() {
		if !slices.ContainsFunc(known, func(m assurance.Meaning) bool { return m.Name == string(code) }) {
			t.Errorf("assurance does not know %q", code)
		}
	}
}
