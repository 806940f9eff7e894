package python

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/vallane/lane/mutate"
)

const (
	maxSource = 4 << 20 // bytes of one file
	maxBatch  = 1 << 20 // bytes of source in one job, or one file
	maxFiles  = 200     // in one job
)

// Result is what was found in some files.
type Result struct {
	Mutants []mutate.Mutant // in the order of files and places; those that are unviable or equivalent are Known
	// Unparsed names files that this Python cannot read, with the reason: they have no mutants but reverts.
	Unparsed map[string]string

	lines map[string]int // of each file that was read
}

// found is what the script says of one file.
type found struct {
	Error   string       `json:"error"`
	Lines   int          `json:"lines"`
	Mutants []foundFault `json:"mutants"`
}

type foundFault struct {
	Op, Func, Say, Arid, Context string
	Known, Why                   string
	Line, End, Col               int
	Reach                        [2]int
	Off, Len                     int
	Text                         []byte
}

type batch struct {
	names []string
	srcs  [][]byte
	size  int
}

// Read reports whether a file was read: those that were not have no mutants but reverts.
func (r *Result) Read(file string) bool {
	_, ok := r.lines[file]
	return ok
}

// Find returns every mutant of the given files. Files that are tests or no Python are passed over.
func Find(ctx context.Context, o Options, files []string) (*Result, error) {
	res := &Result{Unparsed: map[string]string{}, lines: map[string]int{}}
	var b batch
	for _, name := range files {
		if !IsSource(name) {
			continue
		}
		src, err := readSource(o.Tree, name)
		if err != nil {
			return nil, err
		}
		if len(src) > maxSource {
			res.Unparsed[name] = fmt.Sprintf("larger than %d bytes", maxSource)
			continue
		}
		if b.size > 0 && (b.size+len(src) > maxBatch || len(b.names) == maxFiles) {
			if err := o.findBatch(ctx, b, res); err != nil {
				return nil, err
			}
			b = batch{}
		}
		b.names, b.srcs, b.size = append(b.names, name), append(b.srcs, src), b.size+len(src)
	}
	if len(b.names) == 0 {
		return res, nil
	}
	return res, o.findBatch(ctx, b, res)
}

// readSource reads a file that belongs to the tree. A link is no source: what it leads to is.
func readSource(tree fs.FS, name string) ([]byte, error) {
	src, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, fmt.Errorf("find mutants: %w", err)
	}
	return src, nil
}

// findBatch reads one batch. A source that brings the interpreter down is found by reading fewer and fewer at once, and passed
// over.
func (o Options) findBatch(ctx context.Context, b batch, res *Result) error {
	err := o.readBatch(ctx, b, res)
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case len(b.names) > 1:
		half := len(b.names) / 2
		if err := o.findBatch(ctx, batch{names: b.names[:half], srcs: b.srcs[:half]}, res); err != nil {
			return err
		}
		return o.findBatch(ctx, batch{names: b.names[half:], srcs: b.srcs[half:]}, res)
	case o.readBatch(ctx, batch{}, res) != nil:
		return err // it reads nothing at all
	}
	res.Unparsed[b.names[0]] = "the closure's interpreter did not survive it"
	return nil
}

func (o Options) readBatch(ctx context.Context, b batch, res *Result) error {
	files := map[string][]byte{}
	names := make([]string, len(b.names)) // never null in the request
	for i, src := range b.srcs {
		names[i] = boxDir + "src/" + strconv.Itoa(i)
		files[names[i]] = src
	}
	var answer []found
	if err := o.ask(ctx, map[string]any{"files": names, "operators": o.Operators}, files, &answer); err != nil {
		return err
	}
	if len(answer) != len(names) {
		return fmt.Errorf("read Python sources: %d files were asked, %d answered", len(names), len(answer))
	}
	for i, f := range answer {
		if f.Error != "" {
			res.Unparsed[b.names[i]] = f.Error
			continue
		}
		res.lines[b.names[i]] = f.Lines
		if err := res.add(b.names[i], b.srcs[i], f.Mutants); err != nil {
			return err
		}
	}
	return nil
}

// add makes the mutants of one file. The ids depend on function, statement and fault, not on where they stand.
func (r *Result) add(file string, src []byte, faults []foundFault) error {
	ordinals := map[string]int{}
	for _, f := range faults {
		if f.Off < 0 || f.Len < 0 || f.Off > len(src) || f.Len > len(src)-f.Off {
			return fmt.Errorf("read Python sources: an edit lies outside of %s", file)
		}
		m := mutate.Mutant{
			File: file, Line: f.Line, Col: f.Col, EndLine: f.End, Offset: f.Off, Length: f.Len,
			Original: mutate.Text(src[f.Off : f.Off+f.Len]), Replacement: mutate.Text(f.Text),
			Operator: f.Op, Func: f.Func, Origin: mutate.Own, Arid: f.Arid, Description: f.Say,
			Reach: mutate.Range{Start: f.Reach[0], End: f.Reach[1]}, Known: mutate.Verdict(f.Known), Why: f.Why,
		}
		what := flat(m.Original) + " => " + flat(m.Replacement)
		key := f.Func + "\x00" + f.Op + "\x00" + f.Context + "\x00" + what
		m.ID = mutate.NewID(file, f.Func, f.Op, ordinals[key], f.Context, what)
		ordinals[key]++
		r.Mutants = append(r.Mutants, m)
	}
	return nil
}

// flat is a text without its layout.
func flat(t mutate.Text) string { return strings.Join(strings.Fields(string(t)), "") }

// Declare makes every place of the files that were found known to a reach map, so that code which no test reaches is told from
// code that nobody measured. Call it where all tests were measured by the lines that they run.
func (r *Result) Declare(reach *mutate.Reach) {
	for file, n := range r.lines {
		reach.Known(file, mutate.Block{StartLine: 1, StartCol: 1, EndLine: n + 1, EndCol: 1})
	}
}

// AddLines records in a reach map that a test ran the lines from first to last of a file.
func AddLines(reach *mutate.Reach, test, file string, first, last int) {
	reach.Add(test, file, mutate.Block{StartLine: first, StartCol: 1, EndLine: last, EndCol: 1 << 30})
}
