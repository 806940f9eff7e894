package golang

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
)

// constantValue makes another constant of a literal: one more of a number or a character, nothing of a text, and a text of nothing. What
// the operators on comparisons and results do already is left to them.
func constantValue(w *walker, name string, n ast.Node) {
	lit, ok := n.(*ast.BasicLit)
	if !ok || w.doneElsewhere(lit) {
		return
	}
	to := another(lit)
	if to == "" {
		return
	}
	w.add(fault{op: name, at: lit.Pos(), to: lit.End(), say: swap(lit.Value, to), edit: edit{w.offset(lit.Pos()), w.offset(lit.End()), to}})
}

// another is the constant that a literal becomes; "" for none.
func another(lit *ast.BasicLit) string {
	v := constant.MakeFromLiteral(lit.Value, lit.Kind, 0)
	switch lit.Kind {
	case token.INT, token.CHAR:
		more := constant.BinaryOp(v, token.ADD, constant.MakeInt64(1))
		if n, exact := constant.Int64Val(more); exact && lit.Kind == token.CHAR {
			return strconv.QuoteRune(rune(n))
		}
		return more.ExactString()
	case token.FLOAT:
		return "(" + lit.Value + " + 1)"
	case token.STRING:
		if constant.StringVal(v) == "" {
			return `"lane"`
		}
		return `""`
	}
	return ""
}

// doneElsewhere reports whether a literal is no value (an import's path, a field's tag), or whether another operator makes the same of it.
func (w *walker) doneElsewhere(lit *ast.BasicLit) bool {
	switch x := w.parent(1).(type) {
	case *ast.ImportSpec, *ast.Field:
		return true
	case *ast.ReturnStmt:
		v := w.p.constantOf(lit)
		return lit.Kind == token.STRING || v != nil && v.Kind() != constant.String && constant.Sign(v) == 0
	case *ast.BinaryExpr: // n < 5+1 is n <= 5
		_, b := w.p.basic(lit)
		return x.Y == lit && (x.Op == token.LSS || x.Op == token.GEQ) && b != nil && b.Info()&types.IsInteger != 0
	}
	return false
}
