package patch_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vallane/lane/lane/worktree/patch"
)

const hunk = "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"

func TestRefusedPatches(t *testing.T) {
	for _, c := range []struct {
		name, in string
		kind     patch.Kind
		says     string
	}{
		{"empty", "", patch.Empty, "is empty"},
		{"blank", "\n\n", patch.Empty, "is empty"},
		{"prose", "please apply\nthank you\n", patch.Unparsable, "no unified diff"},
		{"html", "<html>404</html>", patch.Unparsable, "no unified diff"},
		{"binary, git", "diff --git a/x b/x\nindex 1234567..89abcde 100644\nGIT binary patch\nliteral 3\nKcmZ\n", patch.Binary, "binary"},
		{"binary, named only", "diff --git a/x b/x\nindex 1234567..89abcde 100644\nBinary files a/x and b/x differ\n", patch.Binary, "binary"},
		{"binary, diff -r", "Binary files old/x and new/x differ\n", patch.Binary, "binary"},
		{"combined", "diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,2 -1,2 +1,2 @@@\n", patch.Unparsable, "combined"},
		{"combined hunk", "--- a/x\n+++ b/x\n@@@ -1,2 -1,2 +1,2 @@@\n", patch.Unparsable, "combined"},
		{"hunk without file", hunk, patch.Unparsable, "without the name"},
		{"git hunk without names", "diff --git a/x b/x\n" + hunk, patch.Unparsable, "without the name"},
		{"names without hunk", "--- a/x\n+++ b/x\n", patch.Unparsable, "no hunk"},
		{"named and not changed", "diff --git a/x b/x\nindex 1234567..89abcde 100644\n", patch.Unparsable, "not changed"},
		{"missing content", "Only in new: x\n", patch.Unparsable, "diff -N"},
		{"two files in one", "--- a/x\n+++ b/y\n" + hunk, patch.Unparsable, "two different"},
		{"git, two files", "diff --git a/x b/y\n--- a/x\n+++ b/y\n" + hunk, patch.Unparsable, "two different"},
		{"git, names disagree", "diff --git a/x b/x\n--- a/y\n+++ b/y\n" + hunk, patch.Unparsable, "another file"},
		{"rename disagrees", "diff --git a/x b/y\nrename from x\nrename to z\n", patch.Unparsable, "different files"},
		{"rename with one name", "diff --git a/x b/y\nrename from x\n", patch.Unparsable, "two names"},
		{"new and deleted", "diff --git a/x b/x\nnew file mode 100644\ndeleted file mode 100644\n", patch.Unparsable, "at once"},
		{"new, but names an old one", "diff --git a/x b/x\nnew file mode 100644\n--- a/x\n+++ b/x\n" + hunk, patch.Unparsable, "/dev/null"},
		{"odd mode", "diff --git a/x b/x\nnew file mode 100777\n", patch.Unparsable, "cannot be read"},
		{"no file at all", "--- /dev/null\n+++ /dev/null\n" + hunk, patch.Unparsable, "no file"},
		{"CR LF", "--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n", patch.Unparsable, "CR LF"},
		{"git, CR LF", "diff --git a/x b/x\r\n", patch.Unparsable, "CR LF"},
		{"more lines than counted", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n+evil()\n", patch.Unparsable, "more lines than its header"},
		{"fewer lines than counted", "--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n a\n-b\n+c\ndiff --git a/y b/y\n", patch.Unparsable, "fewer lines"},
		{"cut off", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n", patch.Unparsable, "ends inside"},
		{"cut off in a line", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c", patch.Unparsable, "cut off inside a line"},
		{"one side overfull", "--- a/x\n+++ b/x\n@@ -1,1 +1,3 @@\n-a\n-b\n+c\n", patch.Unparsable, "too many"},
		{"header in words", "--- a/x\n+++ b/x\n@@ one @@\n", patch.Unparsable, "hunk header"},
		{"header overflows", "--- a/x\n+++ b/x\n@@ -1,99999999999 +1,1 @@\n-a\n", patch.Unparsable, "hunk header"},
		{"line 0 of something", "--- a/x\n+++ b/x\n@@ -0,1 +1,1 @@\n-a\n+b\n", patch.Unparsable, "hunk header"},
		{"changes nothing", "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n a\n", patch.Unparsable, "changes nothing"},
		{"overlap", "--- a/x\n+++ b/x\n" + hunk + hunk, patch.Unparsable, "overlaps"},
		{"goes on after no newline", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n\\ No newline at end of file\n-b\n+a\n+c\n", patch.Unparsable, "only be the last"},
		{"bad quoting", "--- \"a/x\n+++ b/x\n" + hunk, patch.Unparsable, "quoted"},

		{"parent", "--- a/../x\n+++ b/../x\n" + hunk, patch.Escaping, "outside"},
		{"absolute", "--- /etc/passwd\n+++ /etc/passwd\n" + hunk, patch.Escaping, "absolute"},
		{"absolute after the folder", "--- a//etc/passwd\n+++ b//etc/passwd\n" + hunk, patch.Escaping, "absolute"},
		{"git folder", "--- a/.git/config\n+++ b/.git/config\n" + hunk, patch.Escaping, "git's own"},
		{"git folder in capitals", "diff --git a/.GIT/hooks/x b/.GIT/hooks/x\nnew file mode 100755\n", patch.Escaping, "git's own"},
		{"short name", "--- a/git~1/config\n+++ b/git~1/config\n" + hunk, patch.Escaping, "git's own"},
		{"rename out", "diff --git a/x b/../y\nrename from x\nrename to ../y\n", patch.Escaping, "outside"},
		{"quoted parent", "--- \"a/\\056./x\"\n+++ \"b/\\056./x\"\n" + hunk, patch.Escaping, "outside"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := patch.Parse([]byte(c.in))
			var refused *patch.Error
			if !errors.As(err, &refused) {
				t.Fatalf("got %v, want a refusal", err)
			}
			if refused.Kind != c.kind || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %s: %v\nwant %s with %q", refused.Kind, err, c.kind, c.says)
			}
		})
	}
}

func TestOneFileOfEachKind(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "kinds.patch"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := patch.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	type file struct {
		Old, New         string
		OldMode, NewMode patch.Mode
		Rename, Copy     bool
		Hunks            int
	}
	var got []file
	for _, f := range files {
		got = append(got, file{f.Old, f.New, f.OldMode, f.NewMode, f.Rename, f.Copy, len(f.Hunks)})
	}
	want := []file{
		{Old: "plain.go", New: "plain.go", OldMode: 0o100644, NewMode: 0o100644, Hunks: 2},
		{New: "new file.txt", NewMode: 0o100644, Hunks: 1},
		{New: "empty", NewMode: 0o100644},
		{Old: "gone.txt", OldMode: 0o100644, Hunks: 1},
		{Old: "run.sh", New: "run.sh", OldMode: 0o100644, NewMode: 0o100755},
		{Old: "old name", New: "new name", Rename: true},
		{Old: "a.go", New: "b.go", OldMode: 0o100644, NewMode: 0o100644, Copy: true, Hunks: 1},
		{New: "link", NewMode: 0o120000, Hunks: 1},
		{Old: "ümlaut\n", New: "ümlaut\n", OldMode: 0o100644, NewMode: 0o100644, Hunks: 1},
		{Old: "no/prefix.go", New: "no/prefix.go", OldMode: 0o100644, NewMode: 0o100644, Hunks: 1},
		{Old: "src/x.c", New: "src/x.c", Hunks: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
