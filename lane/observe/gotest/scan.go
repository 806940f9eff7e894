package gotest

import (
	"fmt"
	"go/build"
	"go/build/constraint"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// A module is where import paths come from: one go.mod, or none.
type module struct {
	dir    string // relative to the tree
	path   string // "" without go.mod
	golang string // its go line
	ignore []string
}

// A scan is what a command will test, read from the tree.
type scan struct {
	tree   *tree
	box    string // where the tree lies in the box
	cwd    string // relative to the tree
	mod    module
	ctx    build.Context
	units  []*unit
	known  bool
	notes  []string
	noMod  bool // GO111MODULE=off
	noWork bool // GOWORK=off
}

// newScan reads where the command stands, not yet what it tests.
func newScan(t *tree, box, cwd string, tc *toolchain, goos, goarch string, cgo bool, tags []string) *scan {
	s := &scan{tree: t, box: box, cwd: cwd, known: true}
	s.ctx = build.Default
	s.ctx.GOOS, s.ctx.GOARCH, s.ctx.GOROOT, s.ctx.GOPATH = goos, goarch, tc.root, ""
	s.ctx.CgoEnabled, s.ctx.BuildTags, s.ctx.ReleaseTags = cgo, tags, nil
	for i := 1; i <= tc.minor; i++ {
		s.ctx.ReleaseTags = append(s.ctx.ReleaseTags, fmt.Sprintf("go1.%d", i))
	}
	dir, ok := t.up(cwd, "go.mod")
	if !ok {
		s.noMod = !t.isFile("go.work")
		s.mod = module{dir: "."}
		return s
	}
	mod, err := s.readModule(dir)
	if err != nil {
		s.known = false
		s.notes = append(s.notes, err.Error())
	}
	s.mod = mod
	s.checkWork()
	return s
}

func (s *scan) readModule(dir string) (module, error) {
	name := path.Join(dir, "go.mod")
	m := module{dir: dir}
	b, err := s.tree.read(name)
	if err != nil {
		return m, fmt.Errorf("read %s: %w", name, err)
	}
	f, err := modfile.ParseLax(name, b, nil)
	if err != nil {
		return m, fmt.Errorf("read %s: %w", name, err)
	}
	if f.Module != nil {
		m.path = f.Module.Mod.Path
	}
	if f.Go != nil {
		m.golang = f.Go.Version
	}
	for _, i := range f.Ignore {
		m.ignore = append(m.ignore, i.Path)
	}
	return m, nil
}

// checkWork switches a workspace off that names folders outside of the tree: they are not in the box.
func (s *scan) checkWork() {
	dir, ok := s.tree.up(s.cwd, "go.work")
	if !ok {
		return
	}
	name := path.Join(dir, "go.work")
	b, err := s.tree.read(name)
	if err != nil {
		return
	}
	f, err := modfile.ParseWork(name, b, nil)
	if err != nil {
		return
	}
	for _, u := range f.Use {
		if p := path.Join(dir, u.Path); path.IsAbs(u.Path) || p == ".." || strings.HasPrefix(p, "../") {
			s.noWork = true
			s.notes = append(s.notes, fmt.Sprintf("%s names %s outside of the tree: the workspace is off", name, u.Path))
			return
		}
	}
}

// find collects the units that the package arguments name.
func (s *scan) find(patterns []string) {
	seen := make(map[string]bool)
	for _, p := range patterns {
		dirs, ok := s.dirs(p)
		if !ok {
			s.known = false
			s.notes = append(s.notes, fmt.Sprintf("what %s stands for cannot be read from the tree: a package that never reports will not be missed", p))
			continue
		}
		for _, d := range dirs {
			if seen[d] {
				continue
			}
			seen[d] = true
			if u := s.unit(d); u != nil {
				s.units = append(s.units, u)
			}
		}
	}
	slices.SortFunc(s.units, func(a, b *unit) int { return strings.Compare(a.id, b.id) })
}

// dirs returns the folders that one package argument names.
func (s *scan) dirs(pattern string) ([]string, bool) {
	rel, ok := s.relative(pattern)
	if !ok {
		return nil, false
	}
	base, _, wild := strings.Cut(rel, "...")
	if !wild {
		return []string{path.Clean(rel)}, true
	}
	start := path.Dir(base + "x") // the folder that surely holds all matches
	match := matchPattern(rel)
	var dirs []string
	s.walk(path.Clean(start), true, func(dir string) {
		if match(dir) {
			dirs = append(dirs, dir)
		}
	})
	return dirs, true
}

// relative turns a package argument into one relative to the tree.
func (s *scan) relative(pattern string) (string, bool) {
	switch {
	case strings.HasSuffix(pattern, ".go") || strings.Contains(pattern, "@"):
		return "", false
	case pattern == "." || pattern == ".." || strings.HasPrefix(pattern, "./") || strings.HasPrefix(pattern, "../"):
		rel := path.Join(s.cwd, pattern)
		return rel, rel != ".." && !strings.HasPrefix(rel, "../")
	case path.IsAbs(pattern):
		rest, ok := strings.CutPrefix(path.Clean(pattern)+"/", s.box+"/")
		return path.Clean("./" + rest), ok
	case pattern == "..." && s.mod.path != "":
		return "", false // also the standard library and all dependencies
	case s.mod.path != "" && (pattern == s.mod.path || strings.HasPrefix(pattern, s.mod.path+"/")):
		return path.Join(s.mod.dir, "./"+pattern[len(s.mod.path):]), true
	case s.mod.path != "" && pattern == s.mod.path+"...":
		return path.Join(s.mod.dir, "..."), true
	}
	return "", false
}

// matchPattern compares folders with a pattern as the go command does: "x/..." names x too, and "..." any text.
func matchPattern(pattern string) func(dir string) bool {
	parts := strings.Split(pattern, "...")
	return func(dir string) bool {
		if pattern == "..." || dir == strings.TrimSuffix(pattern, "/...") {
			return true
		}
		return matchParts(parts, dir)
	}
}

func matchParts(parts []string, s string) bool {
	rest, ok := strings.CutPrefix(s, parts[0])
	if !ok {
		return false
	}
	for i, p := range parts[1:] {
		if i == len(parts)-2 {
			return strings.HasSuffix(rest, p)
		}
		at := strings.Index(rest, p)
		if at < 0 {
			return false
		}
		rest = rest[at+len(p):]
	}
	return rest == ""
}

// walk visits dir and the folders below it that the go command looks into.
func (s *scan) walk(dir string, top bool, visit func(dir string)) {
	base := path.Base(dir)
	if !top && (strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".") || base == "testdata" || base == "vendor") {
		return
	}
	if !top && s.mod.path != "" && s.tree.isFile(path.Join(dir, "go.mod")) || s.ignored(dir) {
		return
	}
	entries, err := s.tree.list(dir)
	if err != nil {
		return
	}
	visit(dir)
	for _, e := range entries {
		// Not isDir: the go command does not follow links to folders.
		if e.IsDir() {
			s.walk(path.Join(dir, e.Name()), false, visit)
		}
	}
}

// ignored applies the ignore lines of go.mod.
func (s *scan) ignored(dir string) bool {
	rel, ok := strings.CutPrefix(dir, s.mod.dir+"/")
	if s.mod.dir == "." {
		rel, ok = dir, dir != "."
	}
	if !ok {
		return false
	}
	for _, i := range s.mod.ignore {
		if at, rooted := strings.CutPrefix(i, "./"); rooted {
			if rel == path.Clean(at) {
				return true
			}
			continue
		}
		if i = path.Clean(i); rel == i || strings.HasSuffix(rel, "/"+i) {
			return true
		}
	}
	return false
}

// importPath is the id of the package in a folder.
func (s *scan) importPath(dir string) string {
	if s.noMod {
		return path.Join("_"+s.box, dir)
	}
	mod := s.mod
	if mod.path == "" || dir != mod.dir && mod.dir != "." && !strings.HasPrefix(dir, mod.dir+"/") {
		// A workspace: each folder belongs to the module above it.
		if at, ok := s.tree.up(dir, "go.mod"); ok {
			if m, err := s.readModule(at); err == nil {
				mod = m
			}
		}
	}
	rel := dir
	if mod.dir != "." {
		rel = strings.TrimPrefix(strings.TrimPrefix(dir, mod.dir), "/")
	}
	return path.Join(mod.path, rel)
}

// tagsOf takes the value of -tags apart.
func tagsOf(value string) []string {
	tags := strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
	return slices.DeleteFunc(tags, func(t string) bool {
		_, err := constraint.Parse("//go:build " + t)
		return err != nil
	})
}

// goLine is the release that a module asks for at least, as a minor number; 0 for none.
func goLine(m module) int {
	minor, err := minorOf("go" + m.golang)
	if err != nil {
		return 0
	}
	return minor
}
