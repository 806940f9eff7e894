package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func explained(t *testing.T, r Resolved) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Explain(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// With what only the spec says.
func TestExplainSpec(t *testing.T) {
	for name, data := range read(t, "good/*.toml") {
		s := mustParse(t, string(data))
		file := "testdata/explain/" + strings.TrimSuffix(strings.TrimPrefix(name, "testdata/good/"), "toml") + "txt"
		golden(t, file, explained(t, s.Resolved()))
	}
}

// With everything that the orchestrator fills in.
func TestExplainResolved(t *testing.T) {
	r := mustParse(t, string(read(t, "good/smallest.toml")["testdata/good/smallest.toml"])).Resolved()
	r.Authority = Value{Text: "base", Note: "the spec is the same on main"}
	r.Source.Base.Note = "commit 1f0c9a7be2"
	r.Source.MergeBase = "1f0c9a7be2"
	r.Source.Head.Note = "commit 77ab31d0ce, 3 files changed"
	r.Closures[0].Key, r.Closures[0].State = "5a1e0c", "warm, 41 paths, sealed"
	r.Tasks[0].Reporter.Note = "go by its command"
	r.Required = []string{"example.org/shop.TestOnce", "example.org/shop.TestTwice"}
	r.Removes = []string{"example.org/shop.TestOld"}
	r.Notes = []string{"flake.lock was changed: base's closure is used"}
	golden(t, "testdata/explain/resolved.txt", explained(t, r))

	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back Resolved
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, back, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("JSON loses something (-before +after):\n%s", diff)
	}
}

// What a spec or its orchestrator says cannot act on the terminal.
func TestExplainIsHarmless(t *testing.T) {
	r := Resolved{ID: "x\x1b[2J", Notes: []string{"a\rb\u202ec\u200d"}, Tasks: []ResolvedTask{{Name: "t\a", Run: []string{"sh", "-c", "a\nb"}}}}
	text := string(explained(t, r))
	for _, bad := range []string{"\x1b", "\r", "\a", "\u202e", "\u200d"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q got through", bad)
		}
	}
	if !strings.Contains(text, `a\rb\u202ec`) || !strings.Contains(text, `sh -c "a\nb"`) {
		t.Errorf("what was hidden is not shown:\n%s", text)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestExplainReportsTheWriter(t *testing.T) {
	if err := Explain(full{}, Resolved{}); err == nil || err.Error() != "disk full" {
		t.Errorf("error %v", err)
	}
}
