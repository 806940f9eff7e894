package stage

import (
	"errors"
	"regexp"
	"strings"
)

// The lexer knows as much of Nix's language as is needed to find where an
// expression ends: words, strings with what is interpolated in them, comments
// and brackets. Everything else is passed on byte by byte.

type tokenKind int

const (
	tokEnd    tokenKind = iota
	tokWord             // an identifier or a keyword
	tokString           // a string of either form; text is its value where it is plain
	tokURI              // an unquoted URI, which old releases take for a string
	tokOpen             // { ( [ or ${
	tokClose            // } ) ]
	tokOther            // one byte of anything else
)

type token struct {
	kind  tokenKind
	text  string
	plain bool // of a string: nothing is interpolated or escaped in it
	line  int
}

var (
	errLex  = errors.New("no Nix expression")
	wordRE  = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_'-]*`)
	uriRE   = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:[a-zA-Z0-9%/?:@&=+$,_.!~*'-]+`)
	maxNest = 200
)

type lexer struct {
	src  string
	pos  int
	line int
	nest int // how deep interpolation has gone
}

func (l *lexer) rest() string { return l.src[l.pos:] }

func (l *lexer) has(prefix string) bool { return strings.HasPrefix(l.rest(), prefix) }

// skip moves on by n bytes and counts lines.
func (l *lexer) skip(n int) string {
	s := l.src[l.pos : l.pos+n]
	l.pos += n
	l.line += strings.Count(s, "\n")
	return s
}

func (l *lexer) next() (token, error) {
	if err := l.blanks(); err != nil {
		return token{}, err
	}
	t := token{line: l.line}
	if l.pos == len(l.src) {
		return t, nil
	}
	switch c := l.src[l.pos]; {
	case c == '"':
		return l.str()
	case l.has("''"):
		return l.indented()
	case l.has("${"):
		t.kind, t.text = tokOpen, l.skip(2)
	case strings.IndexByte("{([", c) >= 0:
		t.kind, t.text = tokOpen, l.skip(1)
	case strings.IndexByte("})]", c) >= 0:
		t.kind, t.text = tokClose, l.skip(1)
	default:
		if uri := uriRE.FindString(l.rest()); uri != "" {
			t.kind, t.text, t.plain = tokURI, l.skip(len(uri)), true
		} else if word := wordRE.FindString(l.rest()); word != "" {
			t.kind, t.text = tokWord, l.skip(len(word))
		} else {
			t.kind, t.text = tokOther, l.skip(1)
		}
	}
	return t, nil
}

func (l *lexer) blanks() error {
	for l.pos < len(l.src) {
		switch {
		case strings.IndexByte(" \t\r\n", l.src[l.pos]) >= 0:
			l.skip(1)
		case l.src[l.pos] == '#':
			end := strings.IndexAny(l.rest(), "\r\n")
			if end < 0 {
				end = len(l.rest())
			}
			l.skip(end)
		case l.has("/*"):
			end := strings.Index(l.rest()[2:], "*/")
			if end < 0 {
				return errLex
			}
			l.skip(end + 4)
		default:
			return nil
		}
	}
	return nil
}

// str reads "...". A backslash takes the next byte with it, and so does a dollar
// sign that opens no interpolation.
func (l *lexer) str() (token, error) {
	t := token{kind: tokString, plain: true, line: l.line}
	l.skip(1)
	start := l.pos
	for l.pos < len(l.src) {
		switch {
		case l.src[l.pos] == '"':
			t.text = l.src[start:l.pos]
			l.skip(1)
			return t, nil
		case l.has("${"):
			t.plain = false
			if err := l.interpolation(); err != nil {
				return t, err
			}
		case l.src[l.pos] == '\\' && l.pos+1 < len(l.src):
			t.plain = false
			l.skip(2)
		case l.has("$$"):
			l.skip(2)
		default:
			l.skip(1)
		}
	}
	return t, errLex
}

// indented reads ”...”, in which ”' and ”$ and ”\x stand for something else.
func (l *lexer) indented() (token, error) {
	t := token{kind: tokString, line: l.line}
	l.skip(2)
	for l.pos < len(l.src) {
		switch {
		case l.has("'''"), l.has("''$"):
			l.skip(3)
		case l.has(`''\`) && l.pos+3 < len(l.src):
			l.skip(4)
		case l.has("''"):
			l.skip(2)
			return t, nil
		case l.has("${"):
			if err := l.interpolation(); err != nil {
				return t, err
			}
		case l.has("$$"):
			l.skip(2)
		default:
			l.skip(1)
		}
	}
	return t, errLex
}

// interpolation reads ${...} within a string.
func (l *lexer) interpolation() error {
	if l.nest++; l.nest > maxNest {
		return errLex
	}
	defer func() { l.nest-- }()
	l.skip(2)
	for depth := 1; depth > 0; {
		t, err := l.next()
		switch {
		case err != nil:
			return err
		case t.kind == tokEnd:
			return errLex
		case t.kind == tokOpen:
			depth++
		case t.kind == tokClose:
			depth--
		}
	}
	return nil
}
