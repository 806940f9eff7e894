package golang

import (
	"go/ast"
	"go/token"
)

func bits(t token.Token) token.Token {
	switch t {
	case token.AND:
		return token.OR
	case token.OR, token.XOR, token.AND_NOT:
		return token.AND
	case token.AND_ASSIGN:
		return token.OR_ASSIGN
	case token.OR_ASSIGN, token.XOR_ASSIGN, token.AND_NOT_ASSIGN:
		return token.AND_ASSIGN
	}
	return token.ILLEGAL
}

func shifts(t token.Token) token.Token {
	switch t {
	case token.SHL:
		return token.SHR
	case token.SHR:
		return token.SHL
	case token.SHL_ASSIGN:
		return token.SHR_ASSIGN
	case token.SHR_ASSIGN:
		return token.SHL_ASSIGN
	}
	return token.ILLEGAL
}

// onBits makes an operator that swaps one operator on bits for another, in expressions and in assignments.
func onBits(swapped func(token.Token) token.Token) func(*walker, string, ast.Node) {
	return func(w *walker, name string, n ast.Node) {
		switch x := n.(type) {
		case *ast.BinaryExpr:
			if w.p.info.Types[x.X].IsType() || isTilde(x.X) {
				return // a union of types
			}
			binary(swapped)(w, name, n)
		case *ast.AssignStmt:
			if to := swapped(x.Tok); to != token.ILLEGAL {
				w.swapToken(name, x.TokPos, x.Tok, to)
			}
		}
	}
}

func isTilde(e ast.Expr) bool {
	u, ok := e.(*ast.UnaryExpr)
	return ok && u.Op == token.TILDE
}
