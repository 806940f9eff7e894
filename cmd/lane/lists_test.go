package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/assurance"
)

// Every refusal code, outcome and exit code that docs/design.md and docs/verdict.md list is reached by a story.
func TestEveryListedEndHasAStory(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no stories:", err)
	}
	var stories strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		stories.Write(text)
	}
	tells := func(line string) {
		if !strings.Contains(stories.String(), "\n"+line) {
			t.Errorf("no story has the line %q", strings.TrimSpace(line))
		}
	}
	for _, r := range assurance.RefusalCodes() {
		if r.Name != assurance.BadEvidence { // the gate's, which prints it and writes no verdict
			tells("verdict refusal.code " + r.Name + "\n")
		}
	}
	tells("stdout '" + assurance.BadEvidence + "'\n")
	for _, o := range assurance.Outcomes() {
		tells("verdict outcome " + string(o.Outcome) + "\n")
	}
	for _, code := range []string{"0", "1", "2", "3", "4", "5", "6", "7"} {
		tells("lane-exits " + code + " check")
	}
	tells("stdout 'exit 130'\n")
	tells("stdout 'exit 143'\n")
}
