package golang

import (
	"go/ast"
	"go/token"
)

// jump swaps break and continue. Where the other one has no place, the mutant does not compile.
func jump(w *walker, name string, n ast.Node) {
	b, ok := n.(*ast.BranchStmt)
	if !ok {
		return
	}
	switch b.Tok {
	case token.BREAK:
		w.swapToken(name, b.TokPos, b.Tok, token.CONTINUE)
	case token.CONTINUE:
		w.swapToken(name, b.TokPos, b.Tok, token.BREAK)
	}
}

// branch empties an else, or a case of a switch or select. What an if guards is taken away by its condition.
func branch(w *walker, name string, n ast.Node) {
	switch x := n.(type) {
	case *ast.IfStmt:
		if e, ok := x.Else.(*ast.BlockStmt); ok {
			w.empty(name, "else", e.List)
		}
	case *ast.CaseClause:
		what := "default"
		if x.List != nil {
			what = "case " + w.between(x.List[0].Pos(), x.List[len(x.List)-1].End())
		}
		w.empty(name, what, x.Body)
	case *ast.CommClause:
		what := "default"
		if x.Comm != nil {
			what = "case " + w.text(x.Comm)
		}
		w.empty(name, what, x.Body)
	}
}

// empty takes a list of statements away. One that stands alone is left to the operator that takes statements away.
func (w *walker) empty(name, what string, list []ast.Stmt) {
	if len(list) == 0 || len(list) == 1 && removable(list[0]) {
		return
	}
	first, last := list[0], list[len(list)-1]
	f := fault{
		op: name, at: first.Pos(), to: last.End(), say: "`" + oneLine(what) + "` does nothing",
		edit: edit{w.offset(first.Pos()), w.offset(last.End()), ""},
	}
	if uses := w.usesOf(list); uses != "" {
		f.keep = &edit{f.edit.off, f.edit.end, uses}
	}
	w.add(f)
}

// usesOf is uses of several nodes, none of whose own names is seen from outside.
func (w *walker) usesOf(list []ast.Stmt) string { return w.uses(&ast.BlockStmt{List: list}) }

// removable reports whether the operator for statements takes a statement away.
func removable(s ast.Stmt) bool {
	switch x := s.(type) {
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.DeferStmt, *ast.GoStmt:
		return true
	case *ast.AssignStmt:
		return x.Tok != token.DEFINE && !allBlank(x.Lhs)
	}
	return false
}

// bounds takes a bound of a slice expression away.
func bounds(w *walker, name string, n ast.Node) {
	s, ok := n.(*ast.SliceExpr)
	if !ok {
		return
	}
	drop := func(e ast.Expr) {
		if e == nil {
			return
		}
		to := w.between(s.Pos(), e.Pos()) + w.between(e.End(), s.End())
		w.add(fault{op: name, at: e.Pos(), to: e.End(), say: swap(w.text(s), to), edit: edit{w.offset(e.Pos()), w.offset(e.End()), ""}})
	}
	if v := w.p.constantOf(s.Low); s.Low != nil && (v == nil || v.ExactString() != "0") {
		drop(s.Low)
	}
	if !s.Slice3 {
		drop(s.High)
	}
}
