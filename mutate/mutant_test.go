package mutate

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

func TestApplyKeepsEveryOtherByte(t *testing.T) {
	for name, src := range map[string]string{
		"CRLF":      "a < b\r\nc\r\n",
		"BOM":       "\xef\xbb\xbfa < b\n",
		"not UTF-8": "\xff\xfe a < b \x80\n",
		"no end":    "a < b",
	} {
		off := strings.Index(src, "<")
		m := Mutant{File: "f", Offset: off, Length: 1, Original: "<", Replacement: "<="}
		out, err := m.Apply([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.Replace(src, "<", "<=", 1); string(out) != want {
			t.Errorf("%s: %q, want %q", name, out, want)
		}
	}
}

func TestApplyRefusesAnotherText(t *testing.T) {
	for _, m := range []Mutant{
		{Offset: 2, Length: 1, Original: "<"},
		{Offset: 0, Length: 99, Original: "a"},
		{Offset: 99, Length: 0},
		{Offset: -1, Length: 1},
		{Offset: 1, Length: -1},
		{Kind: Delete},
	} {
		if out, err := m.Apply([]byte("a > b")); err == nil {
			t.Errorf("%+v gives %q", m, out)
		}
	}
}

func FuzzApply(f *testing.F) {
	f.Add([]byte("a < b\r\n"), 2, 1, "<=")
	f.Add([]byte("\xff\x00"), 0, 2, "")
	f.Fuzz(func(t *testing.T, src []byte, off, n int, repl string) {
		if off < 0 || n < 0 || off > len(src) || n > len(src)-off {
			off, n = 0, 0
		}
		before := bytes.Clone(src)
		m := Mutant{File: "f", Offset: off, Length: n, Original: Text(src[off : off+n]), Replacement: Text(repl)}
		out, err := m.Apply(src)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(src, before) {
			t.Fatal("Apply wrote into its source")
		}
		if !bytes.HasPrefix(out, src[:off]) || !bytes.HasSuffix(out, src[off+n:]) || len(out) != len(src)-n+len(repl) {
			t.Fatalf("%q at %d+%d by %q gives %q", src, off, n, repl, out)
		}
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var back Mutant
		if err := json.Unmarshal(b, &back); err != nil || back.Original != m.Original || back.Replacement != m.Replacement {
			t.Fatalf("JSON loses bytes: %s (%v)", b, err)
		}
		if _, err := m.Diff(src); err != nil {
			t.Fatal(err)
		}
	})
}

func TestDiffOfAMutant(t *testing.T) {
	src := "1\n2\n3\n4\nold\n6\n7\n8\n9"
	edit := Mutant{File: "d/f.go", Offset: 8, Length: 3, Original: "old", Replacement: "new"}
	end := Mutant{File: "f", Offset: 18, Length: 1, Original: "9", Replacement: "nine\n"}
	for _, tt := range []struct {
		m    Mutant
		want string
	}{
		{edit, "--- a/d/f.go\n+++ b/d/f.go\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-old\n+new\n 6\n 7\n 8\n"},
		{end, "--- a/f\n+++ b/f\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n\\ No newline at end of file\n+nine\n"},
		{Mutant{File: "f", Kind: Delete}, "--- a/f\n+++ /dev/null\n@@ -1,9 +0,0 @@\n-1\n-2\n-3\n-4\n-old\n-6\n-7\n-8\n-9\n\\ No newline at end of file\n"},
		{Mutant{File: "f", Kind: Create, Replacement: "x\n"}, "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n"},
		{Mutant{File: "f", Kind: Rename, To: "g"}, "rename from f\nrename to g\n"},
	} {
		got, err := tt.m.Diff([]byte(src))
		if err != nil || got != tt.want {
			t.Errorf("%v\n%s\nwant\n%s", err, got, tt.want)
		}
	}
}

func blob(s string) *Blob { return &Blob{Data: []byte(s), Mode: 0o644} }

func TestReverts(t *testing.T) {
	link := func(to string) *Blob { return &Blob{Data: []byte(to), Mode: fs.ModeSymlink | 0o777} }
	tool := func(s string) *Blob { return &Blob{Data: []byte(s), Mode: 0o755} }
	for _, tt := range []struct {
		name string
		file FileChange
		want []string // kind, hunk and replacement of each mutant
	}{
		{"nothing", FileChange{Path: "f", Base: blob("a\n"), Head: blob("a\n")}, nil},
		{"a line changed", FileChange{Path: "f", Base: blob("a\nb\nc\n"), Head: blob("a\nB\nc\n")}, []string{` f:2 "b\n"`}},
		{"a line added", FileChange{Path: "f", Base: blob("a\nc\n"), Head: blob("a\nb\nc\n")}, []string{` f:2 ""`}},
		{"lines deleted", FileChange{Path: "f", Base: blob("a\nb\nc\nd\n"), Head: blob("a\nd\n")}, []string{` f:2 (deletion) "b\nc\n"`}},
		{"two places", FileChange{Path: "f", Base: blob("a\n1\n2\n3\nb\n"), Head: blob("A\n1\n2\n3\nB\n")}, []string{` f:1 "a\n"`, ` f:5 "b\n"`}},
		{"two places close by are one", FileChange{Path: "f", Base: blob("a\n1\nb\n"), Head: blob("A\n1\nB\n")}, []string{` f:1-3 "a\n1\nb\n"`}},
		{"end of line", FileChange{Path: "f", Base: blob("a\r\n"), Head: blob("a\n")}, []string{` f:1 "a\r\n"`}},
		{"last newline", FileChange{Path: "f", Base: blob("a"), Head: blob("a\n")}, []string{` f:1 "a"`}},
		{"added file", FileChange{Path: "f", Head: blob("a\nb\n")}, []string{`delete f:1-2 ""`}},
		{"removed file", FileChange{Path: "f", Base: blob("a\n")}, []string{`create f:1 (deletion) "a\n"`}},
		{"empty file added", FileChange{Path: "f", Head: blob("")}, []string{`delete f:1 ""`}},
		{"binary", FileChange{Path: "f", Base: blob("a\x00b\n\n"), Head: blob("a\x00c\n\n")}, []string{` f:1-2 "a\x00b\n\n"`}},
		{"mode", FileChange{Path: "f", Base: blob("a"), Head: tool("a")}, []string{`chmod f (mode) ""`}},
		{"mode and content", FileChange{Path: "f", Base: blob("a"), Head: tool("b")}, []string{`chmod f (mode) ""`, ` f:1 "a"`}},
		{"link", FileChange{Path: "f", Base: link("x"), Head: link("y")}, []string{`create f:1 "x"`}},
		{"link made a file", FileChange{Path: "f", Base: link("x"), Head: blob("y")}, []string{`create f:1 "x"`}},
		{"rename", FileChange{Path: "g", OldPath: "f", Base: blob("a\n"), Head: blob("b\n")}, []string{`rename g (rename) ""`, ` g:1 "a\n"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, m := range Reverts([]FileChange{tt.file}) {
				got = append(got, string(m.Kind)+" "+m.Hunk+" "+quote(m.Replacement))
				if m.Origin != Revert || m.ID == "" || m.Line == 0 || m.Description == "" {
					t.Errorf("incomplete: %+v", m)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func quote(s Text) string {
	r := strings.NewReplacer("\n", `\n`, "\r", `\r`, "\x00", `\x00`)
	return `"` + r.Replace(string(s)) + `"`
}

// All reverts of a file together give base again, and each alone leaves every byte outside of its hunk.
func FuzzReverts(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("a\nX\nc\nd"))
	f.Add([]byte("a\r\n\xff\n"), []byte("\xef\xbb\xbfa\n"))
	f.Fuzz(func(t *testing.T, base, head []byte) {
		ms := Reverts([]FileChange{{Path: "f.c", Base: &Blob{Data: base}, Head: &Blob{Data: head}}})
		ids := map[string]bool{}
		out := bytes.Clone(head)
		for i := len(ms) - 1; i >= 0; i-- { // from the end, so that offsets stay
			if ids[ms[i].ID] {
				t.Fatalf("id %s twice", ms[i].ID)
			}
			ids[ms[i].ID] = true
			var err error
			if out, err = ms[i].Apply(out); err != nil {
				t.Fatal(err)
			}
			if _, err := ms[i].Apply(head); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(out, base) {
			t.Fatalf("%q from %q, want %q", out, head, base)
		}
	})
}

func TestRevertIDsSurviveEditsElsewhere(t *testing.T) {
	a := Reverts([]FileChange{{Path: "f", Base: blob("1\n2\nold\n4\n"), Head: blob("1\n2\nnew\n4\n")}})
	b := Reverts([]FileChange{{Path: "f", Base: blob("0\n\n1\n2\nold\n4\n"), Head: blob("0\n\n1\n2\nnew\n4\n")}})
	if a[0].ID != b[0].ID {
		t.Errorf("%s and %s", a[0].ID, b[0].ID)
	}
}

func TestOverlay(t *testing.T) {
	src := []byte("abc")
	for _, tt := range []struct {
		m    Mutant
		want map[string]Content
	}{
		{Mutant{File: "f", Offset: 1, Length: 1, Original: "b", Replacement: "X"}, map[string]Content{"f": {Data: []byte("aXc")}}},
		{Mutant{File: "f", Kind: Delete}, map[string]Content{"f": {Delete: true}}},
		{Mutant{File: "f", Kind: Create, Replacement: "n", Mode: 0o755}, map[string]Content{"f": {Data: []byte("n"), Mode: 0o755}}},
		{Mutant{File: "f", Kind: Chmod, Mode: 0o600}, map[string]Content{"f": {Data: src, Mode: 0o600}}},
		{Mutant{File: "f", Kind: Rename, To: "g", Mode: 0o644}, map[string]Content{"f": {Delete: true}, "g": {Data: src, Mode: 0o644}}},
	} {
		got, err := tt.m.Overlay(src)
		if err != nil || len(got) != len(tt.want) {
			t.Fatalf("%s: %v %v", tt.m.Kind, got, err)
		}
		for p, w := range tt.want {
			if g := got[p]; !bytes.Equal(g.Data, w.Data) || g.Mode != w.Mode || g.Delete != w.Delete {
				t.Errorf("%s: %s is %+v, want %+v", tt.m.Kind, p, g, w)
			}
		}
	}
}

func TestProseIsArid(t *testing.T) {
	for p, arid := range map[string]bool{
		"README.md": true, "docs/x.rst": true, "LICENSE": true, "CHANGELOG": true, ".gitignore": true, "NOTICE.txt": true,
		"config.yaml": false, "license.go": false, "deploy/app.json": false, "flake.lock": false, "requirements.txt": false,
	} {
		ms := Reverts([]FileChange{{Path: p, Base: blob("a\n"), Head: blob("b\n")}})
		if (ms[0].Arid != "") != arid {
			t.Errorf("%s: arid %q", p, ms[0].Arid)
		}
	}
}

func TestNullChangesNothing(t *testing.T) {
	for _, tt := range []struct{ file, src, want string }{
		{"a/f.go", "package f\n", "package f\n// end of f.go\n"},
		{"f.go", "package f", "package f\n// end of f.go\n"},
		{"f.go", "package f\r\n", "package f\r\n// end of f.go\r\n"},
		{"f.py", "x = 1\n", "x = 1\n# end of f.py\n"},
		{"Makefile", "all:\n", "all:\n# end of Makefile\n"},
		{"f.json", "{}\n", "{}\n"},
		{"f.go", "\x00", "\x00"},
	} {
		out, same := Null(tt.file, []byte(tt.src))
		if string(out) != tt.want || same != (tt.src == tt.want) {
			t.Errorf("%s %q: %q, same %v", tt.file, tt.src, out, same)
		}
	}
}
