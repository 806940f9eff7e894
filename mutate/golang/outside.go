package golang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"slices"
	"strings"
)

// outsidePackage is what a package that is not of the tree may do to code of the tree.
type outsidePackage struct {
	methods []string // names that its interfaces have
	imports []string
	any     bool   // it finds methods by reflection: it may call all
	unknown string // why nothing is known of what runs it
}

// called collects the names of methods that packages outside of the tree may call, from all that the given ones import. any says that
// it may be all of them.
func (d *Depends) called(m *module, imports []string) (names map[string]bool, any bool, err error) {
	names = map[string]bool{"Error": true, "String": true, "RuntimeError": true} // what the runtime calls
	seen := map[string]bool{}
	type import_ struct {
		m *module
		p string
	}
	var todo []import_
	for _, p := range imports {
		todo = append(todo, import_{m, p})
	}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[at.p] || at.p == "unsafe" || at.p == "C" || at.p == "runtime" || strings.HasPrefix(at.p, "internal/runtime") || at.p == "internal/cpu" || at.p == "internal/abi" {
			continue
		}
		seen[at.p] = true
		o, inner, err := d.readOutside(at.m, at.p)
		switch {
		case err != nil:
			return nil, false, err
		case o.unknown != "":
			return nil, false, fmt.Errorf("%s %s", at.p, o.unknown)
		}
		any = any || o.any
		for _, n := range o.methods {
			names[n] = true
		}
		for _, p := range o.imports {
			todo = append(todo, import_{inner, p})
		}
	}
	return names, any, nil
}

// starts are the packages of the library with which programs are started, or Go is read.
var starts = []string{"os/exec", "plugin", "go/build", "go/parser", "go/importer", "runtime/cgo"}

// readOutside reads a package once. inner is the module for which its imports are found.
func (d *Depends) readOutside(m *module, p string) (*outsidePackage, *module, error) {
	at, err := d.c.find(m, p)
	if err != nil {
		return nil, nil, fmt.Errorf("import %s: %w", p, err)
	}
	inner := m
	switch at.from {
	case fromLibrary:
		inner = nil
	case fromTree:
		return nil, nil, fmt.Errorf("%s comes back into the tree", p)
	}
	key := at.from + "\x00" + at.dir
	if o := d.outside[key]; o != nil {
		return o, inner, nil
	}
	o := &outsidePackage{}
	d.outside[key] = o
	files, err := d.c.goFiles(at.tree, at.dir, false)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range files {
		src, err := fs.ReadFile(at.tree, name)
		if err != nil {
			return nil, nil, err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		o.read(p, f, at.from == fromLibrary)
	}
	return o, inner, nil
}

func (o *outsidePackage) read(p string, f *ast.File, library bool) {
	for _, spec := range f.Imports {
		imp := strings.Trim(spec.Path.Value, "\"`")
		o.imports = append(o.imports, imp)
		if !library && slices.Contains(starts, imp) {
			o.unknown = "may start other programs"
		}
	}
	reflection := p == "reflect" || p == "internal/reflectlite"
	ast.Inspect(f, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.InterfaceType:
			for _, m := range x.Methods.List {
				for _, id := range m.Names {
					o.methods = append(o.methods, id.Name)
				}
			}
		case *ast.CallExpr:
			if s, ok := x.Fun.(*ast.SelectorExpr); ok && !reflection && (s.Sel.Name == "MethodByName" || s.Sel.Name == "Method" && len(x.Args) == 1) {
				o.any = true
			}
		}
		return true
	})
}
