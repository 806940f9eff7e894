package syntax

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

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
	// Unread holds, by file, the lines that the grammar does not know. They have no mutants but reverts.
	Unread map[string][]mutate.Range

	opts   Options
	around map[string][]span // of each mutant, by id
	read   map[string]bool
}

// span is a run of bytes of a source.
type span struct{ start, end int }

// Find returns every mutant of the given files, and leaves it to Prove which of them are still of the language. Files that are tests
// or of other languages are passed over.
func Find(ctx context.Context, o Options, files []string) (res *Result, err error) {
	res = &Result{Unparsed: map[string]string{}, Unread: map[string][]mutate.Range{}, opts: o, around: map[string][]span{}, read: map[string]bool{}}
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
		root, _, err := parsers.Of(grammarOf(name)).ParseAround(ctx, src)
		if why := treesitter.WhyUnread(err); why != "" {
			res.Unparsed[name] = why
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("find mutants in %s: %w", name, err)
		}
		w := newWalker(name, src, root)
		w.operators, w.around = o.Operators, res.around
		w.walk(root)
		res.Mutants = append(res.Mutants, w.f.Mutants()...)
		res.read[name] = true
		if len(w.unread) > 0 {
			res.Unread[name] = w.unread
		}
	}
	return res, nil
}

func newWalker(name string, src []byte, root *node) *walker {
	return &walker{language: languages[path.Ext(name)], f: edit.New(name, src), everywhere: unwanted(src, root), contexts: map[*node]string{}, heredocs: heredocsOf(root)}
}

// Read reports whether a file was read: those that were not have no mutants but reverts.
func (r *Result) Read(file string) bool { return r.read[file] }

// Prove finds out which of the mutants are still of the language; the others get Known = unviable. It is what the Prove field of
// [mutate.Scope] calls. Mutants that this Result does not hold are left alone.
func (r *Result) Prove(ctx context.Context, ms []*mutate.Mutant) (err error) {
	parsers := treesitter.Parsers{}
	defer func() { err = errors.Join(err, parsers.Close(ctx)) }()
	sources := map[string]*source{}
	for _, m := range ms {
		around := r.around[m.ID]
		if around == nil || m.Origin != mutate.Own {
			continue
		}
		s := sources[m.File]
		if s == nil {
			s = &source{alone: map[span]bool{}}
			if s.data, err = fs.ReadFile(r.opts.Tree, m.File); err != nil {
				return fmt.Errorf("check mutants: %w", err)
			}
			sources[m.File] = s
		}
		out, err := m.Apply(s.data)
		if err != nil {
			m.Known, m.Why = mutate.Unviable, err.Error()
			continue
		}
		// As little as can be read alone: large files have many mutants.
		in, ok, err := s.smallest(ctx, parsers.Of(grammarOf(m.File)), around)
		if err == nil && ok {
			err = parsers.Of(grammarOf(m.File)).Check(ctx, out[in.start:in.end+len(out)-len(s.data)])
		}
		if treesitter.WhyUnread(err) != "" {
			m.Known, m.Why = mutate.Unviable, "it is no syntax of the language any more"
		} else if err != nil {
			return fmt.Errorf("check mutants of %s: %w", m.File, err)
		}
	}
	return nil
}

// source is a file under check.
type source struct {
	data  []byte
	alone map[span]bool // what can be read alone
}

// smallest returns the first of some pieces that can be read alone; false where none can.
func (s *source) smallest(ctx context.Context, p *treesitter.Parser, pieces []span) (span, bool, error) {
	for _, piece := range pieces {
		ok, known := s.alone[piece]
		if !known {
			err := p.Check(ctx, s.data[piece.start:piece.end])
			if err != nil && treesitter.WhyUnread(err) == "" {
				return span{}, false, err
			}
			ok = err == nil
			s.alone[piece] = ok
		}
		if ok {
			return piece, true, nil
		}
	}
	return span{}, false, nil
}
