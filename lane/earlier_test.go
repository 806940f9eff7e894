package lane

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/lane/journal"
	"github.com/vallane/lane/lane/spec"
)

const earlierSpec = "id = \"earlier\"\nchange = \"tree\"\n[source]\nhead = \"HEAD\"\n[[task]]\nname = \"unit\"\nrun = [\"go\", \"version\"]\nreporter = \"exit\"\n"

// edited changes a part of a JSON file.
func edited(t *testing.T, name string, edit func(map[string]any)) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&all); err != nil {
		t.Fatal(err)
	}
	edit(all)
	if data, err = json.Marshal(all); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// A verdict is taken again where nothing that it rests on has changed, and for each thing that has, it is not.
func TestWhenAnEarlierVerdictIsTaken(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "ignore")
	write(t, dir, "flake.nix", string(testclosure.Flake()))
	write(t, dir, "lane.toml", earlierSpec)
	write(t, dir, "a.txt", "a\n")
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "a")
	o, file := options(t), filepath.Join(dir, "lane.toml")
	o.Events, o.IgnoreFiles = nil, []string{outside}
	r, err := Check(t.Context(), o, file)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict.Outcome != assurance.OutcomePassed {
		t.Fatalf("%s: %s", r.Verdict.Outcome, r.Verdict.Reason)
	}
	taken := func(o Options) bool {
		s, err := spec.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := earlier(t.Context(), o, s, r.Dir)
		if ok && (got.File != r.File || got.Verdict.Subject.Commit != r.Verdict.Subject.Commit || got.Earlier.IsZero()) {
			t.Errorf("taken is %s of %s", got.File, got.Earlier)
		}
		return ok
	}
	status, inputs := filepath.Join(r.Dir, "status.json"), filepath.Join(filepath.Dir(r.File), inputsFile)
	in := func(name, text string) func() {
		return func() { write(t, filepath.Dir(name), filepath.Base(name), text) }
	}
	for _, c := range []struct {
		name   string
		files  []string // that are put back
		change func()
		ask    func(*Options)
		want   bool
	}{
		{name: "nothing", want: true},
		{name: "a file that no commit holds", files: []string{filepath.Join(dir, "a.txt")}, change: in(filepath.Join(dir, "a.txt"), "b\n"), want: true},
		{name: "the spec", files: []string{file}, change: in(file, earlierSpec+"timeout = \"1m\"\n")},
		{name: "a baseline is there", files: []string{filepath.Join(dir, BaselineName)}, change: in(filepath.Join(dir, BaselineName), "# none\n")},
		{name: "a test flipped", files: []string{filepath.Join(r.Dir, flippedFile)}, change: in(filepath.Join(r.Dir, flippedFile), "{}")},
		{name: "patterns of the person's own", files: []string{outside}, change: in(outside, "*.log\n")},
		{name: "another Lane", ask: func(o *Options) { o.Version = "another" }},
		{name: "the kind of change", ask: func(o *Options) { o.Change = assurance.Refactor }},
		{name: "who says the kind", ask: func(o *Options) { o.Change = assurance.Tree }},
		{name: "more patterns", ask: func(o *Options) { o.IgnoreFiles = []string{outside, outside} }},
		{name: "it did not pass", files: []string{status}, change: func() { edited(t, status, func(s map[string]any) { s["outcome"] = string(assurance.TestsFailed) }) }},
		{name: "it is not over", files: []string{status}, change: func() { edited(t, status, func(s map[string]any) { s["state"] = string(journal.Running) }) }},
		{name: "it is a day old", files: []string{status}, change: func() {
			edited(t, status, func(s map[string]any) {
				s["finished"] = time.Now().Add(-maxEarlier - time.Minute).Format(time.RFC3339Nano)
			})
		}},
		{name: "nobody wrote down what it rests on", files: []string{inputs}, change: func() { os.Remove(inputs) }},
		{name: "it rests on something else", files: []string{inputs}, change: in(inputs, "0")},
		{name: "its evidence is gone", files: []string{r.File}, change: func() { edited(t, r.File, func(v map[string]any) { delete(v, "evidence") }) }},
		{name: "its evidence says no", files: []string{r.File}, change: func() {
			edited(t, r.File, func(v map[string]any) { v["evidence"].(map[string]any)["observations"] = map[string]any{} })
		}},
		{name: "it is about another tree", files: []string{r.File}, change: func() {
			edited(t, r.File, func(v map[string]any) {
				subject := v["evidence"].(map[string]any)["plan"].(map[string]any)["subject"].(map[string]any)
				subject["git_tree"] = "0123456789012345678901234567890123456789"
			})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			was := map[string][]byte{}
			for _, name := range c.files {
				was[name], _ = os.ReadFile(name)
			}
			if c.change != nil {
				c.change()
			}
			ask := o
			if c.ask != nil {
				c.ask(&ask)
			}
			if got := taken(ask); got != c.want {
				t.Errorf("taken: %t, want %t", got, c.want)
			}
			for name, data := range was {
				if data == nil {
					os.Remove(name)
				} else if err := os.WriteFile(name, data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if !taken(o) {
				t.Fatal("put back as it was, it is not taken again")
			}
		})
	}
	// Last, since it stays: a commit, even one of the very same tree.
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "b")
	if taken(o) {
		t.Error("it is taken for another commit")
	}
}
