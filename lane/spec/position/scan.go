package position

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Scan reads text, which must not begin with a byte order mark.
func Scan(text string) *Index {
	s := &scanner{
		text:   text,
		cursor: Pos{Line: 1, Col: 1},
		lists:  map[Path]int{},
		index:  &Index{places: map[Path]Place{}},
	}
	s.document()
	return s.index
}

// scanner walks the text from its begin to its end, never back. It is lenient
// inside a value (a missing comma is the library's to report) so that it still
// knows where the expression ends.
type scanner struct {
	text   string
	off    int
	cursor Pos // the last position computed; trails off

	table Path         // what plain keys now belong to
	lost  bool         // below a header that could not be read: keys belong nowhere
	lists map[Path]int // arrays of tables and how many elements they have
	fatal bool
	index *Index
}

type part struct {
	name string
	pos  Pos
}

// here returns the current position. Each byte is counted once, however often
// it is asked for.
func (s *scanner) here() Pos {
	for skipped := s.text[s.cursor.Offset:s.off]; skipped != ""; {
		nl := strings.IndexByte(skipped, '\n')
		if nl < 0 {
			s.cursor.Col += utf8.RuneCountInString(skipped)
			break
		}
		s.cursor.Line++
		s.cursor.Col = 1
		skipped = skipped[nl+1:]
	}
	s.cursor.Offset = s.off
	return s.cursor
}

func (s *scanner) peek() byte {
	if s.off < len(s.text) {
		return s.text[s.off]
	}
	return 0
}

func (s *scanner) accept(token string) bool {
	if !strings.HasPrefix(s.text[s.off:], token) {
		return false
	}
	s.off += len(token)
	return true
}

func (s *scanner) fault(at Pos, format string, args ...any) bool {
	s.index.Faults = append(s.index.Faults, Fault{Pos: at, Msg: fmt.Sprintf(format, args...)})
	return false
}

func (s *scanner) limit(at Pos, format string, args ...any) bool {
	s.fatal = true
	s.index.Faults = append(s.index.Faults, Fault{Pos: at, Msg: fmt.Sprintf(format, args...), Fatal: true})
	return false
}

func (s *scanner) document() {
	for !s.fatal {
		s.skipLines()
		if s.off >= len(s.text) {
			return
		}
		e := Expr{Start: s.off, Header: s.peek() == '['}
		s.index.Exprs = append(s.index.Exprs, e)
		var ok bool
		if e.Header {
			ok = s.header()
			s.lost = !ok
		} else {
			ok = s.pair(s.table, 0)
		}
		if !ok {
			s.toLineEnd()
		}
		e.End, e.Broken = s.off, !ok
		s.index.Exprs[len(s.index.Exprs)-1] = e
		s.toLineEnd()
	}
}

// skipLines goes over spaces, line ends and comments.
func (s *scanner) skipLines() {
	for s.off < len(s.text) {
		switch s.text[s.off] {
		case ' ', '\t', '\r', '\n':
			s.off++
		case '#':
			s.toLineEnd()
		default:
			return
		}
	}
}

func (s *scanner) skipSpaces() {
	for c := s.peek(); c == ' ' || c == '\t'; c = s.peek() {
		s.off++
	}
}

func (s *scanner) toLineEnd() {
	if nl := strings.IndexByte(s.text[s.off:], '\n'); nl >= 0 {
		s.off += nl
		return
	}
	s.off = len(s.text)
}

// note records where path stands, unless an earlier explicit place is known.
func (s *scanner) note(path Path, place Place) bool {
	if len(path) > MaxPath {
		return s.limit(place.Key, "a key path of more than %d bytes", MaxPath)
	}
	if s.lost {
		return true
	}
	old, known := s.index.places[path]
	if known && (place.implied || !old.implied) {
		return true
	}
	if !known && len(s.index.places) >= MaxEntries {
		return s.limit(place.Key, "more than %d keys and list elements", MaxEntries)
	}
	s.index.places[path] = place
	return true
}

// repeated records a duplicate where path was written out before.
func (s *scanner) repeated(path Path, at Pos) {
	if s.lost {
		return
	}
	if old, known := s.index.places[path]; known && !old.implied {
		s.index.Duplicates = append(s.index.Duplicates,
			Duplicate{Path: path, First: old.Key, Second: at, Expr: len(s.index.Exprs) - 1})
	}
}

// header reads [a.b] or [[a.b]]. A name on the way that is an array of tables
// stands for its last element.
func (s *scanner) header() bool {
	open := s.here()
	s.lost = false
	s.off++
	list := s.accept("[")
	parts, ok := s.key()
	if !ok {
		return false
	}
	end := "]"
	if list {
		end = "]]"
	}
	if !s.accept(end) {
		return s.fault(open, "a header that is not closed by %s", end)
	}
	path := Path("")
	for _, p := range parts[:len(parts)-1] {
		path = path.Key(p.name)
		if !s.note(path, Place{Key: p.pos, Value: open, implied: true}) {
			return false
		}
		if n := s.lists[path]; n > 0 {
			path = path.At(n - 1)
		}
	}
	last := parts[len(parts)-1]
	path = path.Key(last.name)
	s.index.Order = append(s.index.Order, path)
	if !list {
		s.repeated(path, last.pos)
	}
	if !s.note(path, Place{Key: last.pos, Value: open}) {
		return false
	}
	if list {
		element := path.At(s.lists[path])
		s.lists[path]++
		path = element
		if !s.note(path, Place{Key: open, Value: open}) {
			return false
		}
	}
	s.table = path
	return true
}

// pair reads key = value, the key relative to the table at path.
func (s *scanner) pair(path Path, depth int) bool {
	start := s.here()
	parts, ok := s.key()
	if !ok {
		return false
	}
	if !s.accept("=") {
		return s.fault(start, "a key without =")
	}
	s.skipSpaces()
	value := s.here()
	for i, p := range parts {
		path = path.Key(p.name)
		last := i == len(parts)-1
		if last {
			s.repeated(path, p.pos)
			if !s.lost {
				s.index.Order = append(s.index.Order, path)
			}
		}
		if !s.note(path, Place{Key: p.pos, Value: value, implied: !last}) {
			return false
		}
		if n := s.lists[path]; n > 0 && !last { // TOML forbids it, the library reads it so
			path = path.At(n - 1)
		}
	}
	return s.value(path, depth)
}

// value reads one value. The caller has skipped the space before it.
func (s *scanner) value(path Path, depth int) bool {
	start := s.here()
	if depth > MaxDepth {
		return s.limit(start, "values nested more than %d deep", MaxDepth)
	}
	switch c := s.peek(); c {
	case '"', '\'':
		return s.text3(c) || s.fault(start, "a string that is not closed")
	case '[':
		s.off++
		return s.array(path, depth, start)
	case '{':
		s.off++
		return s.inline(path, depth, start)
	}
	for s.off < len(s.text) && !strings.ContainsRune(",]}#\r\n", rune(s.text[s.off])) {
		s.off++
	}
	return s.off > start.Offset || s.fault(start, "a key without a value")
}

func (s *scanner) array(path Path, depth int, start Pos) bool {
	for i := 0; ; {
		s.skipLines()
		switch s.peek() {
		case ']':
			s.off++
			return true
		case ',':
			s.off++
			continue
		case 0, '}', '=':
			return s.fault(start, "a list that is not closed")
		}
		at, element := s.here(), path.At(i)
		if !s.note(element, Place{Key: at, Value: at}) || !s.value(element, depth+1) {
			return false
		}
		i++
	}
}

func (s *scanner) inline(path Path, depth int, start Pos) bool {
	for {
		s.skipLines()
		switch s.peek() {
		case '}':
			s.off++
			return true
		case ',':
			s.off++
			continue
		case 0:
			return s.fault(start, "an inline table that is not closed")
		}
		if depth >= MaxDepth {
			return s.limit(s.here(), "values nested more than %d deep", MaxDepth)
		}
		if !s.pair(path, depth+1) {
			return false
		}
	}
}
