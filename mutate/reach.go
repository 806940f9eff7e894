package mutate

import "sort"

// Block is a stretch of source that runs from its start to its end once it is entered, and the tests that entered it.
// Lines and columns (in bytes) count from 1; the end is exclusive.
type Block struct {
	StartLine, StartCol, EndLine, EndCol int
}

func (b Block) contains(line, col int) bool {
	if line < b.StartLine || (line == b.StartLine && col < b.StartCol) {
		return false
	}
	return line < b.EndLine || (line == b.EndLine && col < b.EndCol)
}

// Reach knows which tests run which code. The zero value knows nothing: everything is asked of every mutant.
type Reach struct {
	// Divided says that blocks divide their files by functions, so that an edit of Lane's own belongs to the block that it begins in.
	Divided bool

	files map[string]map[Block]map[string]bool
	tests map[string]bool
}

// Known declares blocks of a file, entered or not, so that a place outside of all tests can be told from a place
// that nobody measured.
func (r *Reach) Known(file string, blocks ...Block) {
	if r.files == nil {
		r.files = map[string]map[Block]map[string]bool{}
	}
	f := r.files[file]
	if f == nil {
		f = map[Block]map[string]bool{}
		r.files[file] = f
	}
	for _, b := range blocks {
		if f[b] == nil {
			f[b] = map[string]bool{}
		}
	}
}

// Measured declares that the coverage of a test was taken. A test that was never measured may reach anything.
func (r *Reach) Measured(test string) {
	if r.tests == nil {
		r.tests = map[string]bool{}
	}
	r.tests[test] = true
}

// Add records that a test entered blocks of a file.
func (r *Reach) Add(test, file string, blocks ...Block) {
	r.Measured(test)
	r.Known(file, blocks...)
	for _, b := range blocks {
		r.files[file][b][test] = true
	}
}

// Tests returns the measured tests that reach m, sorted. Known is false where the coverage cannot tell.
func (r *Reach) Tests(m *Mutant) (tests []string, known bool) {
	if r == nil || r.files[m.File] == nil || m.Reach == (Range{}) {
		return nil, false
	}
	set, hit := map[string]bool{}, false
	if m.Exact || r.Divided && m.Kind == Edit && m.Origin == Own {
		for b, ts := range r.files[m.File] {
			if b.contains(m.Line, m.Col) {
				hit = true
				addAll(set, ts)
			}
		}
	}
	if !hit {
		// The place lies between blocks (a case's condition, a hunk): any test that enters the surroundings may
		// come by.
		for b, ts := range r.files[m.File] {
			if b.StartLine <= m.Reach.End && m.Reach.Start <= b.EndLine {
				hit = true
				addAll(set, ts)
			}
		}
	}
	if !hit {
		return nil, false
	}
	for t := range set {
		tests = append(tests, t)
	}
	sort.Strings(tests)
	return tests, true
}

func addAll(set, more map[string]bool) {
	for t := range more {
		set[t] = true
	}
}
