package mutate

import (
	"fmt"
	"strings"
	"testing"
)

func TestIgnores(t *testing.T) {
	for _, tt := range []struct{ file, src, want string }{
		{"a.go", "x := 1 // lane:ignore a hint\n", "1>1 a hint"},
		{"a.go", "x := 1 //lane:ignore: a hint\r\n", "1>1 a hint"},
		{"a.go", "\n\t// lane:ignore a hint\n\n\t// more\n\tx := 1\n", "2>5 a hint"},
		{"a.go", "// lane:ignore one\nx := 1 // lane:ignore two\n", "1>2 one, 2>2 two"},
		{"a.go", "package a\n\n// lane:ignore-file made by hand from a table\n", "3>0 made by hand from a table"},
		{"a.go", "x := 1 // lane:ignore\n", "1>1 "},
		{"a.go", "x := 1 // lane:ignored by nobody\n", ""},
		{"a.go", "x := \"http://lane:ignore me\"\n", ""},
		{"a.go", "x := \"lane:ignore me\"\n", ""},
		{"a.go", "// lane:ignore at the very end", "1>1 at the very end"},
		{"a.py", "x = 1  # lane:ignore a hint\n", "1>1 a hint"},
		{"a.py", "x = 1  // lane:ignore a hint\n", ""},
		{"a.sql", "SELECT 1 -- lane:ignore a hint\n", "1>1 a hint"},
		{"a.c", "x = 1; /* lane:ignore a hint */\r\n", "1>1 a hint"},
		{"a.c", "/* lane:ignore a hint */\n/* more */\nx = 1;\n", "1>3 a hint"},
		{"a.c", "/* lane:ignore a hint */ x = 1;\n", ""},
		{"a.c", "/* lane:ignore-file made by a tool */\n/* more */ x = 1;\n", "1>0 made by a tool"},
		{"a.c", "/* lane:ignore a hint */\n/* more */ x = 1;\n", "1>2 a hint"},
		{"a.unknown", "x // lane:ignore a hint\n", ""},
		{"a.go", "\x00 // lane:ignore binary\n", ""},
	} {
		var got []string
		for _, ig := range Ignores(tt.file, []byte(tt.src)) {
			got = append(got, fmt.Sprintf("%d>%d %s", ig.At, ig.Line, ig.Reason))
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s %q: %q, want %q", tt.file, tt.src, got, tt.want)
		}
	}
}

// An ignored mutant is listed and counted like an arid one; a hunk put back is tried all the same, and so is what an ignore without a
// reason means.
func TestIgnoredMutantsAreListed(t *testing.T) {
	ms := []Mutant{
		{ID: "1", File: "f.go", Line: 1}, {ID: "2", File: "f.go", Line: 2, Offset: 2}, {ID: "3", File: "f.go", Line: 3, Offset: 3, Arid: "log line"},
		{ID: "4", File: "f.go", Line: 1, Offset: 1, Origin: Revert}, {ID: "5", File: "g.go", Line: 1}, {ID: "6", File: "h.go", Line: 1},
	}
	unused := SetIgnored(ms, []Ignore{
		{"f.go", 1, 1, "a hint"}, {"f.go", 3, 3, "also arid"}, {"f.go", 9, 9, "of no use"}, {"g.go", 1, 0, "a table"}, {"h.go", 1, 1, ""},
	})
	var got []string
	for _, m := range ms {
		got = append(got, fmt.Sprintf("%s %s", m.ID, m.Arid))
	}
	if want := "1 ignored: a hint|2 |3 log line|4 |5 ignored: a table|6 "; strings.Join(got, "|") != want {
		t.Errorf("%v, want %s", got, want)
	}
	if len(unused) != 1 || unused[0].Reason != "of no use" {
		t.Errorf("unused are %v", unused)
	}
	p := NewPlan(ms, Scope{All: true})
	if s := NewScore(&p, nil); len(p.Arid) != 3 || s.Arid != 3 || s.Ignored != 2 {
		t.Errorf("listed are %d, counted %d, ignored %d", len(p.Arid), s.Arid, s.Ignored)
	}
}

func FuzzIgnores(f *testing.F) {
	f.Add("a.go", "x // lane:ignore y\n")
	f.Fuzz(func(t *testing.T, file, src string) {
		n := strings.Count(src, "\n") + 1
		for _, ig := range Ignores(file, []byte(src)) {
			if ig.At < 1 || ig.At > n || ig.Line < 0 || ig.Line > n {
				t.Errorf("%+v lies outside of %d lines", ig, n)
			}
		}
	})
}
