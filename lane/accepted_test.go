package lane

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/mutate"
)

const acceptingSpec = "id = \"accepting\"\n[source]\nhead = \"HEAD\"\n[[task]]\nname = \"unit\"\nrun = [\"true\"]\n[mutation]\nbaseline = \"accepted.toml\"\n"

const acceptedEntries = `[[accept]]
id = "aaaa"
mutant = "the first"
reason = "both give the same"
author = "ann@example.org"
expires = 2099-12-31

[[accept]]
id = "bbbb"
mutant = "the second"
reason = "too old"
author = "ann@example.org"
expires = 2020-12-31
`

// explained plans a check of a repository whose base and head hold these files, and puts a plan of the mutants aaaa and bbbb into it.
func explained(t *testing.T, base, head map[string]string, by assurance.Authority) *job {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	for _, files := range []map[string]string{base, head} {
		for name, text := range files {
			write(t, dir, name, text)
		}
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-q", "--allow-empty", "-m", "a")
	}
	git(t, dir, "branch", "-f", "work")
	git(t, dir, "reset", "-q", "--hard", "HEAD~1")
	git(t, dir, "checkout", "-q", "work")
	s, err := spec.Load(filepath.Join(dir, "lane.toml"))
	if err != nil {
		t.Fatal(err)
	}
	s.Source.Base = "main"
	j, err := Options{State: t.TempDir(), Cache: t.TempDir()}.planOnly(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.close)
	if by != "" {
		j.evidence.Plan.Spec.Authority = by
	}
	if err := j.explain(&mutate.Plan{Mutants: []mutate.Mutant{{ID: "aaaa"}, {ID: "bbbb"}}}); err != nil {
		t.Fatal(err)
	}
	return j
}

// Entries count where a contract signed the spec that names them, and are listed by base's word. What the change brings has no effect,
// and is named.
func TestWhoseEntriesCount(t *testing.T) {
	withSpec, entries := map[string]string{"lane.toml": acceptingSpec}, map[string]string{"accepted.toml": acceptedEntries}
	both := map[string]string{"lane.toml": acceptingSpec, "accepted.toml": acceptedEntries}
	other := map[string]string{"accepted.toml": strings.Replace(acceptedEntries, "aaaa", "cccc", 1)}
	for _, c := range []struct {
		name       string
		base, head map[string]string
		by         assurance.Authority // "" = as it is
		want       []assurance.Explanation
		ignored    string
		note       string
	}{
		{name: "base", base: both, want: []assurance.Explanation{{Mutant: "mutant/aaaa", By: assurance.ByBase}}},
		{name: "contract", base: both, by: assurance.ByContract, want: []assurance.Explanation{{Mutant: "mutant/aaaa", By: assurance.ByContract, Signed: true}}},
		{name: "the change brings entries", base: withSpec, head: entries, ignored: "accepted.toml as the change has it"},
		{name: "the change brings entries under a contract", base: withSpec, head: entries, by: assurance.ByContract, ignored: "accepted.toml as the change has it"},
		{name: "the change edits them", base: both, head: other, want: []assurance.Explanation{{Mutant: "mutant/aaaa", By: assurance.ByBase}}, ignored: "accepted.toml as the change has it"},
		{name: "the change brings the spec", base: entries, head: withSpec, ignored: "accepted.toml, which its spec names"},
		{name: "nobody holds them", base: withSpec, note: "mutation.baseline names accepted.toml, which base does not hold"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &explained(t, c.base, c.head, c.by).evidence
			got := p.Plan.Explained
			for i := range got {
				if !strings.Contains(got[i].Reason, "both give the same (ann@example.org, until 2099-12-31)") {
					t.Errorf("reason %q", got[i].Reason)
				}
				got[i].Reason = ""
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("explained %+v, want %+v", got, c.want)
			}
			if all := strings.Join(p.Plan.Change.Ignored, "\n"); !strings.HasPrefix(all, c.ignored) || c.ignored == "" && all != "" {
				t.Errorf("without effect: %q, want %q", all, c.ignored)
			}
			if all := strings.Join(p.Record.Notes, "\n"); !strings.HasPrefix(all, c.note) || c.note == "" && all != "" {
				t.Errorf("notes %q, want %q", all, c.note)
			}
		})
	}
}

// What has expired, and what nothing needs any more, is named once the mutants have their verdicts.
func TestEntriesThatCanGo(t *testing.T) {
	day := time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)
	entry := func(id string, year int) mutate.Accepted {
		return mutate.Accepted{ID: id, Mutant: "it", Expires: time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)}
	}
	verdicts := map[string]mutate.Verdict{
		"lives": mutate.Survived, "old": mutate.Survived, "unreached": mutate.Uncovered, "dead": mutate.Killed, "same": mutate.Equivalent, "bad": mutate.Unviable, "left": mutate.NotRun,
	}
	var all []mutate.Accepted
	for _, id := range []string{"lives", "dead", "same", "bad", "left", "gone", "arid"} {
		all = append(all, entry(id, 2027))
	}
	all = append(all, entry("old", 2026), entry("unreached", 2026))
	whole := map[string]bool{"arid": true}
	for _, c := range []struct {
		known map[string]bool
		want  []string
	}{
		{nil, []string{"dead (it) is killed", "same (it) is equivalent", "bad (it) is unviable", "old (it) expired on 2026-01-01", "unreached (it) expired"}},
		{whole, []string{"dead (it) is killed", "same (it) is equivalent", "bad (it) is unviable", "gone (it) is no mutant", "old (it) expired on 2026-01-01", "unreached (it) expired"}},
	} {
		got := entryFacts(all, verdicts, c.known, day)
		if len(got) != len(c.want) {
			t.Fatalf("got %q, want %q", got, c.want)
		}
		for i := range got {
			if !strings.HasPrefix(got[i], "baseline: "+c.want[i]) {
				t.Errorf("got %q, want %q", got[i], c.want[i])
			}
		}
	}
}

// A run says nothing of faults that it does not look for: those of other operators than the ones it was given, or of operators that have to be named.
func TestEntriesOfOtherOperators(t *testing.T) {
	var entries []mutate.Accepted
	for _, text := range []string{"a b.go:3 constant `1` -> `2`", "a.txt:3 constant `1` -> `2`", "a.go:12 comparison `<` -> `<=`", "by hand"} {
		entries = append(entries, mutate.Accepted{Mutant: text})
	}
	for _, c := range []struct {
		operators []string
		want      []int
	}{
		{nil, []int{1, 2, 3}},
		{[]string{"constant"}, []int{0, 1}},
		{[]string{"comparison", "constant"}, []int{0, 1, 2}},
		{[]string{"arithmetic"}, nil},
	} {
		var want []mutate.Accepted
		for _, i := range c.want {
			want = append(want, entries[i])
		}
		if got := sought(entries, c.operators); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", c.operators, got, want)
		}
	}
}
