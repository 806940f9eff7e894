package golang

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// returnValue replaces each result of a return statement, one at a time.
func returnValue(w *walker, name string, n ast.Node) {
	ret, ok := n.(*ast.ReturnStmt)
	if !ok {
		return
	}
	spelled := resultTypes(w.enclosingType())
	if len(spelled) != len(ret.Results) {
		return // a bare return, or the results of another call
	}
	for i, e := range ret.Results {
		for _, to := range w.otherValue(e, spelled[i]) {
			w.replaceResult(name, ret, e, to)
		}
	}
}

// enclosingType returns the signature of the innermost function around the visited node.
func (w *walker) enclosingType() *ast.FuncType {
	for i := len(w.stack) - 1; i >= 0; i-- {
		switch f := w.stack[i].(type) {
		case *ast.FuncLit:
			return f.Type
		case *ast.FuncDecl:
			return f.Type
		}
	}
	return nil
}

// resultTypes returns the type of each result as it is written.
func resultTypes(t *ast.FuncType) []ast.Expr {
	if t == nil || t.Results == nil {
		return nil
	}
	var out []ast.Expr
	for _, f := range t.Results.List {
		for range max(1, len(f.Names)) {
			out = append(out, f.Type)
		}
	}
	return out
}

// otherValue returns what a result of a type may become, in place of e. Nothing is returned where the type is not
// known, or where the result has that value already and there is no second one to choose.
func (w *walker) otherValue(e, spelled ast.Expr) []string {
	t := w.p.info.TypeOf(spelled)
	if t == nil || t == types.Typ[types.Invalid] {
		return nil
	}
	val := w.p.info.Types[e].Value
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return basicValue(u, val, e, w.text(e))
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature:
		return nilUnless(w.isNil(e))
	case *types.Interface:
		if _, isParam := t.(*types.TypeParam); isParam {
			return []string{"*new(" + w.text(spelled) + ")"}
		}
		return nilUnless(w.isNil(e))
	case *types.Struct, *types.Array:
		if lit, ok := e.(*ast.CompositeLit); ok && len(lit.Elts) == 0 {
			return nil
		}
		return []string{"*new(" + w.text(spelled) + ")"}
	}
	return nil
}

func basicValue(b *types.Basic, val constant.Value, e ast.Expr, text string) []string {
	switch {
	case b.Info()&types.IsBoolean != 0:
		switch text {
		case "true":
			return []string{"false"}
		case "false":
			return []string{"true"}
		}
		return []string{"!" + wrap(text, needsParens(e))}
	case b.Info()&types.IsString != 0:
		if val != nil && val.Kind() == constant.String && constant.StringVal(val) == "" {
			return []string{`"lane"`}
		}
		return []string{`""`}
	case b.Info()&types.IsNumeric != 0:
		if val != nil && (val.Kind() == constant.Int || val.Kind() == constant.Float) && constant.Sign(val) == 0 {
			return []string{"1"}
		}
		return []string{"0"}
	case b.Kind() == types.UnsafePointer:
		return []string{"nil"}
	}
	return nil
}

func nilUnless(already bool) []string {
	if already {
		return nil
	}
	return []string{"nil"}
}

func needsParens(e ast.Expr) bool {
	_, ok := e.(*ast.BinaryExpr)
	return ok
}

func (w *walker) isNil(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == "nil"
}

func (w *walker) replaceResult(name string, ret *ast.ReturnStmt, e ast.Expr, to string) {
	f := fault{
		op: name, at: e.Pos(), to: e.End(), say: swap(w.text(e), to),
		edit: edit{w.offset(e.Pos()), w.offset(e.End()), to}, value: value{of: e, text: to},
	}
	if strings.HasPrefix(to, "!") {
		f.value = value{of: e, opposite: true}
	}
	if uses := w.uses(e); uses != "" {
		start, end := w.offset(ret.Pos()), w.offset(ret.End())
		from, until := f.edit.off, f.edit.end
		text := "{ " + uses + "; " + string(w.s.src[start:from]) + to + string(w.s.src[until:end]) + " }"
		f.keep = &edit{start, end, text}
	}
	w.add(f)
}

// uses returns an assignment to blanks that uses every local variable and import of a node, so that taking the node
// away leaves nothing unused; "" where it uses none.
func (w *walker) uses(n ast.Node) string {
	var names []string
	seen := map[string]bool{}
	use := func(s string) {
		if !seen[s] {
			seen[s] = true
			names = append(names, s)
		}
	}
	inner := map[types.Object]bool{} // declared within the node itself
	ast.Inspect(n, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Ident:
			if o := w.p.info.Defs[x]; o != nil {
				inner[o] = true
			}
			if v, ok := w.p.info.Uses[x].(*types.Var); ok && !v.IsField() && v.Parent() != nil && v.Pkg() != nil && v.Parent() != v.Pkg().Scope() && !inner[v] {
				use(x.Name)
			}
		case *ast.SelectorExpr:
			id, ok := x.X.(*ast.Ident)
			if !ok {
				return true
			}
			if _, ok := w.p.info.Uses[id].(*types.PkgName); ok {
				switch o := w.p.info.Uses[x.Sel].(type) {
				case *types.Func:
					if sig, ok := o.Type().(*types.Signature); ok && sig.TypeParams().Len() == 0 {
						use(id.Name + "." + x.Sel.Name)
					}
				case *types.Var, *types.Const:
					use(id.Name + "." + x.Sel.Name)
				case *types.TypeName:
					if !strings.Contains(o.Type().String(), "[") {
						use("(*" + id.Name + "." + x.Sel.Name + ")(nil)")
					}
				}
				return false
			}
		}
		return true
	})
	if len(names) == 0 {
		return ""
	}
	blanks := strings.TrimSuffix(strings.Repeat("_, ", len(names)), ", ")
	return blanks + " = " + strings.Join(names, ", ")
}

// statement takes one statement of a block away.
func statement(w *walker, name string, n ast.Node) {
	s, ok := n.(ast.Stmt)
	if !ok || !w.inBlock() {
		return
	}
	what := ""
	switch x := s.(type) {
	case *ast.ExprStmt:
		what = "call"
	case *ast.AssignStmt:
		if x.Tok == token.DEFINE || allBlank(x.Lhs) {
			return // the names are needed, or nothing is assigned
		}
		what = "assignment"
	case *ast.IncDecStmt:
		what = "step"
	case *ast.SendStmt:
		what = "send"
	case *ast.DeferStmt:
		what = "deferred call"
	case *ast.GoStmt:
		what = "go statement"
	default:
		return
	}
	f := fault{
		op: name, at: s.Pos(), to: s.End(), say: what + " `" + oneLine(w.text(s)) + "` taken away",
		edit: edit{w.offset(s.Pos()), w.offset(s.End()), ""},
	}
	if uses := w.uses(s); uses != "" {
		f.keep = &edit{f.edit.off, f.edit.end, uses}
	}
	w.add(f)
}

// inBlock reports whether the visited statement stands in a list of statements, where nothing may stand as well.
func (w *walker) inBlock() bool {
	switch p := w.parent(1).(type) {
	case *ast.BlockStmt, *ast.CaseClause:
		return true
	case *ast.CommClause:
		return p.Comm != w.parent(0)
	}
	return false
}

func allBlank(es []ast.Expr) bool {
	for _, e := range es {
		if id, ok := e.(*ast.Ident); !ok || id.Name != "_" {
			return false
		}
	}
	return true
}
