package journal

import (
	"os"
	"path/filepath"
	"testing"
)

// What was made and is not said to be gone is unsettled, whichever attempt made it; a spec that runs is left alone.
func TestUnsettled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r", "spec")
	if left, err := Unsettled(dir, "made", "gone", "label"); left != nil || err != nil {
		t.Fatalf("of no ledger: %v, %v", left, err)
	}
	r, err := Begin(dir, "spec", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range [][2]string{{"gone", "c"}, {"made", "a"}, {"made", "b"}, {"made", "c"}, {"gone", "b"}, {"other", "a"}} {
		r.Event(x[0], map[string]any{"label": x[1]})
	}
	called := false
	amend := func() error {
		return Amend(dir, func(note func(string, map[string]any)) error {
			called = true
			note("gone", map[string]any{"label": "a"})
			return nil
		})
	}
	if err := amend(); err != nil || called {
		t.Errorf("a running spec was amended: %v", err)
	}
	if err := r.Finish(Status{State: Done}); err != nil {
		t.Fatal(err)
	}
	labels := func() (out string) {
		left, err := Unsettled(dir, "made", "gone", "label")
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range left {
			out += l["label"].(string)
		}
		return out
	}
	if got := labels(); got != "ac" {
		t.Errorf("unsettled: %s, want ac", got)
	}
	if err := amend(); err != nil || !called || labels() != "c" {
		t.Errorf("amended %t, %v, left %s", called, err, labels())
	}
	f, err := os.OpenFile(filepath.Join(dir, "ledger.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"event":"gone","lab`)
	f.Close()
	if got := labels(); got != "c" {
		t.Errorf("beside a line that a crash cut: %s", got)
	}
	// What is noted after it is not lost with it.
	err = Amend(dir, func(note func(string, map[string]any)) error {
		note("gone", map[string]any{"label": "c"})
		return nil
	})
	if got := labels(); err != nil || got != "" {
		t.Errorf("after a line that a crash cut: %s, %v", got, err)
	}
}
