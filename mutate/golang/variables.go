package golang

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// maxInitial bounds the bytes of an initial value that is switched: each mutant is a copy of it.
const maxInitial = 400

// initial is the initial value of a variable of a package. In a switched file a function stands for it, which is called in its place and
// returns it, or what a mutant makes of it. That the function refers to the switch has it initialized before.
type initial struct {
	name     *ast.Ident
	expr     ast.Expr
	typ      string // as it is written in the file
	from, to int
}

// initialAt finds the initial value that a range of a file lies in; nil where there is none that can be switched.
func (c *candidate) initialAt(offset, length int) *initial {
	p, s := c.pkg, c.src
	for _, d := range s.ast.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, sp := range g.Specs {
			v := sp.(*ast.ValueSpec)
			for i, e := range v.Values {
				from, to := p.fset.PositionFor(e.Pos(), false).Offset, p.fset.PositionFor(e.End(), false).Offset
				if offset < from || to < offset+length || len(v.Names) != len(v.Values) || to-from > maxInitial || embedded(g, v) {
					continue
				}
				if typ := p.written(s, v, e); typ != "" {
					return &initial{name: v.Names[i], expr: e, typ: typ, from: from, to: to}
				}
			}
		}
	}
	return nil
}

// embedded reports whether the compiler is told something about a variable, as of files that go into it.
func embedded(g *ast.GenDecl, v *ast.ValueSpec) bool {
	for _, doc := range []*ast.CommentGroup{g.Doc, v.Doc} {
		if doc == nil {
			continue
		}
		for _, c := range doc.List {
			if strings.HasPrefix(c.Text, "//go:") {
				return true
			}
		}
	}
	return false
}

// written is the type of a variable as its file can write it; "" where nobody knows how.
func (p *pkg) written(s *source, v *ast.ValueSpec, e ast.Expr) string {
	text := func(n ast.Node) string {
		return string(s.src[p.fset.PositionFor(n.Pos(), false).Offset:p.fset.PositionFor(n.End(), false).Offset])
	}
	if v.Type != nil {
		return text(v.Type)
	}
	if l, ok := ast.Unparen(e).(*ast.CompositeLit); ok && l.Type != nil {
		if a, ok := l.Type.(*ast.ArrayType); ok {
			if _, open := a.Len.(*ast.Ellipsis); open {
				return ""
			}
		}
		return text(l.Type)
	}
	t := p.info.TypeOf(e)
	if t == nil {
		return ""
	}
	return p.spelled(types.Unalias(types.Default(t)))
}

// initials writes the initial value of a variable with its mutants; "" where that does not compile.
func (w *switcher) initials(s *source, ms []switchedMutant, null string) string {
	in, p := ms[0].initial, ms[0].c.pkg
	var out bytes.Buffer
	line := func(offset int) string {
		pos := p.fset.PositionFor(p.fset.File(s.ast.FileStart).Pos(offset), false)
		return fmt.Sprintf("/*line :%d:%d*/", pos.Line, pos.Column)
	}
	values := map[string]string{}
	fmt.Fprintf(&out, "func() %s { if *lane%s != 0 { switch *lane%s {\n", in.typ, w.name, w.name)
	fmt.Fprintf(&out, "case %s: return %s%s\n", null, line(in.from), s.src[in.from:in.to])
	for _, m := range ms {
		v := w.value()
		values[m.m.ID] = v
		end := m.m.Offset + m.m.Length
		fmt.Fprintf(&out, "case %s: return %s%s%s%s\n", v, line(in.from), s.src[in.from:m.m.Offset], m.m.Replacement, s.src[end:in.to])
	}
	fmt.Fprintf(&out, "}}; return %s%s }()%s", line(in.from), s.src[in.from:in.to], line(in.to))
	if !p.compiles(s, nil, edit{in.from, in.to, out.String()}, fmt.Sprintf("package %s\nvar lane%s *uint32\n", s.ast.Name.Name, w.name)) {
		return ""
	}
	for id, v := range values {
		w.out.Value[id] = v
	}
	return out.String()
}
