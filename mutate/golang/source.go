package golang

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	modpath "golang.org/x/mod/module"
)

// IsTest reports whether a path of the tree is a test or data of tests, which are never mutated.
func IsTest(p string) bool {
	return strings.HasSuffix(p, "_test.go") || slices.Contains(strings.Split(path.Dir(p), "/"), "testdata")
}

// IsSource reports whether a path is Go code that the go command would build: no test, and not in a folder that the
// go command leaves out (vendor, testdata, names that begin with "_" or ".").
func IsSource(p string) bool {
	if path.Ext(p) != ".go" || IsTest(p) {
		return false
	}
	for _, e := range strings.Split(p, "/") {
		if e == "vendor" || e == "testdata" || strings.HasPrefix(e, "_") || strings.HasPrefix(e, ".") {
			return false
		}
	}
	return true
}

// module is one go.mod of the tree.
type module struct {
	dir     string // "." for the root
	path    string
	goVer   string            // "go1.21"; "" = not said
	replace map[string]string // module path -> folder of the tree
	require map[string]string // module path -> folder of a module cache, escaped
}

// modules finds every module of the tree, nested ones included. A go.mod that cannot be read is a module without a
// path, whose packages can still be mutated.
func modules(tree fs.FS) []module {
	var out []module
	_ = fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if d.IsDir() {
			if n := d.Name(); n != "." && (n == "testdata" || n == "vendor" || n == "node_modules" || strings.HasPrefix(n, ".") || strings.HasPrefix(n, "_")) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Base(p) == "go.mod" {
			out = append(out, readModule(tree, p))
		}
		return nil
	})
	return out
}

func readModule(tree fs.FS, p string) module {
	m := module{dir: path.Dir(p), replace: map[string]string{}, require: map[string]string{}}
	b, err := fs.ReadFile(tree, p)
	if err != nil {
		return m
	}
	f, err := modfile.Parse(p, b, nil)
	if err != nil {
		// A later go command may know statements that this one does not; without them replacements are lost.
		if f, err = modfile.ParseLax(p, b, nil); err != nil {
			return m
		}
	}
	if f.Module != nil {
		m.path = f.Module.Mod.Path
	}
	if f.Go != nil {
		m.goVer = "go" + f.Go.Version
	}
	for _, r := range f.Require {
		m.setRequire(r.Mod.Path, r.Mod.Path, r.Mod.Version)
	}
	for _, r := range f.Replace {
		if modfile.IsDirectoryPath(r.New.Path) {
			m.replace[r.Old.Path] = path.Join(m.dir, r.New.Path)
			delete(m.require, r.Old.Path)
		} else if m.require[r.Old.Path] != "" {
			m.setRequire(r.Old.Path, r.New.Path, r.New.Version)
		}
	}
	return m
}

func (m *module) setRequire(as, p, version string) {
	ep, err1 := modpath.EscapePath(p)
	ev, err2 := modpath.EscapeVersion(version)
	if err1 == nil && err2 == nil {
		m.require[as] = ep + "@" + ev
	}
}

// ModuleCache finds the packages that the tree's modules require in a module cache (the folder of GOMODCACHE), for
// [Options]. Where two modules of the tree require different versions, neither is found.
func ModuleCache(cache, tree fs.FS) func(importPath string) (fs.FS, string, bool) {
	dirs := map[string]string{}
	for _, m := range modules(tree) {
		for p, dir := range m.require {
			if old, ok := dirs[p]; ok && old != dir {
				dir = ""
			}
			dirs[p] = dir
		}
	}
	return func(p string) (fs.FS, string, bool) {
		for mod := p; mod != "." && mod != "/"; mod = path.Dir(mod) {
			if dir := dirs[mod]; dir != "" {
				if at := path.Join(dir, strings.TrimPrefix(p, mod)); hasGo(cache, at) {
					return cache, at, true
				}
			}
		}
		return nil, "", false
	}
}

// moduleOf returns the module that holds a folder: the innermost.
func moduleOf(ms []module, dir string) *module {
	var best *module
	for i := range ms {
		m := &ms[i]
		if m.dir == "." || dir == m.dir || strings.HasPrefix(dir, m.dir+"/") {
			if best == nil || len(m.dir) > len(best.dir) || best.dir == "." {
				best = m
			}
		}
	}
	return best
}

// ImportPath returns the import path of a folder of the tree, and false where no go.mod says it.
func ImportPath(tree fs.FS, dir string) (string, bool) {
	m := moduleOf(modules(tree), dir)
	if m == nil || m.path == "" {
		return "", false
	}
	return joinImport(m, dir), true
}

func joinImport(m *module, dir string) string {
	rel := strings.TrimPrefix(strings.TrimPrefix(dir, m.dir), "/")
	if m.dir == "." {
		rel = dir
		if dir == "." {
			rel = ""
		}
	}
	return path.Join(m.path, rel)
}
