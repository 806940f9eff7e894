package edit

import (
	"fmt"
	"strings"
)

// Apart adds a blank where an edit would melt with its neighbours into another token: `return!x` into `returnx`, `a- -b` into `a--b`,
// `a**p` into a comment.
func Apart(src []byte, start, end int, text string) string {
	before, after := byte(' '), byte(' ')
	if start > 0 {
		before = src[start-1]
	}
	if end < len(src) {
		after = src[end]
	}
	if text == "" {
		if melts(before, after) {
			return " "
		}
		return text
	}
	if melts(before, text[0]) {
		text = " " + text
	}
	if melts(text[len(text)-1], after) {
		text += " "
	}
	return text
}

func melts(a, b byte) bool {
	word := func(c byte) bool {
		return c == '_' || c == '$' || c == '#' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	sign := func(c byte) bool { return strings.IndexByte("+-*/%&|^<>=!?:", c) >= 0 }
	return word(a) && word(b) || sign(a) && sign(b)
}

// Wrap puts an expression in parentheses, where it needs them.
func Wrap(s string, yes bool) string {
	if yes {
		return "(" + s + ")"
	}
	return s
}

// OneLine is the beginning of a text on one line, for people.
func OneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return s
}

// Swap says that one text stands in place of another.
func Swap(from, to string) string { return fmt.Sprintf("`%s` -> `%s`", OneLine(from), OneLine(to)) }
