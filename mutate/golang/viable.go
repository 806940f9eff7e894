package golang

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"strings"
)

// viability is what type checking says about one mutated file.
type viability struct {
	bad    bool   // proven not to compile
	known  bool   // proven at all
	why    string // the first error
	unused bool   // nothing but unused variables and imports is wrong
}

// viable checks the package with src in place of one of its files, everything else as it is: right for any edit.
func (p *pkg) viable(name string, src []byte) viability {
	files := []*ast.File{nil}
	for _, n := range p.order {
		if n != name && p.files[n].built {
			files = append(files, p.files[n].ast)
		}
	}
	return p.checkWith(name, src, files, func(types.Error, *ast.File) bool { return false })
}

// viableIn checks an edit within one function, or outside of all (fn = nil). The bodies of functions in the other
// files are left out, and so are those of the other functions of this file, which makes a check several times
// cheaper. What is right without them and wrong with them is an import that only they use. Files beside are further ones of the package.
func (p *pkg) viableIn(s *source, fn *ast.FuncDecl, e edit, beside ...*ast.File) viability {
	files := append([]*ast.File{nil}, beside...)
	for _, n := range p.order {
		if n != s.path && p.files[n].built {
			files = append(files, p.bare[n])
		}
	}
	return p.checkWith(s.path, p.skeleton(s, fn, e), files, func(te types.Error, f *ast.File) bool {
		if !te.Soft {
			return false
		}
		if te.Pos < f.FileStart || te.Pos > f.FileEnd {
			return true // in a bare file every import looks unused
		}
		for imp, users := range s.imports {
			if strings.HasPrefix(te.Msg, fmt.Sprintf("%q imported", imp)) {
				return users > 1 || users == 1 && !s.uses[importUse{imp, fn}]
			}
		}
		return false
	})
}

// checkWith checks one mutated file, which takes the first place of files. An error that is excused does not count.
func (p *pkg) checkWith(name string, src []byte, files []*ast.File, excused func(types.Error, *ast.File) bool) viability {
	s := p.files[name]
	if s == nil {
		return viability{}
	}
	f, err := parser.ParseFile(p.fset, name, src, parser.SkipObjectResolution)
	if f != nil {
		defer p.fset.RemoveFile(p.fset.File(f.FileStart))
	}
	if err != nil {
		return viability{bad: true, known: true, why: "does not parse: " + short(err)}
	}
	if p.unknown != "" || !s.built {
		return viability{}
	}
	files[0] = f
	v := viability{known: true, unused: true}
	conf := p.config(func(err error) {
		if te, ok := err.(types.Error); ok && excused(te, f) {
			return
		}
		if !strings.Contains(err.Error(), "declared and not used") && !strings.Contains(err.Error(), "imported and not used") {
			v.unused = false
		}
		if !v.bad {
			v.bad, v.why = true, short(err)
		}
	})
	_, _ = conf.Check(p.dir, p.fset, files, nil)
	v.unused = v.unused && v.bad
	return v
}

// skeleton returns the file with an edit, and without the bodies of the functions that the edit does not concern.
func (p *pkg) skeleton(s *source, fn *ast.FuncDecl, e edit) []byte {
	var b bytes.Buffer
	at := 0
	copyTo := func(end int) {
		b.Write(s.src[at:end])
		at = end
	}
	edited := false
	apply := func() {
		if !edited {
			copyTo(e.off)
			b.WriteString(e.text)
			at, edited = e.end, true
		}
	}
	for _, d := range s.ast.Decls {
		other, ok := d.(*ast.FuncDecl)
		if !ok || other == fn || fn == nil || s.keepBodies || !mayGoBare(other) {
			continue
		}
		start, end := p.fset.PositionFor(other.Body.Pos(), false).Offset, p.fset.PositionFor(other.Body.End(), false).Offset
		if e.off < start {
			apply()
		}
		copyTo(start)
		at = end
	}
	apply()
	copyTo(len(s.src))
	return b.Bytes()
}

// importUse is the use of an import by one function; nil is everything outside of functions.
type importUse struct {
	path string
	fn   *ast.FuncDecl
}

// countImports finds out which functions use which imports. Where names may come from anywhere (a dot import), no
// body is left out.
func (p *pkg) countImports(s *source) {
	s.imports, s.uses = map[string]int{}, map[importUse]bool{}
	for _, spec := range s.ast.Imports {
		if spec.Name != nil && spec.Name.Name == "." {
			s.keepBodies = true
		}
	}
	for _, d := range s.ast.Decls {
		fn, _ := d.(*ast.FuncDecl)
		ast.Inspect(d, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			if name, ok := p.info.Uses[id].(*types.PkgName); ok {
				use := importUse{name.Imported().Path(), fn}
				if !s.uses[use] {
					s.uses[use] = true
					s.imports[use.path]++
				}
			}
			return true
		})
	}
}
