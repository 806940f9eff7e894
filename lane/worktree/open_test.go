package worktree_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/lane/worktree/internal/gittest"
)

// A repository is found from anywhere in it, whatever shape it has, and only read.
func TestOpenFindsTheRepository(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	commit := repo.Commit(map[string]string{"a": "x", "sub/dir/b": "y"})
	repo.Git("worktree", "add", "-q", "-b", "topic", repo.Path("../linked"))
	linked := gittest.At(t, repo.Path("../linked"))
	topic := linked.Commit(map[string]string{"a": "of the topic"})
	bare := filepath.Join(t.TempDir(), "bare.git")
	repo.Git("clone", "-q", "--bare", repo.Dir, bare)
	sharing := filepath.Join(t.TempDir(), "sharing")
	repo.Git("clone", "-q", "--shared", repo.Dir, sharing)
	superproject := gittest.New(t)
	superproject.Git("submodule", "add", "-q", repo.Dir, "mod")
	superproject.Commit(nil)
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(repo.Dir, link))
	odd := filepath.Join(t.TempDir(), "a \"quoted\\ # name:\n")
	repo.Git("clone", "-q", repo.Dir, odd)
	unchanged(t, repo)
	unchanged(t, superproject)

	for name, c := range map[string]struct{ source, head, root string }{
		"top":                       {repo.Dir, commit, repo.Dir},
		"folder in it":              {repo.Path("sub/dir"), commit, repo.Dir},
		"file in it":                {repo.Path("sub/dir/b"), commit, repo.Dir},
		"git directory":             {repo.Path(".git"), commit, repo.Dir},
		"symbolic link":             {link, commit, repo.Dir},
		"linked worktree":           {linked.Dir, topic, linked.Dir},
		"bare":                      {bare, commit, ""},
		"borrows objects itself":    {sharing, commit, sharing},
		"submodule":                 {superproject.Path("mod"), commit, superproject.Path("mod")},
		"a name that needs quoting": {odd, commit, odd},
		"file URL":                  {"file://" + repo.Dir, commit, repo.Dir},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, c.source)
			got := resolve(t, r, worktree.Ask{Base: "HEAD"})
			if got.HeadCommit != c.head || got.BaseCommit != c.head || len(got.Files) != 0 {
				t.Errorf("head is %s with %v, want %s", got.HeadCommit, got.Files, c.head)
			}
			if r.Root() != c.root {
				t.Errorf("root is %q, want %q", r.Root(), c.root)
			}
			checked := tree(t, r, got.HeadTree, worktree.Use{})
			if data, _ := os.ReadFile(filepath.Join(checked.Path, "sub/dir/b")); string(data) != "y" {
				t.Errorf("sub/dir/b holds %q", data)
			}
			if c.root != "" {
				snapshot := resolve(t, r, worktree.Ask{Base: "HEAD", Head: worktree.Worktree})
				if snapshot.Dirty || snapshot.HeadTree != got.HeadTree {
					t.Errorf("the clean working tree differs: %v", snapshot.Files)
				}
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	sha256 := gittest.New(t, "--object-format=sha256")
	sha256.Commit(map[string]string{"a": "x"})
	reftable := gittest.New(t)
	reftable.Git("config", "core.repositoryformatversion", "1")
	reftable.Git("config", "extensions.refStorage", "reftable")
	moved := t.TempDir()
	must(t, os.WriteFile(filepath.Join(moved, ".git"), []byte("gitdir: /nonexistent/.git/worktrees/x\n"), 0o644))
	nonsense := t.TempDir()
	must(t, os.WriteFile(filepath.Join(nonsense, ".git"), []byte("hello\n"), 0o644))

	for name, c := range map[string]struct {
		source string
		code   worktree.Code
		says   string
	}{
		"no repository":         {t.TempDir(), worktree.NotARepository, "git init"},
		"nothing there":         {"/nonexistent/folder", worktree.NotARepository, "no such file"},
		"SHA-256":               {sha256.Dir, worktree.UnsupportedSource, "SHA256"},
		"reftable":              {reftable.Dir, worktree.UnsupportedSource, "reftable"},
		"a worktree that moved": {moved, worktree.NotARepository, "git worktree repair"},
		"a .git of nonsense":    {nonsense, worktree.NotARepository, "neither"},
		"an ext URL":            {"ext::sh -c touch% /tmp/x", worktree.UnsupportedSource, "never run"},
		"an ftp URL":            {"ftp://example.org/x", worktree.UnsupportedSource, "ftp"},
		"a helper's URL":        {"foo::https://example.org/x", worktree.UnsupportedSource, ""},
		"a password stays out":  {"gopher://user:secret@example.org/x", worktree.UnsupportedSource, "xxxxx"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := worktree.Open(context.Background(), worktree.Options{Dir: t.TempDir()}, c.source)
			if err == nil {
				r.Close()
			}
			wantRefusal(t, err, c.code, c.says)
		})
	}
}

func TestRel(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Commit(map[string]string{"specs/lane.toml": "x"})
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(repo.Path("specs"), link))
	r := open(t, repo.Dir)
	for file, want := range map[string]string{
		repo.Path("specs/lane.toml"):         "specs/lane.toml",
		repo.Path("specs/../specs/new.toml"): "specs/new.toml",
		filepath.Join(link, "lane.toml"):     "specs/lane.toml",
		filepath.Join(t.TempDir(), "x.toml"): "",
		repo.Dir + "-beside/x.toml":          "",
	} {
		if got, inside := r.Rel(file); got != want || inside != (want != "") {
			t.Errorf("Rel(%s) = %q, %v", file, got, inside)
		}
	}
}
