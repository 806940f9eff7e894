package position

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// What a text may hold at most. Beyond any of them Scan stops with a fatal
// Fault, and the text must not be handed to the TOML library: deep nesting
// exhausts its stack, which no recover can catch.
const (
	MaxDepth   = 32     // arrays and inline tables inside one another
	MaxParts   = 16     // names in one dotted key
	MaxPath    = 1000   // bytes of one path
	MaxEntries = 50_000 // keys, tables and array elements together
)

// Pos is a place in a text.
type Pos struct {
	Offset int // bytes before it, from 0
	Line   int // from 1
	Col    int // from 1, counted in Unicode code points; a byte that is no UTF-8 counts as one
}

// Path names one key, table or array element, such as
//
//	task[0].env."a.b"
//
// Names that are not bare TOML keys are quoted. The empty path is the whole
// text.
type Path string

// Key returns the path of the key called name below p.
func (p Path) Key(name string) Path {
	if !bare(name) {
		name = strconv.Quote(name)
	}
	if p == "" {
		return Path(name)
	}
	return p + "." + Path(name)
}

// At returns the path of element i, counted from 0, of the array p.
func (p Path) At(i int) Path {
	return p + Path("["+strconv.Itoa(i)+"]")
}

func bare(name string) bool {
	for i := 0; i < len(name); i++ {
		if !bareByte(name[i]) {
			return false
		}
	}
	return name != ""
}

func bareByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// Place says where one path stands in the text.
type Place struct {
	// Key is where the name begins, its opening quote included. An element
	// of an array has none: there Key equals Value.
	Key Pos
	// Value is where the value begins; for a table with a header of its
	// own, the bracket that opens the header.
	Value Pos

	implied bool // only named on the way to something deeper, as a in [a.b]
}

// Expr is one top-level expression: a header, or a key with its value.
type Expr struct {
	Start, End int  // byte offsets; a comment behind it is not part of it
	Header     bool // [table] or [[table]]
	Broken     bool // given up before its end
}

// Duplicate is a key or header that repeats an earlier one.
type Duplicate struct {
	Path          Path
	First, Second Pos
	Expr          int // index into Exprs of the expression that holds Second
}

// Fault is what kept Scan from going on.
type Fault struct {
	Pos   Pos
	Msg   string
	Fatal bool // a limit was reached: nothing after Pos was read
}

// Index holds the places of one text.
type Index struct {
	Order      []Path // every key and header as written, in the order of the text
	Exprs      []Expr
	Duplicates []Duplicate
	Faults     []Fault

	places map[Path]Place
}

// Find returns where path stands; false if the text does not hold it.
func (x *Index) Find(path Path) (Place, bool) {
	p, ok := x.places[path]
	return p, ok
}

// Len returns the number of paths that have a place.
func (x *Index) Len() int { return len(x.places) }

// ExprAt returns the index into Exprs of the expression that offset lies in
// or behind; false if it lies before the first.
func (x *Index) ExprAt(offset int) (int, bool) {
	found := -1
	for i, e := range x.Exprs {
		if e.Start > offset {
			break
		}
		found = i
	}
	return found, found >= 0
}

// At returns the position of a byte offset; an offset outside the text counts
// as its nearest end.
func At(text string, offset int) Pos {
	offset = max(0, min(offset, len(text)))
	before := text[:offset]
	start := strings.LastIndexByte(before, '\n') + 1
	return Pos{
		Offset: offset,
		Line:   1 + strings.Count(before, "\n"),
		Col:    1 + utf8.RuneCountInString(before[start:]),
	}
}
