package python

import (
	"path"
	"slices"
	"strings"
)

// IsTest reports whether a path of the tree is Python code of tests, which is never mutated: test_*.py, *_test.py, conftest.py,
// and whatever lies in a folder named test or tests, or is data of tests below testdata.
func IsTest(p string) bool {
	dirs := strings.Split(path.Dir(p), "/")
	if slices.Contains(dirs, "testdata") {
		return true
	}
	base, ok := strings.CutSuffix(path.Base(p), ".py")
	return ok && (strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test") || base == "conftest" || base == "tests" ||
		slices.Contains(dirs, "tests") || slices.Contains(dirs, "test"))
}

// IsSource reports whether a path is Python code that tests may run: no test, nothing that was installed beside it (virtual
// environments, node_modules, names that begin with ".").
func IsSource(p string) bool {
	if path.Ext(p) != ".py" || IsTest(p) {
		return false
	}
	for _, e := range strings.Split(p, "/") {
		if strings.HasPrefix(e, ".") || slices.Contains([]string{"venv", "site-packages", "node_modules", "__pycache__"}, e) {
			return false
		}
	}
	return true
}

// Canary returns a Python file in a form that compiles and that no program survives which has loaded it, for the engine: a run
// that does not notice it does not use the file. It knows Python files only.
func Canary(p string, src []byte) ([]byte, bool) {
	if !IsSource(p) {
		return nil, false
	}
	eol := "\n"
	if strings.Contains(string(src), "\r\n") {
		eol = "\r\n"
	}
	out := slices.Clone(src)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, eol...)
	}
	return append(out, "import os as canary; canary._exit(86)"+eol...), true
}
