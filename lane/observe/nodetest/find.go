package nodetest

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// maxFiles bounds how many files of a tree are looked at.
const maxFiles = 200_000

// finder lists the test files that a command runs.
type finder struct {
	tree   fs.FS
	cwd    string // relative to the tree; "." is its root
	box    string // the tree as the box sees it
	files  []string
	unsure []string // why the list may not be the runner's
}

var (
	script   = regexp.MustCompile(`\.[cm]?js$`)
	typed    = regexp.MustCompile(`\.[cm]?ts$`)
	testName = regexp.MustCompile(`^(test|test-.+|.+[._-]test)$`)
)

// find fills in the files of the command.
func (f *finder) find(paths []string) {
	if len(paths) == 0 {
		if path.Base(f.cwd) == "test" {
			f.doubt("the runner's own search differs between releases in a folder named test")
		}
		f.search(f.cwd, false)
	}
	for _, p := range paths {
		f.argument(p)
	}
	slices.Sort(f.files)
	f.files = slices.Compact(f.files)
}

func (f *finder) doubt(why string) {
	if !slices.Contains(f.unsure, why) {
		f.unsure = append(f.unsure, why)
	}
}

func (f *finder) argument(p string) {
	name := path.Join(f.cwd, p)
	if path.IsAbs(p) {
		rest, ok := strings.CutPrefix(path.Clean(p)+"/", f.box+"/")
		if !ok {
			f.doubt(p + " does not lie in the tree")
			return
		}
		name = path.Clean("./" + rest)
	}
	if name == ".." || strings.HasPrefix(name, "../") {
		f.doubt(p + " does not lie in the tree")
		return
	}
	info, err := fs.Stat(f.tree, name)
	switch {
	case strings.ContainsAny(p, "*?{}[]()!"):
		f.glob(name)
	case err != nil:
		f.doubt(p + " is not in the tree")
	case info.IsDir():
		f.search(name, path.Base(name) == "test")
	case info.Mode().IsRegular():
		f.files = append(f.files, name)
	}
}

// search is the runner's own: files named as tests, and all scripts below folders named test.
func (f *finder) search(dir string, under bool) {
	f.walk(dir, func(name string) {
		rel := strings.TrimPrefix(name, dir+"/")
		inTest := under || slices.Contains(strings.Split(path.Dir(rel), "/"), "test")
		base := path.Base(name)
		stem := strings.TrimSuffix(base, path.Ext(base))
		switch takes := inTest || testName.MatchString(stem); {
		case takes && script.MatchString(base):
			f.files = append(f.files, name)
		case takes && typed.MatchString(base):
			f.doubt("whether TypeScript is run depends on the release")
		}
	})
}

// walk calls f for each regular file below dir that the runner may take.
func (f *finder) walk(dir string, each func(name string)) {
	seen := 0
	err := fs.WalkDir(f.tree, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			f.doubt("a folder cannot be read")
			return nil
		}
		if seen++; seen > maxFiles {
			return fs.SkipAll
		}
		base := d.Name()
		switch {
		case d.IsDir() && name != dir && base == "node_modules":
			return fs.SkipDir
		case d.IsDir() && name != dir && strings.HasPrefix(base, "."):
			if base != ".git" {
				f.doubt("whether hidden folders are searched depends on the release")
			}
			return fs.SkipDir
		case d.Type()&fs.ModeSymlink != 0:
			if target, err := fs.Stat(f.tree, name); err != nil || target.IsDir() || script.MatchString(base) {
				f.doubt("whether links are followed depends on the release")
			}
		case d.Type().IsRegular() && !strings.HasPrefix(base, "."):
			each(name)
		}
		return nil
	})
	if err != nil || seen > maxFiles {
		f.doubt("the tree is too large to search")
	}
}

// glob expands the forms *, **, ? and {a,b}.
func (f *finder) glob(pattern string) {
	re, ok := globExpression(pattern)
	if !ok {
		f.doubt(pattern + " is a pattern that only the runner knows")
		return
	}
	// The folder above the first special part.
	root, _, _ := strings.Cut(pattern, "*")
	root = path.Dir(strings.SplitN(strings.SplitN(root, "?", 2)[0], "{", 2)[0] + "x")
	if info, err := fs.Stat(f.tree, root); err != nil || !info.IsDir() {
		return
	}
	f.walk(root, func(name string) {
		if re.MatchString(name) {
			f.files = append(f.files, name)
		}
	})
}

func globExpression(pattern string) (*regexp.Regexp, bool) {
	if strings.ContainsAny(pattern, "[]()!\\") || len(pattern) > 1000 {
		return nil, false
	}
	var b strings.Builder
	b.WriteByte('^')
	depth := 0
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case strings.HasPrefix(pattern[i:], "**/"):
			b.WriteString(`(?:[^/]+/)*`)
			i += 2
		case strings.HasPrefix(pattern[i:], "**"):
			b.WriteString(`.*`)
			i++
		case c == '*':
			b.WriteString(`[^/]*`)
		case c == '?':
			b.WriteString(`[^/]`)
		case c == '{':
			depth++
			b.WriteString(`(?:`)
		case c == '}':
			depth--
			b.WriteByte(')')
		case c == ',' && depth > 0:
			b.WriteByte('|')
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	re, err := regexp.Compile(b.String() + "$")
	return re, err == nil && depth == 0
}
