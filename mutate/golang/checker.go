package golang

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
)

// checker type-checks packages of the tree from source: the tree's modules, their vendor folders, the toolchain's
// library and, where given, a module cache. It is made for one tree and safe for concurrent use.
type checker struct {
	opts    Options
	modules []module
	ctxt    build.Context

	mu       sync.Mutex
	fset     *token.FileSet            // of imported packages
	found    map[wanted]string         // the key of what was imported, so that folders are read once and not for each mutant
	imported map[string]*types.Package // by key
	failed   map[string]error
	pending  map[string]bool
}

// wanted is an import path as the packages of a module speak it; no module is the library.
type wanted struct {
	by   *module
	path string
}

func newChecker(o Options) *checker {
	c := &checker{
		opts: o, modules: modules(o.Tree), fset: token.NewFileSet(), found: map[wanted]string{},
		imported: map[string]*types.Package{}, failed: map[string]error{}, pending: map[string]bool{},
	}
	c.ctxt = build.Default
	c.ctxt.GOOS, c.ctxt.GOARCH = "linux", "amd64"
	if o.GOOS != "" {
		c.ctxt.GOOS = o.GOOS
	}
	if o.GOARCH != "" {
		c.ctxt.GOARCH = o.GOARCH
	}
	c.ctxt.BuildTags, c.ctxt.ToolTags = o.Tags, nil
	c.ctxt.CgoEnabled, c.ctxt.Compiler = false, "gc"
	c.ctxt.ReleaseTags = releaseTags(o.GOROOT, c.ctxt.ReleaseTags)
	return c
}

// releaseTags are those of the toolchain that runs the tests, where it says its version, and else Lane's own.
func releaseTags(goroot fs.FS, own []string) []string {
	if goroot == nil {
		return own
	}
	b, err := fs.ReadFile(goroot, "VERSION")
	if err != nil {
		return own
	}
	var minor int
	if _, err := fmt.Sscanf(string(b), "go1.%d", &minor); err != nil || minor < 1 || minor > 1000 {
		return own
	}
	tags := make([]string, minor)
	for i := range tags {
		tags[i] = fmt.Sprintf("go1.%d", i+1)
	}
	return tags
}

// goFiles returns the files of a folder that a build takes, without tests. With cgo, those that import "C" belong to
// it.
func (c *checker) goFiles(tree fs.FS, dir string, cgo bool) ([]string, error) {
	es, err := fs.ReadDir(tree, dir)
	if err != nil {
		return nil, err
	}
	ctxt := c.ctxt
	ctxt.CgoEnabled = cgo
	ctxt.OpenFile = func(p string) (io.ReadCloser, error) { return tree.Open(p) }
	ctxt.JoinPath = path.Join
	var out []string
	for _, e := range es {
		n := e.Name()
		if e.IsDir() || path.Ext(n) != ".go" || strings.HasSuffix(n, "_test.go") {
			continue
		}
		if ok, err := ctxt.MatchFile(dir, n); err == nil && ok {
			out = append(out, path.Join(dir, n))
		}
	}
	return out, nil
}

// place is where the source of an imported package lies.
type place struct {
	from  string // fromTree and its like: packages of one path and two origins are two packages
	tree  fs.FS
	dir   string
	goVer string
}

const (
	fromTree       = "tree"
	fromLibrary    = "library"
	fromDependency = "dependency"
)

var errNotHere = errors.New("its source is not here")

// find resolves an import path as the go command would for a package of module m; nil is the library itself.
func (c *checker) find(m *module, p string) (place, error) {
	if m != nil {
		if dir, ok := dirOf(visible(c.modules, m), p); ok && hasGo(c.opts.Tree, dir) {
			return place{fromTree, c.opts.Tree, dir, moduleOf(c.modules, dir).goVer}, nil
		}
		if dir := path.Join(m.dir, "vendor", p); hasGo(c.opts.Tree, dir) {
			return place{fromDependency, c.opts.Tree, dir, ""}, nil
		}
	}
	if g := c.opts.GOROOT; g != nil {
		if dir := "src/" + p; hasGo(g, dir) {
			return place{fromLibrary, g, dir, ""}, nil
		}
		if dir := "src/vendor/" + p; m == nil && hasGo(g, dir) {
			return place{fromLibrary, g, dir, ""}, nil
		}
	}
	if c.opts.Dependency != nil && m != nil {
		if tree, dir, ok := c.opts.Dependency(p); ok {
			return place{fromDependency, tree, dir, ""}, nil
		}
	}
	return place{}, errNotHere
}

// visible is the module itself and those that its replace directives find in the tree.
func visible(ms []module, m *module) []module {
	out := []module{*m}
	for p, dir := range m.replace {
		for _, o := range ms {
			if o.dir == dir {
				o.path = p
				out = append(out, o)
			}
		}
	}
	return out
}

func hasGo(tree fs.FS, dir string) bool {
	if !fs.ValidPath(dir) {
		return false
	}
	es, err := fs.ReadDir(tree, dir)
	if err != nil {
		return false
	}
	for _, e := range es {
		if !e.IsDir() && path.Ext(e.Name()) == ".go" {
			return true
		}
	}
	return false
}

// scope resolves imports for the packages of one module.
type scope struct {
	c *checker
	m *module
}

// Import implements types.Importer for the packages of the tree that are checked.
func (s scope) Import(p string) (*types.Package, error) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	return nested(s).Import(p)
}

// nested resolves the imports of imported packages; the checker is locked by then.
type nested scope

// Import implements types.Importer. Bodies of functions are not looked at: an importer needs signatures only.
func (s nested) Import(p string) (*types.Package, error) {
	if p == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := s.c.imported[s.c.found[wanted{s.m, p}]]; pkg != nil {
		return pkg, nil
	}
	at, err := s.c.find(s.m, p)
	if err != nil {
		return nil, fmt.Errorf("import %s: %w", p, err)
	}
	key := at.from + "\x00" + at.dir + "\x00" + p
	s.c.found[wanted{s.m, p}] = key
	if pkg := s.c.imported[key]; pkg != nil {
		return pkg, nil
	}
	if err := s.c.failed[key]; err != nil {
		return nil, err
	}
	if s.c.pending[key] {
		return nil, fmt.Errorf("import %s: import cycle", p)
	}
	s.c.pending[key] = true
	defer delete(s.c.pending, key)
	pkg, err := s.load(p, at)
	if err != nil {
		err = fmt.Errorf("import %s: %w", p, err)
		s.c.failed[key] = err
		return nil, err
	}
	s.c.imported[key] = pkg
	return pkg, nil
}

func (s nested) load(p string, at place) (*types.Package, error) {
	names, err := s.c.goFiles(at.tree, at.dir, false)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, n := range names {
		src, err := fs.ReadFile(at.tree, n)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(s.c.fset, n, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	inner := nested{s.c, s.m}
	switch at.from {
	case fromTree:
		inner.m = moduleOf(s.c.modules, at.dir)
	case fromLibrary:
		inner.m = nil
	}
	var first error
	conf := types.Config{
		Importer: inner, IgnoreFuncBodies: true, FakeImportC: true, GoVersion: at.goVer,
		Sizes: types.SizesFor("gc", s.c.ctxt.GOARCH),
		Error: func(err error) {
			if first == nil && !isSoft(err) {
				first = err
			}
		},
	}
	pkg, _ := conf.Check(p, s.c.fset, files, nil)
	return pkg, first
}

func isSoft(err error) bool {
	var te types.Error
	return errors.As(err, &te) && te.Soft
}
