package gotest

import (
	"bytes"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestWordsOf(t *testing.T) {
	for _, tt := range []struct {
		tests []string
		want  string
	}{
		{[]string{"TestParseVersion", "TestParse"}, "Parse Version"},
		{[]string{"TestParse_EmptyInput", "ExampleNew_withOptions"}, "Parse _Empty Input New _with Options"},
		{[]string{"TestHTTPServer", "Test", "FuzzÄpfel"}, "HTTPServer Äpfel"},
		{nil, ""},
	} {
		if got := strings.Join(wordsOf(tt.tests), " "); got != tt.want {
			t.Errorf("wordsOf(%q) = %q, want %q", tt.tests, got, tt.want)
		}
	}
}

// TestCanariesLookLikeTheSuite draws many canaries of one suite: each is a valid test, none takes a name that is taken, the same seed gives
// the same one, and the forms, names and places differ.
func TestCanariesLookLikeTheSuite(t *testing.T) {
	root := layTree(t, map[string]string{
		"a.go":          "package p\n\nvar testing = 1\n\nfunc TestHelper() {}\n",
		"parse_test.go": "package p\n\nimport t \"testing\"\n\nfunc TestParse(*t.T) {}\nfunc TestParseLinux(*t.T) {}\nfunc TestWindows_Amd64(*t.T) {}\n",
	})
	tr, err := openTree(root)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.close()
	s := newScan(tr, "/tree", ".", &toolchain{minor: 26}, "linux", "amd64", false, nil)
	u := s.unit(".")
	names, paths, forms := make(map[string]int), make(map[string]int), make(map[string]int)
	for i := range 200 {
		seed := [32]byte{byte(i)}
		c, err := makeCanary(u, s, seed, "Parse[^L]", i%2 == 0)
		if err != nil {
			t.Fatal(err)
		}
		again, err := makeCanary(u, s, seed, "Parse[^L]", i%2 == 0)
		if err != nil || again.path != c.path || !bytes.Equal(again.source, c.source) {
			t.Fatalf("the same seed gave %s and %s", c.path, again.path)
		}
		f, err := parser.ParseFile(token.NewFileSet(), c.path, c.source, 0)
		if err != nil {
			t.Fatalf("%v\n%s", err, c.source)
		}
		if len(f.Decls) != 2 || f.Name.Name != "p" {
			t.Errorf("not one test of package p:\n%s", c.source)
		}
		if u.idents[c.name] || !isTestName(c.name, "Test") || regexp.MustCompile("Parse[^L]").MatchString(c.name) {
			t.Errorf("name %s", c.name)
		}
		if tr.exists(c.path) || !s.included(path.Base(c.path), c.source) || !strings.HasSuffix(c.path, "_test.go") {
			t.Errorf("path %s", c.path)
		}
		if strings.Contains(strings.ToLower(c.path+string(c.source)), "canary") || strings.Contains(string(c.source), "lane") {
			t.Errorf("tells what it is:\n%s", c.source)
		}
		if bytes.Contains(c.source, []byte("testing \"")) || i%2 == 0 && bytes.Contains(c.source, []byte("t.Run")) {
			t.Errorf("does not fit:\n%s", c.source)
		}
		names[c.name]++
		paths[c.path]++
		forms[string(regexp.MustCompile(`\bt\.[A-Z]\w+`).Find(c.source))]++
	}
	if len(names) < 20 || len(paths) < 5 || len(forms) < 5 {
		t.Errorf("%d names, %d paths, forms %q", len(names), len(paths), slices.Sorted(maps.Keys(forms)))
	}
}
