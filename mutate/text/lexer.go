package text

import "strings"

// token is a piece of a file that is neither blank nor comment nor text: a word, a number, or signs.
type token struct {
	kind       byte // 'w', 'n', 's'
	start, end int
}

// lex finds the tokens of a file. What is quoted, and what follows a quotation mark that has no partner in its line, is none.
func lex(src string, s style) (out []token) {
	for at := 0; at < len(src); {
		if end := skip(src, at, s); end > at {
			at = end
			continue
		}
		c := src[at]
		end := at + 1
		switch {
		case isWord(c):
			for end < len(src) && isWord(src[end]) {
				end++
			}
			kind := byte('w')
			if '0' <= c && c <= '9' {
				kind = 'n'
			}
			out = append(out, token{kind, at, end})
		case strings.IndexByte(signs, c) >= 0:
			for end < len(src) && strings.IndexByte(signs, src[end]) >= 0 && skip(src, end, s) == end {
				end++
			}
			out = append(out, token{'s', at, end})
		}
		at = end
	}
	return out
}

const signs = "=<>!&|"

func isWord(c byte) bool {
	return c == '_' || c == '$' || c == '@' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// skip returns where a comment or a text that begins at a place ends; the place itself where none does.
func skip(src string, at int, s style) int {
	rest := src[at:]
	for _, b := range s.block {
		if strings.HasPrefix(rest, b[0]) {
			return closes(src, at+len(b[0]), b[1])
		}
	}
	for _, sign := range s.line {
		// A sign that may be something else as well counts at the beginning of a line or behind a blank.
		if strings.HasPrefix(rest, sign) && (at == 0 || strings.IndexByte(" \t\n;", src[at-1]) >= 0 || sign == "//" && src[at-1] != ':') {
			return endOfLine(src, at)
		}
	}
	for _, q := range []string{`"""`, "'''", "`"} {
		if strings.HasPrefix(rest, q) {
			return closes(src, at+len(q), q)
		}
	}
	if q := src[at]; q == '"' || q == '\'' {
		return quoted(src, at, s.doubled)
	}
	return at
}

// closes returns where a sign ends, or the end of the file.
func closes(src string, from int, sign string) int {
	if i := strings.Index(src[from:], sign); i >= 0 {
		return from + i + len(sign)
	}
	return len(src)
}

func endOfLine(src string, at int) int {
	if i := strings.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(src)
}

// quoted returns where a text ends. One that its line does not end takes the rest of the line: nobody knows what it is.
func quoted(src string, at int, doubled bool) int {
	for i := at + 1; i < len(src); i++ {
		switch {
		case src[i] == '\n':
			return i
		case src[i] == '\\' && !doubled:
			i++
		case src[i] == src[at]:
			return i + 1
		}
	}
	return len(src)
}
