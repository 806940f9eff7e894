package golang

import (
	"go/ast"
	"go/token"
	"go/types"
)

// operator makes faults of one kind.
type operator struct {
	name  string
	doc   string
	apply func(w *walker, name string, n ast.Node)
	named bool // is used only where its name is given
}

// operators in the order in which a place is mutated.
var operators = [...]operator{
	{name: "boundary", doc: "`<` becomes `<=`, `>` becomes `>=`, and back", apply: binary(boundary)},
	{name: "comparison", doc: "a comparison becomes its negation", apply: binary(comparison)},
	{name: "arithmetic", doc: "`+` becomes `-`, `*` becomes `/`, `%` becomes `*`, and back; also in assignments", apply: arithmetic},
	{name: "bitwise", doc: "`&` becomes `|`; `|`, `^` and `&^` become `&`; also in assignments", apply: onBits(bits)},
	{name: "shift", doc: "`<<` becomes `>>`, and back; also in assignments", apply: onBits(shifts)},
	{name: "logical", doc: "`&&` becomes `||`, and back", apply: binary(logical)},
	{name: "boolean", doc: "`true` becomes `false`, and back", apply: boolean},
	{name: "unary", doc: "`!x` and `-x` become `x`", apply: unary},
	{name: "incdec", doc: "`x++` becomes `x--`, and back", apply: incDec},
	{name: "condition", doc: "an if condition is always true, or never; a loop is never entered", apply: condition},
	{name: "branch", doc: "an else, or a case of a switch or select, does nothing", apply: branch},
	{name: "jump", doc: "`break` becomes `continue`, and back", apply: jump},
	{name: "slice", doc: "a bound of a slice expression is taken away", apply: bounds},
	{name: "return", doc: "a result becomes its type's zero value, or another value where it is that already", apply: returnValue},
	{name: "statement", doc: "a call, an assignment, a send, a defer or a go statement is taken away", apply: statement},
	{name: "constant", doc: "a number becomes one more, a string becomes empty, or not", apply: constantValue, named: true},
}

// OperatorDoc names an operator and says what it does. Named ones are used only where their name is given.
type OperatorDoc struct {
	Name, Doc string
	Named     bool
}

// Operators lists all operators.
func Operators() []OperatorDoc {
	var out []OperatorDoc
	for _, o := range operators {
		out = append(out, OperatorDoc{o.name, o.doc, o.named})
	}
	return out
}

func boundary(t token.Token) token.Token {
	switch t {
	case token.LSS:
		return token.LEQ
	case token.LEQ:
		return token.LSS
	case token.GTR:
		return token.GEQ
	case token.GEQ:
		return token.GTR
	}
	return token.ILLEGAL
}

func comparison(t token.Token) token.Token {
	switch t {
	case token.EQL:
		return token.NEQ
	case token.NEQ:
		return token.EQL
	case token.LSS:
		return token.GEQ
	case token.GEQ:
		return token.LSS
	case token.GTR:
		return token.LEQ
	case token.LEQ:
		return token.GTR
	}
	return token.ILLEGAL
}

func logical(t token.Token) token.Token {
	switch t {
	case token.LAND:
		return token.LOR
	case token.LOR:
		return token.LAND
	}
	return token.ILLEGAL
}

func calculation(t token.Token) token.Token {
	switch t {
	case token.ADD:
		return token.SUB
	case token.SUB:
		return token.ADD
	case token.MUL:
		return token.QUO
	case token.QUO, token.REM:
		return token.MUL
	}
	return token.ILLEGAL
}

// binary makes an operator that swaps one binary operator for another.
func binary(swapped func(token.Token) token.Token) func(*walker, string, ast.Node) {
	return func(w *walker, name string, n ast.Node) {
		b, ok := n.(*ast.BinaryExpr)
		if !ok {
			return
		}
		if to := swapped(b.Op); to != token.ILLEGAL {
			w.add(w.swapBinary(name, b, to))
		}
	}
}

// swapBinary replaces the operator alone where that leaves the expression's shape as it is. Where the new operator
// binds otherwise, operands and the whole are put in parentheses: `a && b && c` becomes `(a || b) && c`.
func (w *walker) swapBinary(name string, b *ast.BinaryExpr, to token.Token) fault {
	f := fault{op: name, at: b.OpPos, to: b.Y.Pos(), say: swap(b.Op.String(), to.String()), value: value{of: b, op: to}}
	opEnd := b.OpPos + token.Pos(len(b.Op.String()))
	x, y := prec(b.X) < to.Precedence(), prec(b.Y) <= to.Precedence()
	_, inside := w.parent(1).(*ast.BinaryExpr)
	whole := inside && to.Precedence() < b.Op.Precedence()
	if !x && !y && !whole {
		f.edit = edit{w.offset(b.OpPos), w.offset(opEnd), to.String()}
		return f
	}
	text := wrap(w.between(b.X.Pos(), b.X.End()), x) + w.between(b.X.End(), b.OpPos) + to.String() +
		w.between(opEnd, b.Y.Pos()) + wrap(w.between(b.Y.Pos(), b.Y.End()), y)
	f.edit = edit{w.offset(b.Pos()), w.offset(b.End()), wrap(text, whole)}
	return f
}

func wrap(s string, yes bool) string {
	if yes {
		return "(" + s + ")"
	}
	return s
}

// prec is the precedence of an expression: that of its operator, or higher than any.
func prec(e ast.Expr) int {
	if b, ok := e.(*ast.BinaryExpr); ok {
		return b.Op.Precedence()
	}
	return token.HighestPrec + 1
}

func arithmetic(w *walker, name string, n ast.Node) {
	binary(calculation)(w, name, n)
	a, ok := n.(*ast.AssignStmt)
	if !ok {
		return
	}
	to := token.ILLEGAL
	switch a.Tok {
	case token.ADD_ASSIGN:
		to = token.SUB_ASSIGN
	case token.SUB_ASSIGN:
		to = token.ADD_ASSIGN
	case token.MUL_ASSIGN:
		to = token.QUO_ASSIGN
	case token.QUO_ASSIGN, token.REM_ASSIGN:
		to = token.MUL_ASSIGN
	default:
		return
	}
	w.swapToken(name, a.TokPos, a.Tok, to)
}

func (w *walker) swapToken(name string, pos token.Pos, from, to token.Token) {
	end := pos + token.Pos(len(from.String()))
	w.add(fault{
		op: name, at: pos, to: pos, say: swap(from.String(), to.String()),
		edit: edit{w.offset(pos), w.offset(end), to.String()},
	})
}

func boolean(w *walker, name string, n ast.Node) {
	id, ok := n.(*ast.Ident)
	if !ok || (id.Name != "true" && id.Name != "false") {
		return
	}
	if sel, ok := w.parent(1).(*ast.SelectorExpr); ok && sel.Sel == id {
		return
	}
	if kv, ok := w.parent(1).(*ast.KeyValueExpr); ok && kv.Key == id && w.p.info.Uses[id] == nil {
		return // a field of that name
	}
	if o := w.p.info.Uses[id]; o != nil && o.Parent() != types.Universe {
		return
	}
	if w.p.info.Defs[id] != nil {
		return
	}
	if _, ok := w.parent(1).(*ast.ReturnStmt); ok {
		return // the return operator does the same
	}
	to := "true"
	if id.Name == "true" {
		to = "false"
	}
	w.add(fault{op: name, at: id.Pos(), to: id.Pos(), say: swap(id.Name, to), edit: edit{w.offset(id.Pos()), w.offset(id.End()), to}})
}

func unary(w *walker, name string, n ast.Node) {
	u, ok := n.(*ast.UnaryExpr)
	if !ok || (u.Op != token.NOT && u.Op != token.SUB) {
		return
	}
	from := w.text(u)
	to := w.between(u.X.Pos(), u.X.End())
	v := value{of: u, opposite: u.Op == token.NOT}
	if u.Op == token.SUB {
		v.op = token.ADD
	}
	w.add(fault{op: name, at: u.Pos(), to: u.Pos(), say: swap(from, to), edit: edit{w.offset(u.Pos()), w.offset(u.X.Pos()), ""}, value: v})
}

func incDec(w *walker, name string, n ast.Node) {
	if s, ok := n.(*ast.IncDecStmt); ok {
		to := token.INC
		if s.Tok == token.INC {
			to = token.DEC
		}
		w.swapToken(name, s.TokPos, s.Tok, to)
	}
}

// condition keeps the original beside the constant, so that nothing it uses becomes unused.
func condition(w *walker, name string, n ast.Node) {
	switch s := n.(type) {
	case *ast.IfStmt:
		w.force(name, s.Cond, "true", "||")
		w.force(name, s.Cond, "false", "&&")
	case *ast.ForStmt:
		if s.Cond != nil {
			w.force(name, s.Cond, "false", "&&")
		}
	}
}

func (w *walker) force(name string, cond ast.Expr, constant, op string) {
	src := w.text(cond)
	text := constant + " " + op + " " + wrap(src, prec(cond) < token.LAND.Precedence()+1 && prec(cond) != token.HighestPrec+1)
	w.add(fault{
		op: name, at: cond.Pos(), to: cond.End(), say: swap(src, constant),
		edit: edit{w.offset(cond.Pos()), w.offset(cond.End()), text}, value: value{of: cond, text: constant},
	})
}
