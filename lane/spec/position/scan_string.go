package position

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// key reads a dotted key up to what ends it, which it leaves unread.
func (s *scanner) key() ([]part, bool) {
	var parts []part
	for {
		s.skipSpaces()
		at := s.here()
		name, ok := s.name()
		if !ok {
			return nil, s.fault(at, "a key was expected here")
		}
		if len(parts) == MaxParts {
			return nil, s.limit(at, "a key of more than %d names", MaxParts)
		}
		parts = append(parts, part{name: name, pos: at})
		s.skipSpaces()
		if !s.accept(".") {
			return parts, true
		}
	}
}

func (s *scanner) name() (string, bool) {
	start := s.off
	switch c := s.peek(); c {
	case '"', '\'':
		if !s.quoted(c) {
			return "", false
		}
		inner := s.text[start+1 : s.off-1]
		if c == '"' {
			return unescape(inner)
		}
		return inner, true
	}
	for bareByte(s.peek()) {
		s.off++
	}
	return s.text[start:s.off], s.off > start
}

// quoted reads a string of one line; the opening quote is still unread.
func (s *scanner) quoted(quote byte) bool {
	for s.off++; s.off < len(s.text); s.off++ {
		switch c := s.text[s.off]; {
		case c == quote:
			s.off++
			return true
		case c == '\n':
			return false
		case c == '\\' && quote == '"':
			s.off++
		}
	}
	s.off = len(s.text)
	return false
}

// text3 reads a string of either form. Up to two quotes may stand right before
// the three that close a multi-line string, so the string ends with the whole
// run of quotes.
func (s *scanner) text3(quote byte) bool {
	triple := strings.Repeat(string(quote), 3)
	if !s.accept(triple) {
		return s.quoted(quote)
	}
	for s.off < len(s.text) {
		if s.text[s.off] == '\\' && quote == '"' {
			s.off = min(s.off+2, len(s.text))
			continue
		}
		if !s.accept(triple) {
			s.off++
			continue
		}
		for s.peek() == quote {
			s.off++
		}
		return true
	}
	return false
}

// unescape resolves the escapes of a basic string of one line.
func unescape(raw string) (string, bool) {
	if !strings.Contains(raw, `\`) {
		return raw, true
	}
	simple := map[byte]byte{'b': '\b', 't': '\t', 'n': '\n', 'f': '\f', 'r': '\r', 'e': 0x1b, '"': '"', '\\': '\\'}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}
	var out strings.Builder
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			out.WriteByte(raw[i])
			continue
		}
		i++
		if i == len(raw) {
			return "", false
		}
		if c, ok := simple[raw[i]]; ok {
			out.WriteByte(c)
			continue
		}
		n := digits[raw[i]]
		if n == 0 || i+n >= len(raw) {
			return "", false
		}
		code, err := strconv.ParseUint(raw[i+1:i+1+n], 16, 32)
		if err != nil || !utf8.ValidRune(rune(code)) {
			return "", false
		}
		out.WriteRune(rune(code))
		i += n
	}
	return out.String(), true
}
