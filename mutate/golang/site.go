package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/vallane/lane/mutate"
)

// site is an expression with what its mutants make of its value. In the copy of its function that is for recording, a call of a function
// of its own stands for it, which evaluates the operands once, notes whether the values differ, and returns what the expression would.
type site struct {
	expr     ast.Expr // without parentheses
	from, to int      // in the source
	mutants  []*mutate.Mutant
	values   []value

	form   form
	result string // type of the value
	param  string // type of the operands
	cast   bool   // the operands have a type of that kind which has no name here
	enters bool   // it may panic, and some mutant would not: what began and did not end is counted as a difference

	name string // of its function
	at   int    // first of its words in the record: begun, ended, and a word for each mutant
}

// form is how a site is written.
type form int

const (
	whole   form = iota // the value itself is handed over
	operand             // -x: x is
	both                // x < y, x + y: x and y are
	shorted             // x && y, x || y: x is, and y beside it, which has no effects and stands on one line
)

// newSite finds out how a site can be written, and leaves out the mutants whose value nobody can tell; nil where none is left.
//
// What is recorded has to be what the mutated program would do, as long as no value differs. So what a mutant does not evaluate may
// have no effect; what it evaluates beyond the original may neither have one nor panic; and the operands of one operator must not
// depend on the order in which they are evaluated, which the language leaves open.
func (p *pkg) newSite(e ast.Expr) *site {
	t, b := p.basic(e)
	if t == nil || p.constantOf(e) != nil {
		return nil
	}
	s := &site{expr: e, from: p.fset.PositionFor(e.Pos(), false).Offset, to: p.fset.PositionFor(e.End(), false).Offset, result: p.spelled(t)}
	if s.result == "" {
		return nil
	}
	s.param = s.result
	switch x := e.(type) {
	case *ast.UnaryExpr:
		if x.Op == token.SUB && b.Info()&types.IsInteger != 0 {
			s.form = operand
		}
	case *ast.BinaryExpr:
		p.binarySite(s, x, b)
	}
	return s
}

func (p *pkg) binarySite(s *site, x *ast.BinaryExpr, b *types.Basic) {
	fx, fy := p.effectsOf(x.X), p.effectsOf(x.Y)
	if x.Op == token.LAND || x.Op == token.LOR {
		if fx != anything && fy == none && s.result == "bool" && p.fset.Position(x.Y.Pos()).Line == p.fset.Position(x.Y.End()).Line {
			s.form = shorted
		}
		return
	}
	tx, bx := p.basic(x.X)
	ty, _ := p.basic(x.Y)
	switch {
	case tx == nil || ty == nil || !types.Identical(tx, ty) || !p.inOrder(x, fx, fy):
		return
	case comparison(x.Op) == token.ILLEGAL && b.Info()&types.IsInteger == 0:
		return // a processor may round an operation otherwise where it stands alone
	case comparison(x.Op) == token.ILLEGAL && calculation(x.Op) == token.ILLEGAL:
		return
	case comparison(x.Op) != token.ILLEGAL && s.result != "bool":
		return
	}
	s.form, s.param = both, p.spelled(tx)
	if s.param == "" {
		s.param, s.cast = bx.Name(), true
	}
}

// inOrder reports whether the operands of x give the same values as arguments of a call. Only calls are ordered by the language.
func (p *pkg) inOrder(x *ast.BinaryExpr, fx, fy effects) bool {
	if fx != anything && fy != anything || p.constantOf(x.X) != nil || p.constantOf(x.Y) != nil {
		return true
	}
	_, one := ast.Unparen(x.X).(*ast.CallExpr)
	_, two := ast.Unparen(x.Y).(*ast.CallExpr)
	return one && two
}

// take adds a mutant where its value can be told.
func (p *pkg) take(s *site, m *mutate.Mutant, v value) {
	switch {
	case v.op != token.ILLEGAL && s.form == whole, v.opposite && s.result != "bool":
		return
	case v.text != "":
		if !constantFits(s.result, p, s.expr, v.text) {
			return
		}
		switch p.effectsOf(s.expr) {
		case anything:
			return
		case panics:
			if s.result != "bool" {
				return
			}
			s.enters = true
		}
	}
	s.mutants, s.values = append(s.mutants, m), append(s.values, v)
}

func constantFits(result string, p *pkg, e ast.Expr, text string) bool {
	_, b := p.basic(e)
	switch {
	case b.Info()&types.IsBoolean != 0:
		return result == "bool" && (text == "true" || text == "false")
	case b.Info()&types.IsString != 0:
		return strings.HasPrefix(text, `"`)
	}
	return text == "0" || text == "1"
}

// words is how many words of the record the site has.
func (s *site) words() int { return s.word(len(s.values)) - s.at }

// word is that of the i-th mutant, from 0.
func (s *site) word(i int) int { return s.at + mutate.SiteHead + i }

// text is what stands for the expression. render returns the source of a range with the sites in it.
func (s *site) text(src []byte, offset func(token.Pos) int, render func(from, to int) string) string {
	part := func(n ast.Node) (from, to int) { return offset(n.Pos()), offset(n.End()) }
	arg := func(n ast.Node) string {
		text := render(part(n))
		if s.cast {
			return s.param + "(" + text + ")"
		}
		return text
	}
	begin := ""
	if s.enters {
		begin = s.name + "e() && "
	}
	switch s.form {
	case operand:
		return s.name + "(" + arg(s.expr.(*ast.UnaryExpr).X) + ")"
	case both:
		x := s.expr.(*ast.BinaryExpr)
		before, after := between(src, offset, x)
		return wrap(begin+s.name+"("+arg(x.X)+before+","+after+arg(x.Y)+")", s.enters)
	case shorted:
		x := s.expr.(*ast.BinaryExpr)
		before, after := between(src, offset, x)
		from, to := part(x.Y)
		return "(" + begin + "(" + s.name + "(" + render(part(x.X)) + ", " + string(src[from:to]) + ")" + before + x.Op.String() + after + render(from, to) + "))"
	}
	return s.name + "(" + begin + wrap(render(s.from, s.to), s.enters) + ")"
}

// between is what stands before and after an operator, line breaks included.
func between(src []byte, offset func(token.Pos) int, x *ast.BinaryExpr) (before, after string) {
	at := offset(x.OpPos)
	return string(src[offset(x.X.End()):at]), string(src[at+len(x.Op.String()) : offset(x.Y.Pos())])
}

// function is the Go source of the site's function. note and count are names of functions that set a word and add to one.
func (s *site) function(note, count string) string {
	var b strings.Builder
	params, original := "x "+s.param, s.original()
	if s.form == both || s.form == shorted {
		params = "x, y " + s.param
	}
	if s.enters {
		fmt.Fprintf(&b, "func %se() bool { %s(%d); return true }\n", s.name, count, s.at)
	}
	fmt.Fprintf(&b, "func %s(%s) %s {\n", s.name, params, s.result)
	if x, ok := s.expr.(*ast.BinaryExpr); ok && s.form == both && (x.Op == token.QUO || x.Op == token.REM) {
		fmt.Fprintf(&b, "if y == 0 {\n") // it panics, and no mutant would
		for i := range s.values {
			fmt.Fprintf(&b, "%s(%d)\n", note, s.word(i))
		}
		b.WriteString("}\n")
	}
	fmt.Fprintf(&b, "v := %s\n", original)
	for i, v := range s.values {
		undefined := ""
		if v.op == token.QUO && s.form == both {
			undefined = "y == 0 || "
		}
		fmt.Fprintf(&b, "if %sv != %s { %s(%d) }\n", undefined, s.changed(v), note, s.word(i))
	}
	if s.enters {
		fmt.Fprintf(&b, "%s(%d)\n", count, s.at+1)
	}
	back := "v"
	if s.form == shorted {
		back = "x"
	}
	fmt.Fprintf(&b, "return %s\n}\n", back)
	return b.String()
}

func (s *site) original() string {
	switch s.form {
	case operand:
		return "-x"
	case both, shorted:
		return "x " + s.expr.(*ast.BinaryExpr).Op.String() + " y"
	}
	return "x"
}

func (s *site) changed(v value) string {
	switch {
	case v.text != "":
		return v.text
	case v.opposite:
		return "!v"
	case s.form == operand:
		return "x"
	}
	return "(x " + v.op.String() + " y)"
}
