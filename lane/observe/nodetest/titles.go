package nodetest

import (
	"strings"
)

// maxTitles bounds how many names are taken from one file.
const maxTitles = 1000

// titles returns the names of the tests and suites that a source plainly registers, as the observer would tell them, each
// after what it lies in. They are for a file that cannot be loaded: nobody else knows then which tests failed with it. A
// name that is made while the file runs is missing, and so are subtests.
func titles(source string) []string {
	r := reader{text: source, taken: make(map[string]bool)}
	for r.at < len(r.text) && len(r.out) < maxTitles {
		r.next()
	}
	return r.out
}

// A reader goes through a source far enough to tell calls from strings, comments and regular expressions.
type reader struct {
	text  string
	at    int
	depth int  // of parentheses
	last  byte // the last sign that was no blank; 'a' for a word, 'r' for one after which an expression begins
	open  []call
	out   []string
	taken map[string]bool
}

// A call registers a test or a suite, and ends with its parenthesis.
type call struct {
	name  string
	depth int
}

func (r *reader) next() {
	c := r.text[r.at]
	switch {
	case strings.HasPrefix(r.text[r.at:], "//"):
		r.skipTo("\n")
	case strings.HasPrefix(r.text[r.at:], "/*"):
		r.at += 2
		r.skipTo("*/")
	case c == '\'' || c == '"' || c == '`':
		r.quoted()
		r.last = 'a'
	case c == '/' && strings.IndexByte("(,=:[!&|?{};+-*%~^<>r\x00", r.last) >= 0:
		r.expression()
	case letter(c):
		r.word()
	default:
		switch c {
		case '(':
			r.depth++
		case ')':
			r.depth--
			for len(r.open) > 0 && r.open[len(r.open)-1].depth > r.depth {
				r.open = r.open[:len(r.open)-1]
			}
		}
		if c > ' ' {
			r.last = c
		}
		r.at++
	}
}

func letter(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

func (r *reader) skipTo(end string) {
	if i := strings.Index(r.text[r.at:], end); i >= 0 {
		r.at += i + len(end)
		return
	}
	r.at = len(r.text)
}

// quoted reads a string; plain is false where it holds more than its own text.
func (r *reader) quoted() (text string, plain bool) {
	quote := r.text[r.at]
	var b strings.Builder
	plain = true
	for r.at++; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == quote:
			r.at++
			return b.String(), plain
		case c == '\\' && r.at+1 < len(r.text):
			r.at++
			switch e := r.text[r.at]; e {
			case 'n', 't', 'r':
				b.WriteByte(' ')
			case 'u', 'x', '\n', '\r', '0':
				plain = false
			default:
				b.WriteByte(e)
			}
		case quote == '`' && strings.HasPrefix(r.text[r.at:], "${"):
			plain = false
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

// expression skips a regular expression.
func (r *reader) expression() {
	set := false
	for r.at++; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == '\\':
			r.at++
		case c == '[':
			set = true
		case c == ']':
			set = false
		case c == '/' && !set || c == '\n':
			r.at++
			r.last = 'a'
			return
		}
	}
}

func (r *reader) identifier() string {
	start := r.at
	for r.at < len(r.text) && letter(r.text[r.at]) {
		r.at++
	}
	return r.text[start:r.at]
}

// word reads an identifier, and with it the beginning of a call that registers a test.
func (r *reader) word() {
	after := r.last
	name := r.identifier()
	r.last = 'a'
	switch name {
	case "return", "typeof", "case", "await", "in", "of", "void", "delete":
		r.last = 'r'
	case "test", "it", "describe", "suite":
		if after != '.' {
			r.call()
		}
	}
}

func (r *reader) call() {
	rest := strings.TrimLeft(r.text[r.at:], " ")
	for _, how := range []string{".skip", ".todo", ".only"} {
		rest = strings.TrimPrefix(rest, how)
	}
	if !strings.HasPrefix(rest, "(") {
		return
	}
	body := strings.TrimLeft(rest[1:], " \t\r\n")
	if body == "" || strings.IndexByte("'\"`", body[0]) < 0 {
		return
	}
	r.at = len(r.text) - len(body)
	r.depth++
	text, plain := r.quoted()
	if !plain {
		return
	}
	name := told(text)
	if len(r.open) > 0 {
		name = r.open[len(r.open)-1].name + separator + name
	}
	r.open = append(r.open, call{name, r.depth})
	if !r.taken[name] {
		r.taken[name] = true
		r.out = append(r.out, name)
	}
}

// told is a name as the observer tells it.
func told(name string) string {
	name = strings.ReplaceAll(strings.Join(strings.Fields(strings.ToValidUTF8(name, "\uFFFD")), " "), separator, " › ")
	switch {
	case name == "":
		return "<anonymous>"
	case len(name) > 500:
		return strings.ToValidUTF8(name[:500], "") + "…"
	}
	return name
}
