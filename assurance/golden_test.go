package assurance_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/assurance"
	at "github.com/vallane/lane/assurance/assurancetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The JSON forms are read by others, and old ones have to stay readable: a difference here is a change of
// SchemaVersion, EvidenceVersion or RulesVersion, or a mistake.
func TestGolden(t *testing.T) {
	golden(t, "evidence", at.Good())
	for name, edit := range map[string]func(*assurance.Evidence){
		"val-1":        nil,
		"tests-failed": everywhere(at.Once, assurance.TestFailed),
		"survivor":     verdictOf(at.Other, assurance.MutantSurvived),
		"refused": func(e *assurance.Evidence) {
			*e = assurance.Evidence{Version: 1, Stop: assurance.Stop{Phase: "warm", Refusal: &assurance.Refusal{
				Code: "unlocked-flake", Msg: "flake.lock has no entry for input nixpkgs", Hint: "run nix flake lock and commit flake.lock"}}}
		},
	} {
		v := at.Judged(edit)
		v.Evidence = nil // pinned above
		golden(t, "verdict-"+name, v)
	}
}

func golden(t *testing.T, name string, x any) {
	t.Helper()
	data, err := json.MarshalIndent(x, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	data = append(data, '\n')
	file := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, want) {
		t.Errorf("%s differs from what is written: run go test -update and look at the difference", file)
	}
}

// Evidence that was written once is still read, and comes to the same verdict.
func TestWrittenEvidence(t *testing.T) {
	data, err := os.ReadFile("testdata/evidence.json")
	if err != nil {
		t.Fatal(err)
	}
	var e assurance.Evidence
	if err := json.Unmarshal(data, &e); err != nil {
		t.Fatal(err)
	}
	if v := assurance.Judge(e); v.Level != assurance.VAL1 || len(e.Unplanned()) != 0 {
		t.Errorf("%s, not planned: %q\n%s", v.Level, e.Unplanned(), reasons(v))
	}
}

func TestExitOfSeveral(t *testing.T) {
	order := []int{130, 143, 3, 1, 2, 5, 7, 6, 4, 0}
	for i, a := range order {
		for _, b := range order[i:] {
			for _, codes := range [][]assurance.Exit{{assurance.Exit(a), assurance.Exit(b)}, {assurance.Exit(b), assurance.Exit(a)}} {
				if got := assurance.CombineExits(codes...); int(got) != a {
					t.Errorf("%v: %d, want %d", codes, got, a)
				}
			}
		}
	}
	if got := assurance.CombineExits(0, 99); got != assurance.ExitLane {
		t.Errorf("an unknown code: %d, want 5", got)
	}
	if got := assurance.Combine(nil); got != 6 {
		t.Errorf("no verdict: %d, want 6", got)
	}
	if got := assurance.Combine([]assurance.Verdict{at.Judged(nil), at.Judged(drop(at.Other))}); got != 4 {
		t.Errorf("VAL-1 and VAL-0 where 1 is required: %d, want 4", got)
	}
	if got := assurance.Combine([]assurance.Verdict{{}}); got != 5 {
		t.Errorf("a verdict that nobody made: %d, want 5", got)
	}
}

func TestLevelText(t *testing.T) {
	for l, want := range map[assurance.Level]string{assurance.LevelNone: "none", assurance.VAL0: "VAL-0", assurance.VAL3: "VAL-3"} {
		if l.String() != want {
			t.Errorf("%d is written %s, want %s", int(l), l, want)
		}
		if back, err := assurance.ParseLevel(want); err != nil || back != l {
			t.Errorf("%s is read as %v, %v", want, back, err)
		}
	}
	for _, s := range []string{"", "VAL-", "VAL-a", "VAL-10", "val-1", "1", "VAL--1", "VAL-01"} {
		if l, err := assurance.ParseLevel(s); err == nil {
			t.Errorf("%q is read as %s", s, l)
		}
	}
}

// The closed lists have each entry once, and say something about it.
func TestClosedLists(t *testing.T) {
	seen := map[string]bool{}
	check := func(list, name, means string) {
		if name == "" || seen[list+name] || strings.TrimSpace(means) == "" {
			t.Errorf("%s: %q is there twice or says nothing", list, name)
		}
		seen[list+name] = true
	}
	for _, m := range assurance.Outcomes() {
		check("outcomes", string(m.Outcome), m.Means)
		if !m.Outcome.Known() {
			t.Errorf("%s is not known", m.Outcome)
		}
	}
	for _, m := range assurance.Clauses() {
		check("clauses", string(m.ID), m.Means)
	}
	for _, m := range assurance.RefusalCodes() {
		check("refusals", m.Name, m.Means)
	}
	for _, m := range assurance.ClauseCodes() {
		check("codes", m.Name, m.Means)
	}
	for _, m := range assurance.ExitCodes() {
		check("exits", string(rune(m.Code)), m.Means)
	}
	if assurance.Outcome("passsed").Known() {
		t.Error("an unknown outcome is known")
	}
}
