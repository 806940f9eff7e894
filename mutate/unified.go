package mutate

import (
	"bytes"
	"fmt"
	"strings"
)

const contextLines = 3

// Diff returns m as a unified diff against src, the bytes of m.File at head, with three lines of context. Bytes are
// kept as they are: what prints it has to make control characters harmless.
func (m *Mutant) Diff(src []byte) (string, error) {
	switch m.Kind {
	case Create:
		return unified("/dev/null", "b/"+m.File, nil, []byte(m.Replacement)), nil
	case Delete:
		return unified("a/"+m.File, "/dev/null", src, nil), nil
	case Rename:
		return fmt.Sprintf("rename from %s\nrename to %s\n", m.File, m.To), nil
	case Chmod:
		return fmt.Sprintf("--- a/%s\n+++ b/%s\nnew mode %o\n", m.File, m.File, m.Mode.Perm()), nil
	}
	out, err := m.Apply(src)
	if err != nil {
		return "", err
	}
	return unified("a/"+m.File, "b/"+m.File, src, out), nil
}

func unified(from, to string, a, b []byte) string {
	if isBinary(a) || isBinary(b) {
		return fmt.Sprintf("Binary files %s and %s differ\n", from, to)
	}
	la, lb := splitLines(a), splitLines(b)
	var w strings.Builder
	fmt.Fprintf(&w, "--- %s\n+++ %s\n", from, to)
	hs := diffLines(la, lb)
	for len(hs) > 0 {
		n := 1
		for n < len(hs) && hs[n].aStart-hs[n-1].aEnd <= 2*contextLines {
			n++
		}
		writeHunk(&w, la, lb, hs[:n])
		hs = hs[n:]
	}
	return w.String()
}

func writeHunk(w *strings.Builder, la, lb [][]byte, hs []hunk) {
	first, last := hs[0], hs[len(hs)-1]
	lead := min(contextLines, first.aStart)
	tail := min(contextLines, len(la)-last.aEnd)
	aStart, bStart := first.aStart-lead, first.bStart-lead
	fmt.Fprintf(w, "@@ -%s +%s @@\n", span(aStart, last.aEnd+tail), span(bStart, last.bEnd+tail))
	at := aStart
	for _, h := range hs {
		writeLines(w, ' ', la[at:h.aStart])
		writeLines(w, '-', la[h.aStart:h.aEnd])
		writeLines(w, '+', lb[h.bStart:h.bEnd])
		at = h.aEnd
	}
	writeLines(w, ' ', la[at:last.aEnd+tail])
}

func span(start, end int) string {
	switch end - start {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return fmt.Sprint(start + 1)
	}
	return fmt.Sprintf("%d,%d", start+1, end-start)
}

func writeLines(w *strings.Builder, mark byte, lines [][]byte) {
	for _, l := range lines {
		w.WriteByte(mark)
		w.Write(l)
		if !bytes.HasSuffix(l, []byte("\n")) {
			w.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
