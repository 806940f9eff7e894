package golang

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vallane/lane/mutate"
)

// verdicts returns, for each arithmetic mutant by file, what is known about it: "" = unproven or viable.
func verdicts(res *Result) map[string]mutate.Verdict {
	out := map[string]mutate.Verdict{}
	for _, m := range res.Mutants {
		if m.Operator == "arithmetic" {
			out[m.File] = m.Known
		}
	}
	return out
}

// Types come from the tree itself, from nested and replaced modules, vendor folders, a module cache and the library.
// Each file adds two strings of another package: only one who knows its types can say that they have no difference.
func TestViabilityKnowsImports(t *testing.T) {
	use := func(pkg, imp string) string {
		return "package " + pkg + "\n\nimport x \"" + imp + "\"\n\nvar Sum = x.A + x.B\n"
	}
	names := "package x\n\nvar A, B = \"a\", \"b\"\n"
	tr := fstest.MapFS{}
	for p, s := range map[string]string{
		"go.mod":                             "module example.org/m\n\ngo 1.24\n\nrequire (\n\texample.org/Cached v1.2.0\n\texample.org/beside v1.0.0\n)\n\nreplace example.org/beside => ./other\n",
		"own/own.go":                         use("own", "example.org/m/names"),
		"names/x.go":                         names,
		"beside/beside.go":                   use("beside", "example.org/beside"),
		"other/go.mod":                       "module example.org/other\n",
		"other/x.go":                         names,
		"other/inner.go":                     "package x\n\nimport \"example.org/other/deep\"\n\nvar Sum = deep.A + deep.B\n",
		"other/deep/x.go":                    strings.Replace(names, "package x", "package deep", 1),
		"vendored/v.go":                      use("vendored", "example.org/vendored/x"),
		"vendor/example.org/vendored/x/x.go": names,
		"cached/c.go":                        use("cached", "example.org/Cached/sub"),
		"library/l.go":                       "package library\n\nimport \"strings\"\n\nvar Sum = strings.ToLower(\"A\") + strings.ToUpper(\"b\")\n",
		"missing/m.go":                       use("missing", "example.org/nowhere"),
		"uses/missing.go":                    "package uses\n\nimport \"example.org/m/missing\"\n\nvar Sum = missing.Sum + \"x\"\n",
		"cgo/c.go":                           "package cgo\n\nimport \"C\"\n\nvar Sum = \"a\" + \"b\"\n",
		"broken/b.go":                        "package broken\n\nvar Sum = \"a\" + \"b\"\nvar Not int = \"a\"\n",
		"unparsed/u.go":                      "package unparsed\n\nvar Sum = \"a\" +\n",
		"unparsed/good.go":                   "package unparsed\n\nvar Good = \"a\" + \"b\"\n",
		"tags/plain.go":                      "package tags\n\nvar Sum = A + A\n",
		"tags/a_linux.go":                    "package tags\n\nvar A = \"a\"\n",
		"tags/a_windows.go":                  "package tags\n\nvar A = 1\n\nvar Two = A + A\n",
		"tags/tagged.go":                     "//go:build special\n\npackage tags\n\nvar C = A + A\n",
		"tags/x_test.go":                     "package tags\n\nvar D = A + A\n",
		"cmd/x/main.go":                      "package main\n\nfunc main() { println(\"a\" + \"b\") }\n",
		"_skipped/s.go":                      "package s\n\nvar Sum = \"a\" + \"b\"\n",
		"testdata/t.go":                      "package t\n\nvar Sum = \"a\" + \"b\"\n",
	} {
		tr[p] = &fstest.MapFile{Data: []byte(s)}
	}
	cache := fstest.MapFS{"example.org/!cached@v1.2.0/sub/x.go": {Data: []byte(names)}}
	var files []string
	for p := range tr {
		files = append(files, p)
	}
	res := find(t, Options{Tree: tr, GOROOT: goroot(t), Dependency: ModuleCache(cache, tr)}, files...)
	want := map[string]mutate.Verdict{
		"own/own.go": mutate.Unviable, "beside/beside.go": mutate.Unviable, "other/inner.go": mutate.Unviable, "vendored/v.go": mutate.Unviable,
		"cached/c.go": mutate.Unviable, "library/l.go": mutate.Unviable, "tags/plain.go": mutate.Unviable, "cmd/x/main.go": mutate.Unviable,
		"missing/m.go": "", "uses/missing.go": "", "cgo/c.go": "", "broken/b.go": "", "tags/a_windows.go": "", "tags/tagged.go": "", "unparsed/good.go": "",
	}
	got := verdicts(res)
	for f, w := range want {
		if v, ok := got[f]; !ok || v != w {
			t.Errorf("%s: %q (there: %v), want %q; unproven %v", f, v, ok, w, res.Unproven)
		}
		delete(got, f)
	}
	for f := range got {
		t.Errorf("%s has mutants", f)
	}
	for _, dir := range []string{"missing", "cgo", "broken", "unparsed"} {
		if res.Unproven[dir] == "" {
			t.Errorf("%s: nobody says why nothing is proven", dir)
		}
	}
	if res.Unparsed["unparsed/u.go"] == "" {
		t.Errorf("unparsed: %v", res.Unparsed)
	}
	tagged := verdicts(find(t, Options{Tree: tr, Tags: []string{"special"}}, "tags/tagged.go"))
	if tagged["tags/tagged.go"] != mutate.Unviable {
		t.Errorf("with its tag: %q", tagged["tags/tagged.go"])
	}
	windows := verdicts(find(t, Options{Tree: tr, GOOS: "windows"}, "tags/plain.go", "tags/a_windows.go"))
	if windows["tags/plain.go"] != "" || windows["tags/a_windows.go"] != "" {
		t.Errorf("on another system: %v", windows)
	}
}

func TestAnnotateReverts(t *testing.T) {
	base := "package f\n\nimport \"fmt\"\n\n// F is old.\nfunc F(n int) string {\n\tif n < 1 {\n\t\treturn \"\"\n\t}\n\treturn fmt.Sprint(n)\n}\n\nvar V = 1\n"
	revert := func(from, to string) mutate.Mutant {
		t.Helper()
		head := strings.Replace(base, from, to, 1)
		if head == base {
			t.Fatalf("no %q", from)
		}
		ms := mutate.Reverts([]mutate.FileChange{{Path: "f.go", Base: &mutate.Blob{Data: []byte(base)}, Head: &mutate.Blob{Data: []byte(head)}}})
		if len(ms) != 1 {
			t.Fatalf("%d reverts", len(ms))
		}
		if err := Annotate(t.Context(), Options{Tree: tree(map[string]string{"f.go": head}), GOROOT: goroot(t)}, ms); err != nil {
			t.Fatal(err)
		}
		return ms[0]
	}
	for _, tt := range []struct {
		name, from, to string
		known          mutate.Verdict
		fn             string
		reach          mutate.Range
	}{
		{"a comment", "is old", "is new", mutate.Equivalent, "", mutate.Range{}},
		{"layout", "n < 1", "n  <  1", mutate.Equivalent, "F", mutate.Range{Start: 6, End: 11}},
		{"a condition", "n < 1", "n <= 1", "", "F", mutate.Range{Start: 6, End: 11}},
		{"a deletion", "\tif n < 1 {\n\t\treturn \"\"\n\t}\n", "", "", "F", mutate.Range{Start: 6, End: 8}},
		{"an import that base needs", "fmt.Sprint(n)", "\"x\"", mutate.Unviable, "F", mutate.Range{Start: 6, End: 11}},
		{"a signature", "F(n int)", "F(n int64)", "", "", mutate.Range{}},
		{"a declaration", "V = 1", "V = 2", "", "", mutate.Range{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := revert(tt.from, tt.to)
			if tt.name == "an import that base needs" { // head does not compile at all: nothing is proven
				tt.known = ""
			}
			if m.Known != tt.known || m.Func != tt.fn || m.Reach != tt.reach {
				t.Errorf("known %q (%s), function %q, reach %v; want %q, %q, %v", m.Known, m.Why, m.Func, m.Reach, tt.known, tt.fn, tt.reach)
			}
		})
	}
	head := strings.Replace(base, "F(n int)", "G(n int)", 1)
	ms := mutate.Reverts([]mutate.FileChange{{Path: "f.go", Base: &mutate.Blob{Data: []byte(base)}, Head: &mutate.Blob{Data: []byte(head)}}})
	two := tree(map[string]string{"f.go": head, "g.go": "package f\n\nfunc user() string { return G(1) }\n"})
	if err := Annotate(t.Context(), Options{Tree: two, GOROOT: goroot(t)}, ms); err != nil {
		t.Fatal(err)
	}
	if ms[0].Known != mutate.Unviable || !strings.Contains(ms[0].Why, "undefined: G") {
		t.Errorf("a function that another file needs: %q (%s)", ms[0].Known, ms[0].Why)
	}
}

func TestProfile(t *testing.T) {
	tr := tree(map[string]string{"a/f.go": "", "in/go.mod": "module example.org/in\n"})
	r := &mutate.Reach{}
	for test, profile := range map[string]string{
		"T1": "mode: set\nexample.org/m/a/f.go:3.13,5.2 2 1\nexample.org/m/a/f.go:5.2,7.10 1 0\nexample.org/in/g.go:1.1,9.9 1 1\nexample.org/else/h.go:1.1,2.2 1 1\n",
		"T2": "mode: count\nexample.org/m/a/f.go:3.13,5.2 2 0\n",
	} {
		if err := Profile(r, tr, test, strings.NewReader(profile)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		file      string
		line, col int
		want      string
		known     bool
	}{
		{"a/f.go", 4, 1, "T1", true},
		{"a/f.go", 3, 13, "T1", true},
		{"a/f.go", 5, 2, "", true},
		{"a/f.go", 3, 12, "T1", true}, // between blocks: whoever enters the function
		{"a/f.go", 40, 1, "", false},
		{"in/g.go", 2, 1, "T1", true},
		{"h.go", 1, 1, "", false},
	} {
		m := &mutate.Mutant{File: tt.file, Line: tt.line, Col: tt.col, Exact: true, Reach: mutate.Range{Start: tt.line - 1, End: tt.line + 1}}
		got, known := r.Tests(m)
		if strings.Join(got, " ") != tt.want || known != tt.known {
			t.Errorf("%s:%d.%d: %v, known %v; want %s, %v", tt.file, tt.line, tt.col, got, known, tt.want, tt.known)
		}
	}
	for _, bad := range []string{"mode: set\nnothing\n", "a.go:1.1,2 1 1\n"} {
		if err := Profile(r, tr, "T3", strings.NewReader(bad)); err == nil {
			t.Errorf("%q is taken for a profile", bad)
		}
	}
}

func TestPaths(t *testing.T) {
	for p, want := range map[string][2]bool{ // test, source
		"f.go": {false, true}, "a/f_test.go": {true, false}, "a/testdata/f.go": {true, false}, "testdata/x.json": {true, false},
		"vendor/x/f.go": {false, false}, "_a/f.go": {false, false}, "a/.b/f.go": {false, false}, "f.txt": {false, false}, "_f.go": {false, false},
	} {
		if got := [2]bool{IsTest(p), IsSource(p)}; got != want {
			t.Errorf("%s: test %v, source %v; want %v", p, got[0], got[1], want)
		}
	}
	tr := tree(map[string]string{"in/go.mod": "module example.org/in/v2\n"})
	for dir, want := range map[string]string{".": "example.org/m", "a/b": "example.org/m/a/b", "in": "example.org/in/v2", "in/c": "example.org/in/v2/c", "inner": "example.org/m/inner"} {
		if got, ok := ImportPath(tr, dir); got != want || !ok {
			t.Errorf("%s: %s, want %s", dir, got, want)
		}
	}
}

// The cheap check, which leaves out what an edit does not concern, says what a check of everything says.
func TestCheapCheckAgreesWithFullCheck(t *testing.T) {
	root := goroot(t)
	for _, dir := range []string{"src/text/tabwriter", "src/container/list"} {
		lib, err := fs.Sub(root, dir)
		if err != nil {
			t.Fatal(err)
		}
		names, err := fs.Glob(lib, "*.go")
		if err != nil {
			t.Fatal(err)
		}
		res, err := Find(t.Context(), Options{Tree: lib, GOROOT: root}, names)
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Unproven) > 0 || len(res.Mutants) < 50 {
			t.Fatalf("%s: %d mutants, unproven %v", dir, len(res.Mutants), res.Unproven)
		}
		for i, m := range res.Mutants {
			if i%3 != 0 {
				continue
			}
			c := res.candidates[m.ID]
			out, err := c.Apply(c.src.src)
			if err != nil {
				t.Fatal(err)
			}
			full := c.pkg.viable(c.File, out)
			cheap := c.pkg.viableIn(c.src, c.fn, edit{c.Offset, c.Offset + c.Length, string(c.Replacement)})
			if full.bad != cheap.bad || full.unused != cheap.unused {
				t.Errorf("%s: full %+v, cheap %+v", &m, full, cheap)
			}
		}
	}
}

func TestImportsThatOthersUse(t *testing.T) {
	one := "package f\n\nimport \"strings\"\n\nfunc F(s string) string { return strings.ToUpper(s) }\n"
	two := one + "\nfunc G(s string) string { return strings.ToLower(s) }\n"
	for name, src := range map[string]string{"one user": one, "two users": two} {
		for _, m := range find(t, Options{Tree: tree(map[string]string{"f.go": src}), GOROOT: goroot(t)}, "f.go").Mutants {
			kept := strings.Contains(string(m.Replacement), "_, _ = strings.ToUpper, s")
			if m.Known != "" || kept != (name == "one user") {
				t.Errorf("%s: %s is %q (%s), as %q", name, &m, m.Known, m.Why, m.Replacement)
			}
		}
	}
}
