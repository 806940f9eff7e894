package mutate

import (
	"strings"
	"testing"
	"time"
)

func day(s string) time.Time {
	d, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return d
}

const twoEntries = `# Kept by hand.

[[accept]] # the first
id = "a1"
mutant = "f.go:3 boundary"
reason = "the same total"
author = "ann@example.org"
expires = 2027-06-30

# A remark on the second.
[[accept]]
reason = "slow to test" # to be looked at
author = "bob@example.org"
expires = 2026-12-31
id = "b2"
`

func TestBaselineFile(t *testing.T) {
	b, err := ParseBaseline([]byte(twoEntries))
	if err != nil || len(b.Accept) != 2 {
		t.Fatal(b, err)
	}
	a, ok := b.Find("a1")
	if !ok || a.Reason != "the same total" || a.Author != "ann@example.org" {
		t.Errorf("%+v", a)
	}
	for d, want := range map[string]bool{"2027-06-29": true, "2027-06-30": true, "2027-07-01": false} {
		if got := a.Valid(day(d).Add(13 * time.Hour)); got != want {
			t.Errorf("on %s it counts: %v", d, got)
		}
	}
	if _, ok := b.Find("c3"); ok {
		t.Error("found an entry that is not there")
	}
}

func TestBaselineMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"[[accept]]\nid = \"a\"\nauthor = \"x\"\nexpires = 2027-01-01\n":                                 "entry 1 (a) has no reason",
		"[[accept]]\nid = \"a\"\nreason = \" \"\nauthor = \"x\"\nexpires = 2027-01-01\n":                 "entry 1 (a) has no reason",
		"[[accept]]\nid = \"a\"\nreason = \"r\"\nexpires = 2027-01-01\n":                                 "entry 1 (a) has no author",
		"[[accept]]\nmutant = \"m\"\nreason = \"r\"\nauthor = \"x\"\nexpires = 2027-01-01\n":             "entry 1 (m) has no id",
		"[[accept]]\nid = \"a\"\nreason = \"r\"\nauthor = \"x\"\n":                                       "entry 1 (a) has no day on which it expires",
		"[[accept]]\nid = \"a\"\nreason = \"r\"\nauthor = \"x\"\nexpires = \"soon\"\n":                   "expires",
		"[[accept]]\nid = \"a\"\nreason = \"r\"\nauthor = \"x\"\nexpires = 2027-01-01\nforever = true\n": "accept.forever is unknown",
		strings.Replace(twoEntries, "b2", "a1", 1):                                                       "a1 is accepted already",
		"[[accept\n": "expected",
	} {
		if _, err := ParseBaseline([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// What is added or renewed is read back, and everything else stays as it was.
func TestUpdateOfABaseline(t *testing.T) {
	renewed := Accepted{"b2", "g.go:1 `\"` -> `\\`", "still \"slow\"\nand \x01", "cy@example.org", day("2028-01-01")}
	added := Accepted{"c3", "h.go:9 condition", "no effect", "cy@example.org", day("2028-01-01")}
	out := UpdateBaseline([]byte(twoEntries), []Accepted{renewed, added})
	b, err := ParseBaseline(out)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []Accepted{renewed, added} {
		if got, _ := b.Find(want.ID); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	before, _, _ := strings.Cut(twoEntries, "[[accept]]\nreason")
	if !strings.HasPrefix(string(out), before) || len(b.Accept) != 3 {
		t.Errorf("what was there has changed:\n%s", out)
	}
	fresh := UpdateBaseline(nil, []Accepted{added})
	if b, err := ParseBaseline(fresh); err != nil || len(b.Accept) != 1 || !strings.HasPrefix(string(fresh), "# ") {
		t.Errorf("%v\n%s", err, fresh)
	}
}

func FuzzBaseline(f *testing.F) {
	f.Add(twoEntries, "why", "who")
	f.Fuzz(func(t *testing.T, text, reason, author string) {
		if _, err := ParseBaseline([]byte(text)); err != nil || strings.TrimSpace(reason) == "" || strings.TrimSpace(author) == "" {
			return
		}
		if strings.Contains(text, "\"\"\"") || strings.Contains(text, "'''") {
			return // a text of several lines may hold what looks like an entry
		}
		out := UpdateBaseline([]byte(text), []Accepted{{"zz", "m", reason, author, day("2028-01-01")}})
		if b, err := ParseBaseline(out); err != nil {
			t.Errorf("%q: %v", out, err)
		} else if a, ok := b.Find("zz"); !ok || a.Reason != strings.ToValidUTF8(reason, "\uFFFD") {
			t.Errorf("%q: %+v", out, a)
		}
	})
}
