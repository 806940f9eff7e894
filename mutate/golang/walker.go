package golang

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"slices"

	"github.com/vallane/lane/mutate"
	sources "github.com/vallane/lane/mutate/edit"
)

// walker visits the nodes of a file with the path that leads to them.
type walker struct {
	p         *pkg
	s         *source
	fn        *ast.FuncDecl // the function that holds the node; nil outside of functions
	stack     []ast.Node    // from the declaration to the node itself
	ordinals  map[string]int
	generated bool
	out       []*candidate
}

func (w *walker) visit(n ast.Node) bool {
	if n == nil {
		w.stack = w.stack[:len(w.stack)-1]
		return true
	}
	w.stack = append(w.stack, n)
	for _, op := range operators {
		if w.p.c.opts.Operators == nil && !op.named || slices.Contains(w.p.c.opts.Operators, op.name) {
			op.apply(w, op.name, n)
		}
	}
	return true
}

// parent returns the i-th node above the visited one, 0 being itself; nil above the declaration.
func (w *walker) parent(i int) ast.Node {
	if j := len(w.stack) - 1 - i; j >= 0 {
		return w.stack[j]
	}
	return nil
}

func (w *walker) offset(p token.Pos) int { return w.p.fset.PositionFor(p, false).Offset }

// text returns the source of a node.
func (w *walker) text(n ast.Node) string { return w.between(n.Pos(), n.End()) }

func (w *walker) between(from, to token.Pos) string {
	return string(w.s.src[w.offset(from):w.offset(to)])
}

// fault is one application of an operator.
type fault struct {
	op   string
	edit edit
	keep *edit
	// at is the place that is shown and looked up in the coverage; to is the end of the lines that it concerns.
	at, to token.Pos
	say    string // description
	value  value  // what it makes of an expression's value, where that can be told
}

func (w *walker) add(f fault) {
	f.edit.text = sources.Apart(w.s.src, f.edit.off, f.edit.end, f.edit.text)
	at, to := w.p.fset.PositionFor(f.at, false), w.p.fset.PositionFor(f.to, false)
	m := mutate.Mutant{
		File: w.s.path, Line: at.Line, Col: at.Column, EndLine: max(at.Line, to.Line),
		Operator: f.op, Func: funcName(w.fn), Origin: mutate.Own, Description: f.say, Arid: w.arid(),
	}
	if f := w.outermost(); f != nil {
		m.Exact = true
		m.Reach = mutate.Range{Start: w.p.fset.PositionFor(f.Pos(), false).Line, End: w.p.fset.PositionFor(f.End(), false).Line}
	}
	c := &candidate{Mutant: m, pkg: w.p, src: w.s, fn: w.fn, keep: f.keep, value: f.value}
	c.setEdit(f.edit)
	// The context is the statement around the fault, without the blocks that hang below it.
	context := flat([]byte(w.statement()))
	what := flat([]byte(string(c.Original))) + " => " + flat([]byte(f.edit.text))
	key := m.Func + "\x00" + f.op + "\x00" + context + "\x00" + what
	c.ID = mutate.NewID(m.File, m.Func, f.op, w.ordinals[key], context, what)
	w.ordinals[key]++
	w.out = append(w.out, c)
}

// outermost returns the outermost function around the visited node, declared or literal; nil where there is none.
func (w *walker) outermost() ast.Node {
	if w.fn != nil {
		return w.fn
	}
	for _, n := range w.stack {
		if lit, ok := n.(*ast.FuncLit); ok {
			return lit
		}
	}
	return nil
}

// statement returns the head of the innermost statement or declaration that holds the visited node.
func (w *walker) statement() string {
	for i := len(w.stack) - 1; i >= 0; i-- {
		switch n := w.stack[i].(type) {
		case *ast.IfStmt:
			return w.between(n.Pos(), n.Body.Pos())
		case *ast.ForStmt:
			return w.between(n.Pos(), n.Body.Pos())
		case *ast.RangeStmt:
			return w.between(n.Pos(), n.Body.Pos())
		case *ast.SwitchStmt:
			return w.between(n.Pos(), n.Body.Pos())
		case *ast.TypeSwitchStmt:
			return w.between(n.Pos(), n.Body.Pos())
		case *ast.CaseClause:
			return w.between(n.Pos(), n.Colon)
		case *ast.CommClause:
			return w.between(n.Pos(), n.Colon)
		case *ast.BlockStmt, *ast.LabeledStmt:
			continue
		case ast.Stmt, ast.Spec:
			return w.text(n)
		}
	}
	return ""
}

// funcName names a function as people do: "F", "T.M", "(*T).M".
func funcName(fn *ast.FuncDecl) string {
	if fn == nil {
		return ""
	}
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	t, star := fn.Recv.List[0].Type, ""
	if s, ok := t.(*ast.StarExpr); ok {
		t, star = s.X, "*"
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	name := "?"
	if id, ok := t.(*ast.Ident); ok {
		name = id.Name
	}
	if star != "" {
		return "(*" + name + ")." + fn.Name.Name
	}
	return name + "." + fn.Name.Name
}

// oneLine shortens source for a description.
func oneLine(s string) string {
	s = string(bytes.Join(bytes.Fields([]byte(s)), []byte(" ")))
	if r := []rune(s); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return s
}

func swap(from, to string) string {
	return fmt.Sprintf("`%s` -> `%s`", oneLine(from), oneLine(to))
}
