package mutate

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// Baseline lists survivors that somebody has looked at and accepted. It is a file that people read and edit:
//
//	[[accept]]
//	id = "3f2a09c1d4e5b6a7"
//	mutant = "cart/total.go:12 boundary `<` -> `<=`"
//	reason = "both bounds give the same total"
//	author = "ann@example.org"
//	expires = 2027-06-30
type Baseline struct {
	Accept []Accepted
}

// Accepted is one entry. ID is that of the mutant, and survives edits elsewhere; Mutant is for people, and nothing depends on it.
type Accepted struct {
	ID      string    `json:"id"`
	Mutant  string    `json:"mutant"`
	Reason  string    `json:"reason"`
	Author  string    `json:"author"`
	Expires time.Time `json:"expires"` // the last day on which it counts
}

// ParseBaseline reads a baseline. Every entry needs an id, a reason, an author and a day on which it expires.
func ParseBaseline(data []byte) (*Baseline, error) {
	var file struct {
		Accept []struct {
			ID, Mutant, Reason, Author string
			Expires                    time.Time
		}
	}
	meta, err := toml.Decode(string(data), &file)
	if err != nil {
		return nil, err
	}
	if keys := meta.Undecoded(); len(keys) > 0 {
		return nil, fmt.Errorf("the key %s is unknown; entries are [[accept]] with id, mutant, reason, author and expires", keys[0])
	}
	b := &Baseline{}
	seen := map[string]bool{}
	for i, a := range file.Accept {
		for _, need := range []struct{ key, value string }{{"id", a.ID}, {"reason", a.Reason}, {"author", a.Author}} {
			if strings.TrimSpace(need.value) == "" {
				return nil, fmt.Errorf("entry %d (%s) has no %s", i+1, cmp.Or(a.ID, a.Mutant), need.key)
			}
		}
		if a.Expires.IsZero() {
			return nil, fmt.Errorf("entry %d (%s) has no day on which it expires, such as expires = 2027-06-30", i+1, a.ID)
		}
		if seen[a.ID] {
			return nil, fmt.Errorf("entry %d: %s is accepted already", i+1, a.ID)
		}
		seen[a.ID] = true
		y, m, d := a.Expires.Date()
		b.Accept = append(b.Accept, Accepted{a.ID, a.Mutant, a.Reason, a.Author, time.Date(y, m, d, 0, 0, 0, 0, time.UTC)})
	}
	return b, nil
}

// Valid reports whether an entry still counts on a day.
func (a Accepted) Valid(now time.Time) bool { return now.Before(a.Expires.AddDate(0, 0, 1)) }

// Find returns the entry of a mutant.
func (b *Baseline) Find(id string) (Accepted, bool) {
	i := slices.IndexFunc(b.Accept, func(a Accepted) bool { return a.ID == id })
	if i < 0 {
		return Accepted{}, false
	}
	return b.Accept[i], true
}

const baselineHead = `# Faults that no test notices, looked at and accepted. "lane mutate --update-baseline" adds entries; an entry counts up to
# the day on which it expires, and is reported when nothing needs it any more.
`

// UpdateBaseline adds entries to the text of a baseline, or puts them in the place of those with their ids. Everything else stays as it
// is, comments included.
func UpdateBaseline(text []byte, entries []Accepted) []byte {
	out := string(text)
	if strings.TrimSpace(out) == "" {
		out = baselineHead
	}
	for _, a := range entries {
		start, end := entryOf(out, a.ID)
		if start < 0 {
			out = strings.TrimRight(out, "\n") + "\n\n" + a.text()
			continue
		}
		out = out[:start] + a.text() + out[end:]
	}
	return []byte(out)
}

// entryOf is where the entry of an id lies, from its heading to its last key.
func entryOf(text, id string) (start, end int) {
	const heading = "[[accept]]"
	at, from, last, mine := 0, -1, 0, false
	for line := range strings.Lines(text) {
		t := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(t, "["):
			if mine {
				return from, last
			}
			if from = -1; strings.HasPrefix(t, heading) {
				from = at
			}
		case t != "" && t[0] != '#':
			last = at + len(line)
			var entry struct{ ID string }
			if _, err := toml.Decode(t, &entry); err == nil && entry.ID == id && from >= 0 {
				mine = true
			}
		}
		at += len(line)
	}
	if mine {
		return from, last
	}
	return -1, -1
}

func (a Accepted) text() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "[[accept]]\nid = %s\nmutant = %s\nreason = %s\nauthor = %s\nexpires = %s\n",
		quoted(a.ID), quoted(a.Mutant), quoted(a.Reason), quoted(a.Author), a.Expires.Format(time.DateOnly))
	return b.String()
}

// quoted is a basic string of TOML.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
