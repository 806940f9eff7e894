package golang

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"sync"

	"github.com/vallane/lane/mutate"
)

// Options says where code is found. Tree is needed; everything else makes more viability proven.
type Options struct {
	// Tree is the head tree.
	Tree fs.FS
	// GOROOT is the toolchain's folder (with src/ in it); nil = the library's types are unknown, and so is what
	// compiles.
	GOROOT fs.FS
	// Dependency finds a package outside of the tree, its vendor folders and the library: an fs.FS and a folder in
	// it; see ModuleCache. nil = there is none.
	Dependency func(importPath string) (tree fs.FS, dir string, ok bool)
	// GOOS and GOARCH of the tests; "" = linux, amd64.
	GOOS, GOARCH string
	// Tags are build tags of the test command.
	Tags []string
	// Operators to use, by name; nil = all of Operators() but those that are only used by name.
	Operators []string
	// Workers check viability at once; 0 = the number of CPUs.
	Workers int
}

// Result is what was found in some files.
type Result struct {
	Mutants []mutate.Mutant // in the order of files and places
	// Unproven names packages whose mutants' viability is left to the build, with the reason.
	Unproven map[string]string
	// Unparsed names files that are no Go: they have no mutants but reverts.
	Unparsed map[string]string

	candidates map[string]*candidate // by id
	workers    int
}

// Mutants returns every mutant of the given files, with its viability proven: it is [Find] and [Result.Prove] in one.
func Mutants(ctx context.Context, o Options, files []string) (*Result, error) {
	res, err := Find(ctx, o, files)
	if err != nil {
		return nil, err
	}
	all := make([]*mutate.Mutant, len(res.Mutants))
	for i := range all {
		all[i] = &res.Mutants[i]
	}
	return res, res.Prove(ctx, all)
}

// Find returns every mutant of the given files, and leaves it to Prove which of them compile. Files that are tests or
// no Go are passed over.
func Find(ctx context.Context, o Options, files []string) (*Result, error) {
	c := newChecker(o)
	byDir := map[string][]string{}
	var dirs []string
	for _, f := range files {
		if !IsSource(f) {
			continue
		}
		d := path.Dir(f)
		if byDir[d] == nil {
			dirs = append(dirs, d)
		}
		byDir[d] = append(byDir[d], f)
	}
	res := &Result{Unproven: map[string]string{}, Unparsed: map[string]string{}, candidates: map[string]*candidate{}, workers: o.Workers}
	if res.workers <= 0 {
		res.workers = runtime.NumCPU()
	}
	for _, d := range dirs {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("find mutants: %w", ctx.Err())
		}
		p, err := c.loadPkg(d)
		if err != nil {
			return nil, fmt.Errorf("read package %s: %w", d, err)
		}
		if p.unknown != "" {
			res.Unproven[d] = p.unknown
		}
		for _, f := range byDir[d] {
			s := p.files[f]
			switch {
			case s == nil:
			case s.ast == nil:
				res.Unparsed[f] = short(s.err)
			default:
				res.add(p.candidates(s))
			}
		}
	}
	return res, nil
}

func (r *Result) add(cands []*candidate) {
	for _, c := range cands {
		r.candidates[c.ID] = c
		r.Mutants = append(r.Mutants, c.Mutant)
	}
}

// Prove finds out which of the mutants compile. Those that are proven not to get Known = unviable, those whose code is
// the same Known = equivalent; some get another edit that does the same and compiles. The ids do not change. Mutants
// that this Result does not hold are left alone. It is what the Prove field of [mutate.Scope] calls: a plan then has
// proven what it takes, and nothing else.
func (r *Result) Prove(ctx context.Context, ms []*mutate.Mutant) error {
	var wg sync.WaitGroup
	next := make(chan *mutate.Mutant)
	for range min(r.workers, len(ms)) {
		wg.Go(func() {
			for m := range next {
				if c := r.candidates[m.ID]; c != nil {
					c.once.Do(c.prove)
					m.Offset, m.Length, m.Original, m.Replacement = c.Offset, c.Length, c.Original, c.Replacement
					m.Known, m.Why = c.Known, c.Why
				}
			}
		})
	}
	for _, m := range ms {
		if ctx.Err() != nil {
			break
		}
		next <- m
	}
	close(next)
	wg.Wait()
	if ctx.Err() != nil {
		return fmt.Errorf("check which mutants compile: %w", ctx.Err())
	}
	return nil
}

// candidate is a mutant whose viability is not proven yet. keep is a second form of the same fault that goes on using
// what the first one leaves unused; nil = there is none.
type candidate struct {
	mutate.Mutant
	pkg  *pkg
	src  *source
	fn   *ast.FuncDecl // that it lies in; nil = in none
	keep *edit
	once sync.Once

	value value
}

// edit replaces bytes [off, end) of a file.
type edit struct {
	off, end int
	text     string
}

// prove checks the candidate's viability. Where the type checker itself gives out on a text, the build decides.
func (c *candidate) prove() {
	defer func() { _ = recover() }()
	p := c.pkg
	out, err := c.Apply(c.src.src)
	if err != nil {
		c.Known, c.Why = mutate.Unviable, err.Error()
		return
	}
	if normalize(out) == c.src.normal() {
		c.Known, c.Why = mutate.Equivalent, "the same tokens"
		return
	}
	v := p.viableIn(c.src, c.fn, edit{c.Offset, c.Offset + c.Length, string(c.Replacement)})
	if v.bad && v.unused && c.keep != nil {
		if v2 := p.viableIn(c.src, c.fn, *c.keep); !v2.bad {
			c.setEdit(*c.keep)
			v = v2
		}
	}
	if v.bad {
		c.Known, c.Why = mutate.Unviable, v.why
	}
}

func (c *candidate) setEdit(e edit) {
	c.Offset, c.Length = e.off, e.end-e.off
	c.Original, c.Replacement = mutate.Text(c.src.src[e.off:e.end]), mutate.Text(e.text)
}

// candidates walks one file and applies every operator.
func (p *pkg) candidates(s *source) []*candidate {
	w := &walker{p: p, s: s, ordinals: map[string]int{}, generated: ast.IsGenerated(s.ast)}
	for _, d := range s.ast.Decls {
		w.fn = nil
		if fn, ok := d.(*ast.FuncDecl); ok {
			w.fn = fn
		}
		w.stack = w.stack[:0]
		ast.Inspect(d, w.visit)
	}
	slices.SortStableFunc(w.out, func(a, b *candidate) int { return cmp.Or(a.Line-b.Line, a.Col-b.Col) })
	return w.out
}
