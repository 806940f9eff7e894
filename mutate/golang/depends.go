package golang

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Depends knows which code of a tree a test may run, whatever a mutant of that code makes of its way through it.
//
// It goes by names. A declaration may run where another that may run speaks its name; a method where its name is spoken, or is one
// that code outside of the tree may call through an interface, and its type is spoken of; what initialises a package where the
// package is linked in. That is more than what runs, and never less, as long as code is reached by names: where a test's packages
// start other programs, read Go as data, use cgo or assembly, or reach for what the compiler does not see, nothing is known.
type Depends struct {
	c        *checker
	packages map[string]*depPackage // by folder; tests that stand outside of their package by folder + external
	methods  map[string][]*depDecl  // by name
	outside  map[string]*outsidePackage
	lumps    map[string]string // digest of the test files, by folder
	err      error             // why nothing is known of anything

	mu     sync.Mutex // guards what follows, and outside
	linked map[string]*depLinked
	known  map[depName]string // digests, by test
}

var goFile = regexp.MustCompile(`\.go\b`)

const external = "\x00test"

// depPackage is what the files of one folder declare, whatever system they are for.
type depPackage struct {
	dir     string
	name    string
	module  *module
	names   map[string][]*depDecl
	always  []*depDecl // what runs when the package is linked in
	testing []*depDecl // the same of its test files
	imports map[string]bool
	tests   map[string]bool // imports of its test files
	aliases map[string]bool // types that are other names of types
	unknown string          // why nothing is known of what runs it
}

// depDecl is a declaration: a function, a method, a type, a variable, a group of constants.
type depDecl struct {
	pkg    *depPackage
	digest [sha256.Size]byte
	names  []depName
	calls  []string // names after a dot
	recv   string   // of a method, its type
	method string
}

// depName is a name of a package.
type depName struct{ pkg, name string }

// NewDepends reads the Go code of a tree, tests included.
func NewDepends(o Options) *Depends {
	d := &Depends{c: newChecker(o), packages: map[string]*depPackage{}, methods: map[string][]*depDecl{}, outside: map[string]*outsidePackage{}, lumps: map[string]string{},
		linked: map[string]*depLinked{}, known: map[depName]string{}}
	d.err = fs.WalkDir(o.Tree, ".", func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && p != "." && !IsCode(p+"/x.go"):
			return fs.SkipDir
		case e.Type().IsRegular() && IsCode(p):
			return d.read(p)
		case e.Type().IsRegular() && slices.Contains([]string{".s", ".S", ".c", ".cc", ".cpp", ".h", ".m", ".syso", ".swig"}, path.Ext(p)):
			d.pkg(path.Dir(p), "").unknown = "it is not Go alone"
		}
		return nil
	})
	return d
}

// IsCode reports whether a path is Go code of the tree's own packages, tests included: what [Depends] answers for.
func IsCode(p string) bool {
	return IsSource(p) || strings.HasSuffix(p, "_test.go") && IsSource(strings.TrimSuffix(p, "_test.go")+".go")
}

func (d *Depends) pkg(dir, suffix string) *depPackage {
	p := d.packages[dir+suffix]
	if p == nil {
		p = &depPackage{dir: dir, module: moduleOf(d.c.modules, dir), names: map[string][]*depDecl{}, imports: map[string]bool{}, tests: map[string]bool{}, aliases: map[string]bool{}}
		d.packages[dir+suffix] = p
	}
	return p
}

func (d *Depends) read(name string) error {
	src, err := fs.ReadFile(d.c.opts.Tree, name)
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	dir, suffix, isTest := path.Dir(name), "", strings.HasSuffix(name, "_test.go")
	if isTest && strings.HasSuffix(f.Name.Name, "_test") {
		suffix = external
	}
	p := d.pkg(dir, suffix)
	r := depFile{d: d, p: p, f: f, src: src, fset: fset, isTest: isTest, imports: map[string][]string{}}
	if isTest {
		d.lumps[dir] = Sum(d.lumps[dir], name, string(src))
	} else {
		p.name = f.Name.Name
	}
	r.readImports()
	if strings.Contains(string(src), "//go:linkname") {
		p.unknown = name + " links to names that it does not speak"
	}
	for _, decl := range f.Decls {
		r.declare(decl)
	}
	return nil
}

// depFile is a file while it is read.
type depFile struct {
	d       *Depends
	p       *depPackage
	f       *ast.File
	src     []byte
	fset    *token.FileSet
	isTest  bool
	imports map[string][]string // folders of the tree that a name may stand for
	dots    []string
	head    string // what all declarations rest on: imports and build constraints
}

func (r *depFile) readImports() {
	head := []string{r.fset.File(r.f.FileStart).Name()}
	for _, g := range r.f.Comments {
		for _, c := range g.List {
			if c.Pos() < r.f.Package && strings.HasPrefix(c.Text, "//go:build") {
				head = append(head, c.Text)
			}
		}
	}
	for _, spec := range r.f.Imports {
		imp := strings.Trim(spec.Path.Value, "\"`")
		name := path.Base(imp)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		head = append(head, name, imp)
		set := r.p.imports
		if r.isTest {
			set = r.p.tests
		}
		set[imp] = true
		at, err := r.d.c.find(r.p.module, imp)
		if imp == "C" {
			r.p.unknown = "it uses cgo"
		}
		if err != nil || at.from != fromTree {
			continue
		}
		if name == "." {
			r.dots = append(r.dots, at.dir)
		}
		// The name of the package itself may be another than that of its folder: any name may stand for it.
		if spec.Name == nil {
			name = ""
		}
		r.imports[name] = append(r.imports[name], at.dir)
	}
	r.head = Sum(head...)
}

// declare makes the nodes of one declaration.
func (r *depFile) declare(decl ast.Decl) {
	switch x := decl.(type) {
	case *ast.FuncDecl:
		n := r.node(x, x.Doc)
		switch {
		case x.Recv != nil && len(x.Recv.List) > 0:
			n.recv, n.method = receiver(x), x.Name.Name
			r.d.methods[n.method] = append(r.d.methods[n.method], n)
		case x.Name.Name == "init" || r.isTest && x.Name.Name == "TestMain":
			r.always(n)
		default:
			r.p.names[x.Name.Name] = append(r.p.names[x.Name.Name], n)
		}
	case *ast.GenDecl:
		if x.Tok == token.CONST { // a constant depends on its place among the others
			n := r.node(x, nil)
			for _, s := range x.Specs {
				r.name(n, s.(*ast.ValueSpec).Names...)
			}
			return
		}
		for _, s := range x.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				r.name(r.node(s, nil), s.Name)
				r.p.aliases[s.Name.Name] = s.Assign.IsValid()
			case *ast.ValueSpec:
				n := r.node(s, x.Doc)
				r.name(n, s.Names...)
				r.always(n)
			}
		}
	}
}

func (r *depFile) always(n *depDecl) {
	if r.isTest {
		r.p.testing = append(r.p.testing, n)
	} else {
		r.p.always = append(r.p.always, n)
	}
}

func (r *depFile) name(n *depDecl, names ...*ast.Ident) {
	for _, id := range names {
		r.p.names[id.Name] = append(r.p.names[id.Name], n)
	}
}

// node reads what a declaration speaks of.
func (r *depFile) node(n ast.Node, doc *ast.CommentGroup) *depDecl {
	from, to := r.fset.PositionFor(n.Pos(), false).Offset, r.fset.PositionFor(n.End(), false).Offset
	text := string(r.src[from:to])
	if doc != nil {
		for _, c := range doc.List {
			if strings.HasPrefix(c.Text, "//go:") {
				text += c.Text
			}
		}
	}
	d := &depDecl{pkg: r.p, digest: sha256.Sum256([]byte(r.head + r.p.dir + "\x00" + text))}
	own := r.p.dir
	if r.p == r.d.packages[r.p.dir+external] {
		own += external
	}
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Ident:
			d.names = append(d.names, depName{own, x.Name})
			for _, dir := range r.dots {
				d.names = append(d.names, depName{dir, x.Name})
			}
		case *ast.SelectorExpr:
			d.calls = append(d.calls, x.Sel.Name)
			if id, ok := x.X.(*ast.Ident); ok {
				for _, dir := range slices.Concat(r.imports[id.Name], r.imports[""]) {
					d.names = append(d.names, depName{dir, x.Sel.Name})
				}
				r.suspect(id.Name, x.Sel.Name)
			}
			ast.Inspect(x.X, visit)
			return false
		case *ast.BasicLit:
			if x.Kind == token.STRING && goFile.MatchString(x.Value) {
				r.p.unknown = "it may read Go as data"
			}
		}
		return true
	}
	ast.Inspect(n, visit)
	return d
}

// suspect finds what starts another program.
func (r *depFile) suspect(pkg, name string) {
	if (pkg == "os" || pkg == "syscall" || pkg == "unix") && slices.Contains([]string{"StartProcess", "ForkExec", "Exec", "RawSyscall", "RawSyscall6", "Syscall", "Syscall6"}, name) {
		r.p.unknown = "it may start other programs"
	}
}

func receiver(fn *ast.FuncDecl) string {
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// Sum is a digest of texts in their order.
func Sum(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%d:%s;", len(t), t)
	}
	return hex.EncodeToString(h.Sum(nil))
}
