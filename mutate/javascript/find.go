package javascript

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/edit"
	"github.com/vallane/lane/mutate/treesitter"
)

// Options says where code is found. Tree is needed.
type Options struct {
	// Tree is the head tree.
	Tree fs.FS
	// Operators to use, by name; nil = all of Operators().
	Operators []string
}

// Result is what was found in some files.
type Result struct {
	Mutants []mutate.Mutant // in the order of files and places
	// Unparsed names files that are not read, with the reason: they have no mutants but reverts.
	Unparsed map[string]string

	opts  Options
	whole map[string]span // of each mutant, by id: the outermost statement that it lies in
	lines map[string]int  // of each file that was read
}

// span is a run of bytes of a source.
type span struct{ start, end int }

// Find returns every mutant of the given files, and leaves it to Prove which of them are still of the language. Files that are tests
// or of other languages are passed over.
func Find(ctx context.Context, o Options, files []string) (res *Result, err error) {
	res = &Result{Unparsed: map[string]string{}, opts: o, whole: map[string]span{}, lines: map[string]int{}}
	parsers := treesitter.Parsers{}
	defer func() { err = errors.Join(err, parsers.Close(ctx)) }()
	for _, name := range files {
		if !IsSource(name) {
			continue
		}
		src, err := fs.ReadFile(o.Tree, name)
		if err != nil {
			return nil, fmt.Errorf("find mutants: %w", err)
		}
		root, err := parsers.Of(grammarOf(name)).Parse(ctx, src)
		if why := treesitter.WhyUnread(err); why != "" {
			res.Unparsed[name] = why
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("find mutants in %s: %w", name, err)
		}
		res.add(o, name, src, root)
	}
	return res, nil
}

func (r *Result) add(o Options, file string, src []byte, root *treesitter.Node) {
	w := &walker{file: file, src: src, f: edit.New(file, src), operators: o.Operators, contexts: map[*treesitter.Node]string{}, whole: r.whole}
	w.everywhere = unwanted(file, src, root)
	r.lines[file] = w.f.Lines()
	w.walk(root)
	r.Mutants = append(r.Mutants, w.f.Mutants()...)
}

// Prove finds out which of the mutants are still of the language; the others get Known = unviable. It is what the Prove field of
// [mutate.Scope] calls: a plan then has proven what it takes, and nothing else. Mutants that this Result does not hold are left alone.
func (r *Result) Prove(ctx context.Context, ms []*mutate.Mutant) (err error) {
	parsers := treesitter.Parsers{}
	defer func() { err = errors.Join(err, parsers.Close(ctx)) }()
	sources := map[string][]byte{}
	for _, m := range ms {
		in, ok := r.whole[m.ID]
		if !ok || m.Origin != mutate.Own {
			continue
		}
		src := sources[m.File]
		if src == nil {
			if src, err = fs.ReadFile(r.opts.Tree, m.File); err != nil {
				return fmt.Errorf("check mutants: %w", err)
			}
			sources[m.File] = src
		}
		out, err := m.Apply(src)
		if err != nil {
			m.Known, m.Why = mutate.Unviable, err.Error()
			continue
		}
		// The statement alone: no edit reaches beyond it, and large files have many mutants.
		err = parsers.Of(grammarOf(m.File)).Check(ctx, out[in.start:in.end+len(out)-len(src)])
		if treesitter.WhyUnread(err) != "" {
			m.Known, m.Why = mutate.Unviable, "it is no syntax of the language any more"
		} else if err != nil {
			return fmt.Errorf("check mutants of %s: %w", m.File, err)
		}
	}
	return nil
}

// Read reports whether a file was read: those that were not have no mutants but reverts.
func (r *Result) Read(file string) bool {
	_, ok := r.lines[file]
	return ok
}

// Declare makes every place of the files that tests were seen to load known to a reach map, so that code which no test reaches is told
// from code that nobody measured. Of a file that was never seen nothing is known: a process that was killed may have run it. Call it
// where all tests were measured by the lines that they run.
func (r *Result) Declare(reach *mutate.Reach, loaded map[string]bool) {
	for file, n := range r.lines {
		if loaded[file] {
			reach.Known(file, mutate.Block{StartLine: 1, StartCol: 1, EndLine: n + 1, EndCol: 1})
		}
	}
}
