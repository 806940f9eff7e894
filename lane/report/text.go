package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line makes text safe for one line of a terminal: control bytes, escape sequences, line ends, directional
// overrides, invisible characters and bytes that are no UTF-8 are spelled out (\x1b, \u202e). A tab becomes
// two spaces.
func Line(s string) string {
	clean := true
	for i := 0; i < len(s) && clean; i++ {
		clean = s[i] >= 0x20 && s[i] < 0x7f
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\t':
			b.WriteString("  ")
		case r == '\n':
			b.WriteString(`\n`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += n
	}
	return b.String()
}

// lines splits text at its line ends and makes each line safe. A carriage return before a line end, and empty
// lines at the end, go.
func lines(s string) []string {
	var out []string
	for l := range strings.SplitSeq(strings.TrimRight(s, "\r\n"), "\n") {
		out = append(out, Line(strings.TrimSuffix(l, "\r")))
	}
	return out
}

// last returns the last n lines, and how many were left out before them.
func last(all []string, n int) ([]string, int) {
	if len(all) <= n {
		return all, 0
	}
	return all[len(all)-n:], len(all) - n
}

// width counts the columns of text that Line has made safe: wide characters take two, combining ones none.
func width(s string) int {
	n := 0
	for _, r := range s {
		n += columns(r)
	}
	return n
}

func columns(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 ||
		r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd):
		return 2
	}
	return 1
}

// cut shortens a line to n columns, and says so with dots at its end.
func cut(s string, n int) string {
	const dots = "..."
	if width(s) <= n {
		return s
	}
	return s[:fits(s, n-len(dots))] + dots
}

// fits returns how many bytes of s fit into n columns, and at least its first character.
func fits(s string, n int) int {
	at := 0
	for i, r := range s {
		if at += columns(r); at > n && i > 0 {
			return i
		}
	}
	return len(s)
}

// middle shortens a name to n columns by taking out its middle, since names differ at both ends.
func middle(s string, n int) string {
	const dots = "..."
	if width(s) <= n || n < 8 {
		return cut(s, n)
	}
	r := []rune(s)
	front := (n - len(dots)) / 3
	back := n - len(dots) - front
	return cut(string(r[:min(front, len(r))]), front) + dots + tailOf(r, back)
}

func tailOf(r []rune, n int) string {
	i, at := len(r), 0
	for i > 0 && at+columns(r[i-1]) <= n {
		i--
		at += columns(r[i])
	}
	return string(r[i:])
}

// wrap breaks a sentence into lines of at most n columns, at spaces where it can.
func wrap(s string, n int) []string {
	var out []string
	at := ""
	for _, word := range strings.Fields(s) {
		switch {
		case at == "":
			at = word
		case width(at)+1+width(word) <= n:
			at += " " + word
		default:
			out = append(out, at)
			at = word
		}
		for width(at) > n { // a word that is longer than a line
			k := fits(at, n)
			out = append(out, at[:k])
			at = at[k:]
		}
	}
	if at != "" {
		out = append(out, at)
	}
	return out
}

// pad fills text up to n columns.
func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-width(s)))
}

// plural writes a count with its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// duration writes milliseconds the way people say them.
func duration(ms int64) string {
	switch {
	case ms < 1000:
		return fmt.Sprintf("%d ms", ms)
	case ms < 60_000:
		return fmt.Sprintf("%.1f s", float64(ms)/1000)
	}
	return fmt.Sprintf("%d min %d s", ms/60_000, ms%60_000/1000)
}
