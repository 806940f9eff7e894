package golang

import (
	"context"
	"fmt"
	"go/ast"
	"path"
	"strings"

	"github.com/vallane/lane/mutate"
)

// Annotate adds to reverts what Go knows about them: the function that they lie in, which tests reach them, whether
// they compile, whether they change anything but layout and comments. Mutants of other files and of other origins are
// left as they are. The ids do not change.
func Annotate(ctx context.Context, o Options, ms []mutate.Mutant) error {
	c := newChecker(o)
	pkgs := map[string]*pkg{}
	for i := range ms {
		m := &ms[i]
		if m.Origin != mutate.Revert || m.Kind != mutate.Edit || !IsSource(m.File) {
			continue
		}
		if ctx.Err() != nil {
			return fmt.Errorf("check reverts: %w", ctx.Err())
		}
		dir := path.Dir(m.File)
		p := pkgs[dir]
		if p == nil {
			var err error
			if p, err = c.loadPkg(dir); err != nil {
				return fmt.Errorf("read package %s: %w", dir, err)
			}
			pkgs[dir] = p
		}
		if s := p.files[m.File]; s != nil {
			p.annotate(s, m)
		}
	}
	return nil
}

func (p *pkg) annotate(s *source, m *mutate.Mutant) {
	out, err := m.Apply(s.src)
	if err != nil {
		m.Known, m.Why = mutate.Unviable, err.Error()
		return
	}
	if s.ast != nil {
		if ast.IsGenerated(s.ast) && m.Arid == "" {
			m.Arid = AridGenerated
		}
		p.locate(s, m)
	}
	if normalize(out) == s.normal() {
		m.Known, m.Why = mutate.Equivalent, "it differs in layout and comments alone"
		return
	}
	if v := p.viable(m.File, out); v.bad {
		m.Known, m.Why = mutate.Unviable, v.why
	}
}

// locate finds the functions that a hunk touches. Where it touches anything else, a declaration that any code may
// use, lines cannot tell who reaches it.
func (p *pkg) locate(s *source, m *mutate.Mutant) {
	line := func(n ast.Node) mutate.Range {
		return mutate.Range{Start: p.fset.PositionFor(n.Pos(), false).Line, End: p.fset.PositionFor(n.End(), false).Line}
	}
	if strings.Contains("\n"+string(m.Original)+"\n"+string(m.Replacement), "\nfunc ") {
		return // declarations come and go
	}
	start, end := m.Line, m.EndLine
	if m.Length == 0 {
		end-- // a deletion lies before its line
	}
	var names []string
	reach := mutate.Range{}
	for _, d := range s.ast.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		body := line(fn.Body)
		// Within the body, signature excluded: its lines run only when the function does.
		if body.Start < start && end < body.End {
			names = append(names, funcName(fn))
			reach = line(fn)
		}
	}
	if len(names) == 1 {
		m.Func, m.Reach = names[0], reach
	}
}
