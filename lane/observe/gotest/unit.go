package gotest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A unit is one package that has test files.
type unit struct {
	id       string // import path as the go command says it
	dir      string // relative to the tree
	name     string // package clause
	internal bool   // it has test files in the package itself
	external bool   // it has test files of package name_test
	testMain bool
	tests    []string // names of its tests, fuzz tests and examples with output
	idents   map[string]bool
	files    []string // names of its test files
}

// unit reads the package in a folder; nil where it has no test files.
func (s *scan) unit(dir string) *unit {
	entries, err := s.tree.list(dir)
	if err != nil {
		return nil // the go command will say so better
	}
	if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.HasSuffix(e.Name(), "_test.go") }) {
		return nil
	}
	u := &unit{dir: dir, idents: make(map[string]bool)}
	clauses := make(map[string]bool) // of the test files
	for _, e := range entries {
		s.addFile(u, clauses, e.Name())
	}
	if len(u.files) == 0 {
		return nil
	}
	u.setClauses(clauses)
	u.id = s.importPath(dir)
	return u
}

func (s *scan) addFile(u *unit, clauses map[string]bool, name string) {
	file := path.Join(u.dir, name)
	if !strings.HasSuffix(name, ".go") || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") || !s.tree.isFile(file) {
		return
	}
	src, err := s.tree.read(file)
	if err != nil {
		s.notes = append(s.notes, err.Error())
		return
	}
	if !s.included(name, src) {
		return
	}
	f, _ := parser.ParseFile(token.NewFileSet(), name, src, parseMode(name, src))
	if f == nil || f.Name == nil || !s.ctx.CgoEnabled && importsC(f) {
		return
	}
	if !strings.HasSuffix(name, "_test.go") {
		u.name = f.Name.Name
		u.declare(f)
		return
	}
	clauses[f.Name.Name] = true
	u.addTests(name, f)
}

// parseMode reads no more of a file than is needed: of those that are not tests, their declarations count only where a canary could
// clash with one.
func parseMode(name string, src []byte) parser.Mode {
	switch {
	case strings.HasSuffix(name, "_test.go"):
		return parser.ParseComments | parser.SkipObjectResolution
	case bytes.Contains(src, []byte("Test")) || bytes.Contains(src, []byte("testing")):
		return parser.SkipObjectResolution
	}
	return parser.ImportsOnly
}

// included applies the constraints of the file's name and of its text.
func (s *scan) included(name string, src []byte) bool {
	ctx := s.ctx
	ctx.OpenFile = openBytes(src)
	ctx.JoinPath = path.Join
	ok, err := ctx.MatchFile(".", name)
	return err != nil || ok
}

func importsC(f *ast.File) bool {
	return slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"C"` })
}

func (u *unit) addTests(file string, f *ast.File) {
	u.files = append(u.files, file)
	u.declare(f)
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil {
			continue
		}
		switch n := fn.Name.Name; {
		case n == "TestMain" && takes(fn, "M"):
			u.testMain = true
		case isTestName(n, "Test") && takes(fn, "T"), isTestName(n, "Fuzz") && takes(fn, "F"):
			u.tests = append(u.tests, n)
		case isTestName(n, "Example") && len(fn.Type.Params.List) == 0 && hasOutput(f, fn):
			u.tests = append(u.tests, n)
		}
	}
}

// setClauses tells the test files of the package from those beside it, by their package clauses.
func (u *unit) setClauses(clauses map[string]bool) {
	for clause := range clauses {
		if name, is := strings.CutSuffix(clause, "_test"); is && clause != u.name {
			u.external = true
			if u.name == "" && !clauses[name] {
				u.name = name
			}
			continue
		}
		u.internal = true
		if u.name == "" {
			u.name = clause
		}
	}
}

// declare notes the names that the package block holds.
func (u *unit) declare(f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				u.idents[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					u.idents[s.Name.Name] = true
				case *ast.ValueSpec:
					for _, n := range s.Names {
						u.idents[n.Name] = true
					}
				}
			}
		}
	}
}

// takes reports whether a function has one argument, a pointer to a type of that name.
func takes(fn *ast.FuncDecl, typ string) bool {
	l := fn.Type.Params.List
	if fn.Type.TypeParams != nil || fn.Type.Results != nil && len(fn.Type.Results.List) > 0 {
		return false
	}
	if len(l) != 1 || len(l[0].Names) > 1 {
		return false
	}
	star, ok := l[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch x := star.X.(type) {
	case *ast.Ident:
		return x.Name == typ
	case *ast.SelectorExpr:
		return x.Sel.Name == typ
	}
	return false
}

func isTestName(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok || name == "TestMain" {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || !unicode.IsLower(r)
}

// hasOutput reports whether an example says what it prints; the others are compiled and not run.
func hasOutput(f *ast.File, fn *ast.FuncDecl) bool {
	if fn.Body == nil {
		return false
	}
	var last *ast.CommentGroup
	for _, g := range f.Comments {
		if g.Pos() > fn.Body.Lbrace && g.End() <= fn.Body.Rbrace {
			last = g
		}
	}
	if last == nil {
		return false
	}
	text := strings.ToLower(strings.TrimSpace(last.Text()))
	return strings.HasPrefix(text, "output:") || strings.HasPrefix(text, "unordered output:")
}

// openBytes lets package build read one file that is in memory.
func openBytes(b []byte) func(string) (io.ReadCloser, error) {
	return func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }
}
