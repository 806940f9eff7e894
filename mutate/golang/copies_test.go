package golang

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vallane/lane/mutate"
)

// Of generic functions and methods there are no copies, and a folder is named once however many files of it have some.
func TestCopies(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{
		"go.mod": {Data: []byte("module example.org/c\n\ngo 1.21\n")},
		"a/a.go": {Data: []byte("package a\n\nfunc Add[N int | uint](a, b N) N { return a + b }\n\nfunc Sum(a, b int) int { return a + b }\n")},
		"a/b.go": {Data: []byte("package a\n\ntype Of[T any] struct{ n int }\n\nfunc (o *Of[T]) Twice() int { return o.n * 2 }\n\ntype Plain struct{ n int }\n\nfunc (p *Plain) Half() int { return p.n / 2 }\n")},
	}
	files := []string{"a/a.go", "a/b.go"}
	found, err := Mutants(t.Context(), Options{Tree: tree, GOROOT: os.DirFS(strings.TrimSpace(string(root)))}, files)
	if err != nil || len(found.Unproven) > 0 {
		t.Fatal(err, found.Unproven)
	}
	var ms []*mutate.Mutant
	want := 0
	for i := range found.Mutants {
		ms = append(ms, &found.Mutants[i])
		if m := &found.Mutants[i]; m.Known == "" && (m.Func == "Sum" || m.Func == "(*Plain).Half") {
			want++
		}
	}
	c := found.Copies(ms, [32]byte{2})
	text := string(c.Files["a/a.go"]) + string(c.Files["a/b.go"])
	if want < 4 || len(c.ids) != want || strings.Count(text, c.mark) != want || strings.Contains(text, "Add"+c.mark) || strings.Contains(text, "Twice"+c.mark) {
		t.Errorf("%d copies, want %d:\n%s", len(c.ids), want, text)
	}
	if !slices.Equal(c.Dirs, []string{"a"}) {
		t.Errorf("folders %q", c.Dirs)
	}
}
