package golang

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// value is what a mutant makes of the value of an expression: that of the same operands under another operator, the opposite, or a
// constant in its place. The zero value says that nobody can tell.
type value struct {
	of       ast.Expr
	op       token.Token // of a binary expression; of a unary one, ADD: the operand itself
	opposite bool        // of a truth value; everything is evaluated as before
	text     string      // a constant; the expression is not evaluated
}

// constantOf returns an expression's constant value, nil where it has none.
func (p *pkg) constantOf(e ast.Expr) constant.Value { return p.info.Types[e].Value }

// basic returns the type of an expression where its values can be kept and compared: a boolean, a string or a number that is not
// complex. An untyped one has its default type.
func (p *pkg) basic(e ast.Expr) (types.Type, *types.Basic) {
	t := p.info.TypeOf(e)
	if t == nil {
		return nil, nil
	}
	t = types.Unalias(types.Default(t))
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&(types.IsBoolean|types.IsString|types.IsInteger|types.IsFloat) == 0 {
		return nil, nil
	}
	return t, b
}

// spelled is the name of a type at the package's own level; "" where it has none there.
func (p *pkg) spelled(t types.Type) string {
	switch t := t.(type) {
	case *types.Basic:
		return t.Name()
	case *types.Named:
		if o := t.Obj(); o.Pkg() != nil && t.TypeArgs().Len() == 0 && o.Parent() == o.Pkg().Scope() && o.Pkg().Path() == p.dir {
			return o.Name()
		}
	}
	return ""
}

// effects says what evaluating an expression may do beside giving a value. Each level includes those before it.
type effects int

const (
	none     effects = iota // nothing: it can be evaluated once more, at any time
	panics                  // it may panic, and changes nothing
	anything                // it may call, receive or allocate what is then compared by identity
)

func worst(all ...effects) effects {
	w := none
	for _, e := range all {
		w = max(w, e)
	}
	return w
}

// effectsOf is careful: what it does not know does anything.
func (p *pkg) effectsOf(e ast.Expr) effects {
	if p.constantOf(e) != nil {
		return none
	}
	switch x := e.(type) {
	case *ast.BasicLit, *ast.Ident:
		return none
	case *ast.ParenExpr:
		return p.effectsOf(x.X)
	case *ast.SelectorExpr:
		return p.effectsOfSelector(x)
	case *ast.StarExpr:
		return worst(panics, p.effectsOf(x.X))
	case *ast.IndexExpr:
		if t := p.info.TypeOf(x.X); t == nil || p.info.Types[x.Index].IsType() {
			return anything
		}
		return worst(panics, p.effectsOf(x.X), p.effectsOf(x.Index))
	case *ast.UnaryExpr:
		if x.Op == token.ARROW || x.Op == token.AND {
			return anything
		}
		return p.effectsOf(x.X)
	case *ast.BinaryExpr:
		return worst(p.effectsOfOperator(x), p.effectsOf(x.X), p.effectsOf(x.Y))
	case *ast.CallExpr:
		return p.effectsOfCall(x)
	}
	return anything
}

// effectsOfSelector: a field may lie behind a pointer that is nil; a method that is not called is a new function value.
func (p *pkg) effectsOfSelector(x *ast.SelectorExpr) effects {
	s := p.info.Selections[x]
	switch {
	case s == nil: // a name of another package
		return none
	case s.Kind() != types.FieldVal:
		return anything
	case s.Indirect():
		return worst(panics, p.effectsOf(x.X))
	}
	return p.effectsOf(x.X)
}

// effectsOfOperator: a divisor may be zero, a shift count negative, and what interfaces hold may not be comparable.
func (p *pkg) effectsOfOperator(x *ast.BinaryExpr) effects {
	switch x.Op {
	case token.QUO, token.REM:
		if v := p.constantOf(x.Y); v == nil || constant.Sign(v) == 0 {
			return panics
		}
	case token.SHL, token.SHR:
		if t, b := p.basic(x.Y); p.constantOf(x.Y) == nil && (t == nil || b.Info()&types.IsUnsigned == 0) {
			return panics
		}
	case token.EQL, token.NEQ:
		if !p.comparesSafely(x.X) && !p.comparesSafely(x.Y) {
			return panics
		}
	}
	return none
}

// comparesSafely reports whether a comparison with the expression cannot panic: it is nil, or of a type that holds no interface.
func (p *pkg) comparesSafely(e ast.Expr) bool {
	t := p.info.TypeOf(e)
	if t == nil {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Basic, *types.Pointer, *types.Chan, *types.Slice, *types.Map, *types.Signature: // the last three are compared with nil alone
		_, isParam := t.(*types.TypeParam)
		return !isParam
	}
	return false
}

// effectsOfCall knows len, cap, and conversions from and to basic types.
func (p *pkg) effectsOfCall(x *ast.CallExpr) effects {
	if len(x.Args) != 1 || x.Ellipsis.IsValid() {
		return anything
	}
	fun := ast.Unparen(x.Fun)
	if p.info.Types[fun].IsType() {
		if to, _ := p.basic(x); to == nil {
			return anything
		}
		return p.effectsOf(x.Args[0])
	}
	if id, ok := fun.(*ast.Ident); ok {
		if b, ok := p.info.Uses[id].(*types.Builtin); ok && (b.Name() == "len" || b.Name() == "cap") {
			return p.effectsOf(x.Args[0])
		}
	}
	return anything
}
