package mutate

import (
	"bytes"
	"strings"
	"testing"
)

// patch applies hunks to a, as a reader of a diff would.
func patch(a, b [][]byte, hs []hunk) []byte {
	var out []byte
	at := 0
	for _, h := range hs {
		out = append(out, bytes.Join(a[at:h.aStart], nil)...)
		out = append(out, bytes.Join(b[h.bStart:h.bEnd], nil)...)
		at = h.aEnd
	}
	return append(out, bytes.Join(a[at:], nil)...)
}

func TestDiffLines(t *testing.T) {
	lines := func(s string) [][]byte { // a letter is a line
		var out [][]byte
		for i := range len(s) {
			out = append(out, []byte{s[i], '\n'})
		}
		return out
	}
	for _, tt := range []struct {
		a, b string
		gone int // lines of a that a shortest diff loses
		come int
	}{
		{"", "", 0, 0},
		{"abc", "abc", 0, 0},
		{"", "abc", 0, 3},
		{"abc", "", 3, 0},
		{"abcabba", "cbabac", 3, 2}, // the example of Myers' paper
		{"abcdef", "abXdef", 1, 1},
		{"abcdef", "bcdefg", 1, 1},
		{"aaaa", "aa", 2, 0},
		{"xaby", "xbay", 1, 1},
	} {
		a, b := lines(tt.a), lines(tt.b)
		hs := diffLines(a, b)
		gone, come := 0, 0
		for _, h := range hs {
			gone, come = gone+h.aEnd-h.aStart, come+h.bEnd-h.bStart
		}
		if gone != tt.gone || come != tt.come {
			t.Errorf("diff %q %q: -%d +%d, want -%d +%d", tt.a, tt.b, gone, come, tt.gone, tt.come)
		}
		if got := patch(a, b, hs); !bytes.Equal(got, bytes.Join(b, nil)) {
			t.Errorf("diff %q %q: patched to %q", tt.a, tt.b, got)
		}
	}
}

func FuzzDiffLines(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("a\nc\nd"))
	f.Add([]byte("a\r\nb"), []byte("\xff\xfe\nb\n"))
	f.Add([]byte(strings.Repeat("x\ny\n", 50)), []byte(strings.Repeat("y\nx\nz\n", 40)))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		la, lb := splitLines(a), splitLines(b)
		if !bytes.Equal(bytes.Join(la, nil), a) {
			t.Fatalf("splitting %q loses bytes", a)
		}
		hs := diffLines(la, lb)
		if got := patch(la, lb, hs); !bytes.Equal(got, b) {
			t.Fatalf("%q -> %q: patched to %q", a, b, got)
		}
		for _, h := range hs {
			if h.aStart == h.aEnd && h.bStart == h.bEnd {
				t.Fatalf("%q -> %q: empty hunk %v", a, b, h)
			}
		}
	})
}
