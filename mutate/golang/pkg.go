package golang

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// pkg is one package of the tree, parsed and checked as far as that goes.
type pkg struct {
	c     *checker
	dir   string
	mod   *module
	fset  *token.FileSet
	files map[string]*source
	order []string
	info  *types.Info
	// unknown says why type errors of mutants prove nothing here; "" = the package is clean.
	unknown string
	bare    map[string]*ast.File // files without function bodies
}

// source is one file of a package.
type source struct {
	path string
	src  []byte
	ast  *ast.File // nil where it does not parse
	err  error
	// built says that the file belongs to the build that is checked; others (another system's, cgo) are mutated all
	// the same, and nothing is proven about them.
	built bool

	imports    map[string]int     // how many functions use an import, by path
	uses       map[importUse]bool // which ones
	keepBodies bool               // no body may be left out

	once       sync.Once
	normalized string
}

// normal is the file's tokens, found once.
func (s *source) normal() string {
	s.once.Do(func() { s.normalized = normalize(s.src) })
	return s.normalized
}

// loadPkg parses all files of a folder that are Go code, and checks those that a build takes.
func (c *checker) loadPkg(dir string) (*pkg, error) {
	p := &pkg{c: c, dir: dir, mod: moduleOf(c.modules, dir), fset: token.NewFileSet(), files: map[string]*source{}, bare: map[string]*ast.File{}}
	es, err := fs.ReadDir(c.opts.Tree, dir)
	if err != nil {
		return nil, err
	}
	built, err := c.goFiles(c.opts.Tree, dir, true)
	if err != nil {
		return nil, err
	}
	for _, e := range es {
		name := path.Join(dir, e.Name())
		if !e.Type().IsRegular() || !IsSource(name) {
			continue
		}
		s := &source{path: name, built: slices.Contains(built, name)}
		if s.src, err = fs.ReadFile(c.opts.Tree, name); err != nil {
			return nil, err
		}
		s.ast, s.err = parser.ParseFile(p.fset, name, s.src, parser.ParseComments|parser.SkipObjectResolution)
		if s.err != nil {
			s.ast = nil
		}
		p.files[name] = s
		p.order = append(p.order, name)
	}
	p.check()
	return p, nil
}

// check type-checks the clean package. What the types say is used even where it is incomplete; proofs need a package
// without any error.
func (p *pkg) check() {
	p.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	var files []*ast.File
	cgo := false
	for _, n := range p.order {
		s := p.files[n]
		if !s.built {
			continue
		}
		if s.ast == nil {
			p.unknown = n + " does not parse"
			continue
		}
		cgo = cgo || bytes.Contains(s.src, []byte(`import "C"`))
		files = append(files, s.ast)
		p.bare[n] = withoutBodies(s.ast)
	}
	if len(files) == 0 {
		p.unknown = "no file of it is built here"
		return
	}
	var first error
	conf := p.config(func(err error) {
		if first == nil {
			first = err
		}
	})
	_, _ = conf.Check(p.dir, p.fset, files, p.info)
	for _, s := range p.files {
		if s.ast != nil {
			p.countImports(s)
		}
	}
	switch {
	case p.unknown != "":
	case cgo:
		p.unknown = "it uses cgo"
	case first != nil:
		p.unknown = "the package has errors already: " + first.Error()
	}
}

func (p *pkg) config(onError func(error)) types.Config {
	goVer := ""
	if p.mod != nil {
		goVer = p.mod.goVer
	}
	return types.Config{
		Importer: scope{p.c, p.mod}, FakeImportC: true, GoVersion: goVer, Sizes: types.SizesFor("gc", p.c.ctxt.GOARCH), Error: onError,
	}
}

// mayGoBare reports whether a function may be declared without being defined.
func mayGoBare(fn *ast.FuncDecl) bool {
	return fn.Body != nil && fn.Type.TypeParams == nil && (fn.Recv != nil || fn.Name.Name != "main" && fn.Name.Name != "init")
}

// withoutBodies returns the file with functions declared and not defined.
func withoutBodies(f *ast.File) *ast.File {
	out := *f
	out.Decls = make([]ast.Decl, len(f.Decls))
	for i, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && mayGoBare(fn) {
			bare := *fn
			bare.Body = nil
			d = &bare
		}
		out.Decls[i] = d
	}
	return &out
}

// short drops the position: it is that of the mutant.
func short(err error) string {
	if te, ok := err.(types.Error); ok {
		return te.Msg
	}
	msg := err.Error()
	if i := strings.Index(msg, ": "); i >= 0 && strings.Contains(msg[:i], ".go:") {
		msg = msg[i+2:]
	}
	return msg
}
