package patch_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/worktree/patch"
	"github.com/vallane/lane/lane/worktree/treename"
)

// FuzzParse: whatever the bytes, a patch is either refused by one of the package's errors or safe to
// apply: its paths stay inside the tree and its hunks take no more lines than there are.
func FuzzParse(f *testing.F) {
	kinds, err := os.ReadFile(filepath.Join("testdata", "kinds.patch"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(kinds, []byte("one\ntwo\nthree\n"))
	f.Add([]byte("--- a/x\n+++ b/x\n"+hunk), []byte("a\nb\n"))
	f.Add([]byte("diff --git \"a/\\303\" \"b/\\303\"\nold mode 100644\nnew mode 100755\n"), []byte(""))
	f.Add([]byte("diff --git a/x b/y\ncopy from x\ncopy to y\n"), []byte("\n\n"))
	f.Fuzz(func(t *testing.T, data, old []byte) {
		files, err := patch.Parse(data)
		if err != nil {
			if _, ok := err.(*patch.Error); !ok {
				t.Fatalf("error of another type: %v", err)
			}
			return
		}
		for i := range files {
			file := &files[i]
			for _, path := range []string{file.Old, file.New} {
				if path != "" && treename.CheckPath(path, false) != nil {
					t.Fatalf("path %q passed", path)
				}
			}
			if file.Path() == "" {
				t.Fatal("a file without a name")
			}
			added, taken := 0, 0
			for _, h := range file.Hunks {
				added, taken = added+h.NewLines, taken+h.OldLines
			}
			got, err := file.Apply(old, "")
			if err != nil {
				if _, ok := err.(*patch.Error); !ok {
					t.Fatalf("error of another type: %v", err)
				}
				continue
			}
			if want := countLines(old) + added - taken; countLines(got) != want {
				t.Fatalf("the hunks add %d and take %d lines; %q became %q", added, taken, old, got)
			}
		}
	})
}

func countLines(data []byte) int {
	n := bytes.Count(data, []byte("\n"))
	if len(data) > 0 && !strings.HasSuffix(string(data), "\n") {
		n++
	}
	return n
}
