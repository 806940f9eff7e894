package mutate

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Ignore is a comment by which somebody says that mutants of a place are not worth a test:
//
//	x := size + 1 // lane:ignore REASON        this line
//	// lane:ignore REASON                      the next line that is no comment
//	// lane:ignore-file REASON                 the whole file
//
// The mark of the comment is that of the language; beside `//` also `/*`, where the comment ends with its line. Without a reason it has no effect.
type Ignore struct {
	File   string `json:"file"`
	At     int    `json:"at"`             // line of the comment
	Line   int    `json:"line,omitempty"` // whose mutants are meant; 0 = all of the file
	Reason string `json:"reason"`         // "" = it has no effect
}

const ignoreWord = "lane:ignore"

// Ignores finds the comments of a file by which mutants are ignored.
func Ignores(file string, src []byte) (out []Ignore) {
	mark := lineComment(file)
	if mark == "" || isBinary(src) || !strings.Contains(string(src), ignoreWord) {
		return nil
	}
	lines := strings.Split(string(src), "\n")
	for i, text := range lines {
		before, reason, ok := ignoreIn(text, mark)
		if !ok && mark == "//" {
			if before, reason, ok = ignoreIn(text, "/*"); ok {
				reason, ok = strings.CutSuffix(reason, "*/")
			}
		}
		if !ok {
			continue
		}
		ig := Ignore{File: file, At: i + 1, Line: i + 1}
		if rest, whole := strings.CutPrefix(reason, "-file"); whole {
			ig.Line, reason = 0, rest
		}
		if reason != "" && reason[0] != ' ' && reason[0] != '\t' && reason[0] != ':' {
			continue // another word that begins so
		}
		ig.Reason = strings.TrimSpace(strings.TrimPrefix(reason, ":"))
		if ig.Line > 0 && before == "" {
			ig.Line = nextCode(lines, i+1, mark)
		}
		out = append(out, ig)
	}
	return out
}

// ignoreIn takes a line apart at its comment: the code before it, and what follows the word.
func ignoreIn(text, mark string) (before, after string, ok bool) {
	at := strings.Index(text, ignoreWord)
	if at < 0 {
		return "", "", false
	}
	before = strings.TrimRight(text[:at], " \t")
	code, ok := strings.CutSuffix(before, mark)
	if !ok || code != "" && !strings.HasSuffix(code, " ") && !strings.HasSuffix(code, "\t") {
		return "", "", false
	}
	return strings.TrimSpace(code), strings.TrimRight(text[at+len(ignoreWord):], " \t\r"), true
}

// nextCode is the next line, from 1, that is neither blank nor a comment.
func nextCode(lines []string, from int, mark string) int {
	for i := from; i < len(lines); i++ {
		if t := strings.TrimSpace(lines[i]); t != "" && !strings.HasPrefix(t, mark) && !isBlock(t, mark) {
			return i + 1
		}
	}
	return len(lines)
}

// isBlock reports whether a line is one comment between signs, in a language that has such comments.
func isBlock(line, mark string) bool {
	return mark == "//" && strings.HasPrefix(line, "/*") && strings.Index(line, "*/") == len(line)-2
}

// covers reports whether a mutant is meant.
func (ig Ignore) covers(m *Mutant) bool {
	return ig.Reason != "" && m.File == ig.File && (ig.Line == 0 || ig.Line == m.Line)
}

func (ig Ignore) String() string {
	if ig.Reason == "" {
		return fmt.Sprintf("%s:%d: lane:ignore gives no reason, and has no effect", ig.File, ig.At)
	}
	return fmt.Sprintf("%s:%d: lane:ignore (%s)", path.Clean(ig.File), ig.At, ig.Reason)
}

// SetIgnored marks mutants that somebody ignores, so that they are listed and not tried. A hunk put back is never ignored: it asks
// whether the change is noticed. It returns the ignores that no mutant needs.
func SetIgnored(ms []Mutant, igs []Ignore) (unused []Ignore) {
	used := make([]bool, len(igs))
	for i := range ms {
		m := &ms[i]
		at := slices.IndexFunc(igs, func(ig Ignore) bool { return ig.covers(m) })
		if at < 0 || m.Origin == Revert {
			continue
		}
		used[at] = true
		if m.Arid == "" {
			m.Arid, m.Ignored = "ignored: "+igs[at].Reason, true
		}
	}
	for i, ig := range igs {
		if !used[i] && ig.Reason != "" {
			unused = append(unused, ig)
		}
	}
	return unused
}
