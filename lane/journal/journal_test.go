package journal

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestARunEndsTerminalAndKeepsItsLedger(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "repo", "spec")
	r, err := Begin(dir, "spec", "lane.toml")
	if err != nil {
		t.Fatal(err)
	}
	r.Phase("baseline")
	r.Event("unwritable", map[string]any{"f": func() {}})
	if err := r.Finish(Status{State: Done, Outcome: "passed", Level: "VAL-1"}); err != nil {
		t.Fatal(err)
	}
	s, err := Read(dir)
	if err != nil || s.State != Done || s.Attempt != 1 || s.Outcome != "passed" || s.Finished.IsZero() {
		t.Fatalf("status %+v, %v", s, err)
	}
	data, _ := os.ReadFile(filepath.Join(dir, "ledger.jsonl"))
	if n := strings.Count(string(data), "\n"); n != 4 {
		t.Errorf("ledger has %d lines, want begin, phase, unwritable, end:\n%s", n, data)
	}
	r.Finish(Status{State: Failed})
	if s, _ := Read(dir); s.State != Done {
		t.Errorf("a second Finish changed a terminal status to %s", s.State)
	}
}

func TestOnlyOneRunAtATime(t *testing.T) {
	dir := t.TempDir()
	r, err := Begin(dir, "spec", "")
	if err != nil {
		t.Fatal(err)
	}
	var busy *Busy
	if _, err := Begin(dir, "spec", ""); !errors.As(err, &busy) {
		t.Fatalf("second Begin: %v, want Busy", err)
	}
	r.Finish(Status{State: Done})
	again, err := Begin(dir, "spec", "")
	if err != nil || again.Attempt() != 2 {
		t.Fatalf("after the end: attempt %v, %v", again, err)
	}
	again.Finish(Status{State: Done})
}

func TestReapSettlesOnlyTheStranded(t *testing.T) {
	root := t.TempDir()
	alive, _ := Begin(filepath.Join(root, "r", "alive"), "alive", "")
	done, _ := Begin(filepath.Join(root, "r", "done"), "done", "")
	done.Finish(Status{State: Done, Outcome: "passed"})
	strand(t, filepath.Join(root, "r", "dead"))

	got, err := Reap(root)
	if err != nil || len(got) != 1 || got[0].Spec != "dead" || got[0].State != Failed || got[0].Phase != "reaped" {
		t.Fatalf("reaped %+v, %v", got, err)
	}
	if s, _ := Read(alive.Dir); s.State.Terminal() {
		t.Errorf("a living run was made %s", s.State)
	}
	if s, _ := Read(done.Dir); s.Outcome != "passed" {
		t.Errorf("a terminal status was changed: %+v", s)
	}
	alive.Finish(Status{State: Done})
}

// strand begins a run in a process of its own that ends at once without Finish.
func strand(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestBeginAndDie$")
	cmd.Env = append(os.Environ(), "JOURNAL_DIE_IN="+dir)
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("the child should have died: %s", out)
	}
}

func TestBeginAndDie(t *testing.T) {
	dir := os.Getenv("JOURNAL_DIE_IN")
	if dir == "" {
		return // only meant as the child of strand
	}
	if _, err := Begin(dir, "dead", ""); err != nil {
		t.Log(err)
	}
	os.Exit(9)
}

// The newest line of a kind is found, past lines of other kinds and one that a crash cut short.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	all := func(map[string]any) bool { return true }
	if found, err := Find(dir, "verdict", all); found != nil || err != nil {
		t.Fatalf("of no ledger: %v, %v", found, err)
	}
	text := `{"event":"verdict","tree":"a","digest":"1"}
{"event":"verdict","tree":"a","digest":"2"}
{"event":"verdict","tree":"b","digest":"3"}
{"event":"phase","tree":"a","digest":"4"}
{"event":"verdict","tree":"a","dig`
	if err := os.WriteFile(filepath.Join(dir, "ledger.jsonl"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	of := func(tree string) func(map[string]any) bool {
		return func(f map[string]any) bool { return f["tree"] == tree }
	}
	for tree, want := range map[string]any{"a": "2", "b": "3", "c": nil} {
		if found, err := Find(dir, "verdict", of(tree)); err != nil || found["digest"] != want {
			t.Errorf("%s: %v (%v), want %v", tree, found, err, want)
		}
	}
}
