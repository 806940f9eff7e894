package worktree_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/lane/worktree/internal/gittest"
)

// A patch gives the tree that `git apply --index` gives, whatever git diff puts into it.
func TestPatchedTreeIsGits(t *testing.T) {
	t.Parallel()
	base := map[string]string{
		"a.go": "one\ntwo\nthree\nfour\nfive\nsix\n", "b.go": "b\n", "run.sh": "#!/bin/sh\n", "dir/sub/deep": "deep\n",
		"empty": "", "no newline": "x", "crlf": "a\r\nb\r\n", "swap1": strings.Repeat("first\n", 100), "swap2": strings.Repeat("second\n", 100), "x/only": "x\n", "latin": "\xe9\n",
	}
	start := gittest.New(t)
	commit := start.Commit(base)
	for name, change := range map[string]func(*gittest.Repo){
		"changed": func(r *gittest.Repo) { r.Write("a.go", "one\ntwo\nTHREE\nfour\nfive\nsix\nseven\n") },
		"new files": func(r *gittest.Repo) {
			r.Write("new/er", "x\n")
			r.Write("blank", "")
			r.Write("with space", "no newline")
		},
		"deleted": func(r *gittest.Repo) {
			os.Remove(r.Path("b.go"))
			os.Remove(r.Path("empty"))
			os.RemoveAll(r.Path("dir"))
		},
		"renamed": func(r *gittest.Repo) { os.Rename(r.Path("a.go"), r.Path("c.go")) },
		"renamed, changed": func(r *gittest.Repo) {
			os.Remove(r.Path("a.go"))
			r.Write("sub/c.go", "one\ntwo\nthree\nfour\nfive\n6\n")
		},
		"copied": func(r *gittest.Repo) {
			r.Write("copy.go", base["a.go"]+"more\n")
			r.Write("a.go", base["a.go"]+"else\n")
		},
		"swapped":          func(r *gittest.Repo) { r.Write("swap1", base["swap2"]); r.Write("swap2", base["swap1"]) },
		"mode":             func(r *gittest.Repo) { os.Chmod(r.Path("run.sh"), 0o755) },
		"mode and content": func(r *gittest.Repo) { r.Write("run.sh", "#!/bin/bash\n"); os.Chmod(r.Path("run.sh"), 0o755) },
		"file to link":     func(r *gittest.Repo) { os.Remove(r.Path("b.go")); os.Symlink("/somewhere/else", r.Path("b.go")) },
		"file to folder":   func(r *gittest.Repo) { os.Remove(r.Path("b.go")); r.Write("b.go/inside", "x\n") },
		"folder to file":   func(r *gittest.Repo) { os.RemoveAll(r.Path("x")); r.Write("x", "now a file\n") },
		"newlines":         func(r *gittest.Repo) { r.Write("no newline", "x\n"); r.Write("b.go", "b") },
		"odd bytes": func(r *gittest.Repo) {
			r.Write("crlf", "a\r\nB\r\n")
			r.Write("latin", "\xe9\xe8\n")
			r.Write("ü\t\"\\", "x\n")
		},
		"emptied, filled": func(r *gittest.Repo) { r.Write("a.go", ""); r.Write("empty", "full\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := start.Copy(t)
			change(repo)
			repo.Git("add", "-A")
			want := repo.Git("write-tree")
			r := open(t, repo.Dir)
			for _, format := range [][]string{{}, {"-M", "-C", "--find-copies-harder"}, {"--no-renames", "-U0", "--full-index"}, {"--no-prefix", "-B", "-M"}} {
				diff := repo.Git(append([]string{"diff", "--cached", "--text"}, format...)...) + "\n"
				c, err := r.Resolve(context.Background(), worktree.Ask{Base: commit, Patch: []byte(diff)})
				if err != nil {
					t.Errorf("%v: %v\n%s", format, err, diff)
					continue
				}
				if c.HeadTree != want {
					t.Errorf("%v: got %s, want %s\n%s", format, c.HeadTree, want, cmp.Diff(list(repo, want), listOf(t, repo, c.HeadTree)))
				}
				if c.HeadCommit != "" || c.Onto != commit || c.BaseCommit != commit || string(c.Patch) != diff || c.Dirty {
					t.Errorf("%v: got %+v", format, c)
				}
			}
		})
	}
}

// A series of commits in one file is applied one after the other.
func TestPatchSeries(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	base := repo.Commit(map[string]string{"a": "1\n2\n3\n4\n5\n"})
	repo.Commit(map[string]string{"a": "one\n2\n3\n4\n5\n", "b": "new\n"})
	repo.Commit(map[string]string{"a": "one\n2\n3\n4\nfive\n", "b": "new\nand more\n"})
	repo.Git("rm", "-q", "b")
	repo.Commit(nil)
	want := repo.Git("rev-parse", "HEAD^{tree}")
	series := repo.Git("format-patch", "--stdout", base) + "\n"
	if c := resolve(t, open(t, repo.Dir), worktree.Ask{Base: base, Patch: []byte(series)}); c.HeadTree != want {
		t.Errorf("got %s, want %s", c.HeadTree, want)
	}
}

func TestPatchesThatAreRefused(t *testing.T) {
	t.Parallel()
	nested := gittest.New(t)
	nested.Commit(map[string]string{"x": "y"})
	repo := gittest.New(t)
	repo.Write("a", "a\n")
	repo.Write("dir/b", "b\n")
	must(t, os.Symlink("dir", repo.Path("link")))
	must(t, os.Symlink("/etc", repo.Path("out")))
	repo.Git("submodule", "add", "-q", nested.Dir, "mod")
	repo.Commit(nil)
	r := open(t, repo.Dir)
	unchanged(t, repo)
	new := func(path, mode string) string {
		return "diff --git a/" + path + " b/" + path + "\nnew file mode " + mode + "\n--- /dev/null\n+++ b/" + path + "\n@@ -0,0 +1 @@\n+x\n"
	}
	edit := func(path string) string { return "--- a/" + path + "\n+++ b/" + path + "\n@@ -1 +1 @@\n-a\n+x\n" }
	for name, c := range map[string]struct {
		patch string
		code  worktree.Code
		says  string
	}{
		"empty":                        {"", "empty-patch", "git diff"},
		"prose":                        {"hello\n", "unparsable-patch", "no unified diff"},
		"binary":                       {"diff --git a/a b/a\nindex 1234567..89abcde 100644\nBinary files a/a and b/a differ\n", "binary-patch", "line 3"},
		"out of the tree":              {edit("../x"), "escaping-patch", "outside"},
		"into .git":                    {new(".git/hooks/post-checkout", "100755"), "escaping-patch", "git's own"},
		"through a link":               {new("link/new", "100644"), "escaping-patch", `"link"`},
		"through a link out":           {new("out/passwd", "100644"), "escaping-patch", `"out"`},
		"through a link of its own":    {new("way", "120000") + new("way/passwd", "100644"), "escaping-patch", `"way"`},
		"a file through a link":        {edit("link/b"), "escaping-patch", `"link"`},
		"through a file":               {new("a/x", "100644"), "unbound-patch", "is a file"},
		"a file that is there":         {new("a", "100644"), "unbound-patch", "already there"},
		"a folder that is there":       {new("dir", "100644"), "unbound-patch", "folder"},
		"a file that is not there":     {edit("nowhere"), "unbound-patch", "no file"},
		"a folder as a file":           {edit("dir"), "unbound-patch", "no file in the base"},
		"another content":              {edit("dir/b"), "unbound-patch", "hunk 1"},
		"a link as a file":             {"diff --git a/link b/link\nindex 1234567..89abcde 100644\n--- a/link\n+++ b/link\n@@ -1 +1 @@\n-dir\n+x\n", "unbound-patch", "120000"},
		"deleted without its content":  {"diff --git a/a b/a\ndeleted file mode 100644\nindex 1234567..0000000\n", "unbound-patch", "more than the patch shows"},
		"changes nothing":              {"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+a\n", "empty-patch", "changes nothing"},
		"a submodule":                  {"diff --git a/sub b/sub\nnew file mode 160000\nindex 0000000..1234567\n--- /dev/null\n+++ b/sub\n@@ -0,0 +1 @@\n+Subproject commit 1\n", "submodule", "sub"},
		"into a submodule":             {new("mod/y", "100644"), "submodule", "mod"},
		"renamed after it was changed": {edit("a") + "diff --git a/a b/z\nrename from a\nrename to z\n", "unbound-patch", "one diff"},
		"a link to nothing":            {"diff --git a/l b/l\nnew file mode 120000\nindex 0000000..e69de29\n", "unbound-patch", "symbolic link"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.Resolve(context.Background(), worktree.Ask{Base: "main", Patch: []byte(c.patch)})
			wantRefusal(t, err, c.code, c.says)
		})
	}
	_, err := r.Resolve(context.Background(), worktree.Ask{Patch: []byte(edit("a"))})
	wantRefusal(t, err, worktree.MissingRef, "no base")
}

// diff -N of GNU diff shows a new file as an old one without lines.
func TestPlainDiffOfANewFile(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Commit(map[string]string{"a": "a\n"})
	diff := "diff -Nur old/new.txt new/new.txt\n--- old/new.txt\t1970-01-01 00:00:00.000000000 +0000\n+++ new/new.txt\t2026-01-01 00:00:00.000000000 +0000\n@@ -0,0 +1 @@\n+text\n"
	r := open(t, repo.Dir)
	c := resolve(t, r, worktree.Ask{Base: "main", Patch: []byte(diff)})
	checked := tree(t, r, c.HeadTree, worktree.Use{})
	if data, err := os.ReadFile(filepath.Join(checked.Path, "new.txt")); string(data) != "text\n" {
		t.Errorf("%q, %v", data, err)
	}
}
