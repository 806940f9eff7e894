package mutate

import (
	"strings"
	"testing"
)

// What fails the tests and may be no program is no kill; what passes them is known to be one.
func TestKillsThatNobodyCanTell(t *testing.T) {
	const why = "it may not compile"
	r := &run{Engine: Engine{Blind: func(path string) string {
		if path == "a.c" {
			return why
		}
		return ""
	}}}
	for _, c := range []struct {
		file      string
		was, want Verdict
	}{{"a.c", Killed, NotRun}, {"a.c", Survived, Survived}, {"a.c", Unviable, Unviable}, {"a.rb", Killed, Killed}} {
		m := Mutant{File: c.file}
		f := r.believed(&m, finding{verdict: c.was})
		if f.verdict != c.want {
			t.Errorf("%s of %s: %s, want %s", c.was, c.file, f.verdict, c.want)
		}
		r.results = append(r.results, Result{Mutant: m, Verdict: f.verdict, Reason: f.reason})
	}
	if facts := r.blindFacts(); len(facts) != 1 || !strings.HasPrefix(facts[0], "of 1 mutants") || !strings.HasSuffix(facts[0], why) {
		t.Errorf("%q", facts)
	}
	r.Blind = nil
	if f := r.believed(&Mutant{File: "a.c"}, finding{verdict: Killed}); f.verdict != Killed {
		t.Errorf("%s where nothing is blind", f.verdict)
	}
}
