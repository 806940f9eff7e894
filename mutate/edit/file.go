package edit

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/vallane/lane/mutate"
)

// File is one source, and the mutants that were made of it so far.
type File struct {
	Path string
	Src  []byte

	starts   []int // of its lines
	ordinals map[string]int
	out      []mutate.Mutant
}

// New returns a source without mutants.
func New(path string, src []byte) *File {
	f := &File{Path: path, Src: src, starts: []int{0}, ordinals: map[string]int{}}
	for i, c := range src {
		if c == '\n' {
			f.starts = append(f.starts, i+1)
		}
	}
	return f
}

// Lines is how many lines the source has; one more where it ends with a newline.
func (f *File) Lines() int { return len(f.starts) }

// Position returns the line and the column in bytes of a place, from 1.
func (f *File) Position(at int) (line, col int) {
	line = sort.SearchInts(f.starts, at+1)
	return line, at - f.starts[line-1] + 1
}

// Start returns where a line, counted from 1, begins.
func (f *File) Start(line int) int { return f.starts[min(line, len(f.starts))-1] }

// Range returns the lines of a run of bytes.
func (f *File) Range(start, end int) mutate.Range {
	first, _ := f.Position(start)
	last, _ := f.Position(max(start, end-1))
	return mutate.Range{Start: first, End: last}
}

// Fault is one application of an operator: an edit of the bytes from Start to End.
type Fault struct {
	Operator   string
	Start, End int
	Text       string // in their place
	// From and To are the bytes that the fault is about and that are shown; both 0: the edit's own.
	From, To int
	Say      string // like "`<` -> `<=`"
	Func     string // enclosing function; "" = none
	Context  string // a text around the place, whatever its layout, by which ids tell places apart
	Arid     string // see [mutate.Mutant]
	Reach    mutate.Range
	Origin   mutate.Origin // "" = [mutate.Own]
}

// Add makes a mutant and returns its id.
func (f *File) Add(x Fault) (id string) {
	if x.From == 0 && x.To == 0 {
		x.From, x.To = x.Start, x.End
	}
	if x.Origin == "" {
		x.Origin = mutate.Own
	}
	line, col := f.Position(x.From)
	m := mutate.Mutant{
		File: f.Path, Line: line, Col: col, EndLine: f.Range(x.From, x.To).End, Offset: x.Start, Length: x.End - x.Start,
		Original: mutate.Text(f.Src[x.Start:x.End]), Replacement: mutate.Text(x.Text),
		Operator: x.Operator, Func: x.Func, Origin: x.Origin, Arid: x.Arid, Description: x.Say, Reach: x.Reach,
	}
	what := strings.Join(strings.Fields(string(m.Original)), "") + " => " + strings.Join(strings.Fields(x.Text), "")
	key := m.Func + "\x00" + x.Operator + "\x00" + x.Context + "\x00" + what
	m.ID = mutate.NewID(m.File, m.Func, x.Operator, f.ordinals[key], x.Context, what)
	f.ordinals[key]++
	f.out = append(f.out, m)
	return m.ID
}

// Mutants returns what was made, in the order of places.
func (f *File) Mutants() []mutate.Mutant {
	slices.SortStableFunc(f.out, func(a, b mutate.Mutant) int { return cmp.Or(a.Line-b.Line, a.Col-b.Col) })
	return f.out
}
