package worktree_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/lane/worktree/internal/gittest"
)

// open opens a repository with an area of its own.
func open(t testing.TB, source string, change ...func(*worktree.Options)) *worktree.Repo {
	t.Helper()
	o := worktree.Options{Dir: filepath.Join(t.TempDir(), "lane")}
	for _, f := range change {
		f(&o)
	}
	r, err := worktree.Open(context.Background(), o, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func in(dir string) func(*worktree.Options) { return func(o *worktree.Options) { o.Dir = dir } }

func resolve(t testing.TB, r *worktree.Repo, ask worktree.Ask) worktree.Change {
	t.Helper()
	c, err := r.Resolve(context.Background(), ask)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func tree(t testing.TB, r *worktree.Repo, hash string, use worktree.Use) *worktree.Tree {
	t.Helper()
	tree, err := r.Tree(context.Background(), hash, use)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

// wantRefusal checks code and words of a refusal.
func wantRefusal(t testing.TB, err error, code worktree.Code, says ...string) {
	t.Helper()
	var refusal *worktree.Refusal
	if !errors.As(err, &refusal) {
		t.Errorf("got %v, want a refusal %s", err, code)
		return
	}
	if refusal.Code != code {
		t.Errorf("got the code %s (%v), want %s", refusal.Code, err, code)
	}
	for _, s := range says {
		if !strings.Contains(refusal.Msg+"\n"+refusal.Tip, s) {
			t.Errorf("says %q (hint %q), want %q in it", refusal.Msg, refusal.Tip, s)
		}
	}
}

// unchanged checks at the end of a test that nothing below the repository's git directory was touched.
func unchanged(t testing.TB, repo *gittest.Repo) {
	t.Helper()
	dir := repo.Path(".git")
	if _, err := os.Stat(dir); err != nil {
		dir = repo.Dir
	}
	before := gittest.Fingerprint(t, dir)
	t.Cleanup(func() {
		after := gittest.Fingerprint(t, dir)
		if before != after {
			t.Errorf("the user's repository was changed:\n%s", firstDifference(before, after))
		}
	})
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("- %s\n+ %s", x[i], y[i])
		}
	}
	return "one has more files"
}

// files lists what lies in a folder: "mode content" by path, folders left out.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if d.IsDir() {
			if d.Name() == ".git" {
				return filepath.SkipDir
			}
			return nil
		}
		if rel == ".git" { // of a linked worktree
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode()&os.ModeSymlink != 0 {
			target, err := os.Readlink(path)
			found[rel] = "-> " + target
			return err
		}
		data, err := os.ReadFile(path)
		found[rel] = fmt.Sprintf("%o %s", info.Mode().Perm(), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
