package report

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/mutate"
)

const evilText = "\x1b[31m</script>\n::error::"

func mutationRun() MutationRun {
	at := func(id, op string, line int) mutate.Mutant {
		return mutate.Mutant{ID: id, File: "a b/f.go", Line: line, EndLine: line, Operator: op, Description: "`<` -> " + evilText}
	}
	accepted := &mutate.Accepted{ID: "a2", Reason: "why " + evilText, Author: "ann", Expires: time.Date(2099, 12, 31, 0, 0, 0, 0, time.UTC)}
	r := MutationRun{Plan: &mutate.Plan{SameLine: 3, Arid: []mutate.Mutant{at("a5", "return", 5), at("a6", "return", 6), at("a7", "return", 7)}}, Whole: true}
	r.Plan.Arid[0].Arid, r.Plan.Arid[0].Ignored = "ignored: a table", true
	r.Plan.Arid[1].Arid, r.Plan.Arid[2].Arid = "log line", "log line"
	r.Results = []mutate.Result{
		{Mutant: at("a1", "boundary", 1), Verdict: mutate.Survived, Tier: mutate.T1, Cached: true},
		{Mutant: at("a2", "boundary", 2), Verdict: mutate.Survived, Tier: mutate.T1, Accepted: accepted},
		{Mutant: at("a3", "condition", 3), Verdict: mutate.Uncovered},
		{Mutant: at("a4", "condition", 4), Verdict: mutate.Killed, Tier: mutate.T2},
	}
	r.Score = mutate.NewScore(r.Plan, r.Results)
	r.Tests = []mutate.TestSummary{{Test: "p.TestA", State: mutate.Bites, Killed: 1, Only: []string{"a4"}}, {Test: "p.TestB", State: mutate.Vacuous, Reason: "it killed none"}}
	return r
}

func TestMutationText(t *testing.T) {
	var b strings.Builder
	if err := Mutation(&b, mutationRun(), Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"a b/f.go:1 ", "(survived)", "a b/f.go:3 ", "(uncovered)", "(accepted)", "by ann until 2099-12-31: why", "mutants   1 of 4 killed (25 %)",
		"tiers     2 by T1, 1 by T2", "cached    1 of 4 verdicts", "not tried 1 ignored: a table, 2 log line, 3 on lines of others", "bites      p.TestA noticed 1 mutants, 1 of them alone",
		"vacuous    p.TestB noticed 0 mutants, 0 of them alone: it killed none",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Error("an escape sequence of the code reaches the terminal")
	}
}

// What is open is a warning; what somebody accepts or ignores is suppressed, and kept.
func TestMutationSARIF(t *testing.T) {
	var b strings.Builder
	if err := MutationSARIF(&b, mutationRun(), "1.2.3"); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal([]byte(b.String()), &log); err != nil || len(log.Runs) != 1 {
		t.Fatalf("%v\n%s", err, b.String())
	}
	want := map[string]string{"a1": "", "a2": "external", "a3": "", "a5": "inSource"}
	for _, r := range log.Runs[0].Results {
		id, kind := r.Fingerprints["laneMutant/v1"], ""
		if len(r.Suppressions) > 0 {
			kind = r.Suppressions[0].Kind
		}
		if w, ok := want[id]; !ok || w != kind {
			t.Errorf("%s is suppressed %q", id, kind)
		}
		delete(want, id)
		if at := r.Locations[0].Physical; at.Artifact.URI != "a%20b/f.go" || at.Region.Line < 1 {
			t.Errorf("%s is at %+v", id, at)
		}
		if strings.ContainsAny(r.Message.Text, "\x1b\n") {
			t.Errorf("message %q", r.Message.Text)
		}
	}
	if len(want) > 0 || len(log.Runs[0].Tool.Driver.Rules) != 3 || log.Version != "2.1.0" {
		t.Errorf("missing are %v, rules %v", want, log.Runs[0].Tool.Driver.Rules)
	}
}

func TestAcceptedSurvivorsInOtherFormats(t *testing.T) {
	var schema, github strings.Builder
	r := mutationRun()
	if err := MutationSchema(&schema, r.Results, func(string) string { return "" }); err != nil {
		t.Fatal(err)
	}
	if err := MutationGitHub(&github, r.Results); err != nil {
		t.Fatal(err)
	}
	for _, status := range []string{"Survived", "Ignored", "NoCoverage", "Killed"} {
		if n := strings.Count(schema.String(), `"status": "`+status+`"`); n != 1 {
			t.Errorf("%d are %s", n, status)
		}
	}
	if n := strings.Count(github.String(), "\n"); n != 2 || strings.Contains(github.String(), "line=2,") {
		t.Errorf("annotations:\n%s", github.String())
	}
}
