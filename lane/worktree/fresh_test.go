package worktree_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/lane/worktree/internal/gittest"
)

// git runs a git program on the fresh repository of a tree, and nothing of anybody's configuration.
func (f freshTree) git(args ...string) string {
	f.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "safe.directory=*"}, args...)...)
	cmd.Dir = f.Path
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "HOME=" + f.t.TempDir(),
		"GIT_DIR=" + f.Git + "/.git", "GIT_WORK_TREE=" + f.Path, "GIT_OPTIONAL_LOCKS=0"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.t.Errorf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

type freshTree struct {
	t *testing.T
	*worktree.Tree
}

func withGit(t *testing.T, r *worktree.Repo, hash string) freshTree {
	t.Helper()
	tree, err := r.Tree(t.Context(), hash, worktree.Use{Git: true, Time: time.Unix(1_700_000_000, 0)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return freshTree{t, tree}
}

// oddRepository has history, a remote, a hook and files of every kind.
func oddRepository(t *testing.T) (repo *gittest.Repo, tree string) {
	repo = gittest.New(t)
	repo.Commit(map[string]string{"old": "gone soon", "secret": "of history"})
	repo.Git("rm", "-q", "secret")
	repo.Git("remote", "add", "origin", "https://token@example.org/x.git")
	repo.Write(".git/hooks/post-checkout", "#!/bin/sh\nexit 1\n")
	if err := os.Symlink("nowhere", repo.Path("link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(repo.Path("tool"), []byte("#!"), 0o755); err != nil {
		t.Fatal(err)
	}
	repo.Commit(map[string]string{
		"old": "x\n", "sub/dir/deep": "y", "\xff": "z", ".gitattributes": "*.bat text eol=crlf\n", "a.bat": "one\ntwo\n", "empty": "",
		".gitignore": "*.log\n", "large": strings.Repeat("0123456789abcdef", 200_000),
	})
	return repo, strings.TrimSpace(repo.Git("rev-parse", "HEAD^{tree}"))
}

func TestFreshRepositoryIsOneCommitOfTheTree(t *testing.T) {
	t.Parallel()
	repo, hash := oddRepository(t)
	f := withGit(t, open(t, repo.Dir), hash)
	for command, want := range map[string]string{
		"rev-parse HEAD^{tree}":                        hash + "\n",
		"rev-list --all --count":                       "1\n",
		"log --format=%an|%ae|%cn|%at|%ct|%s":          "Lane|lane@localhost|Lane|1700000000|1700000000|The tree under test\n",
		"symbolic-ref HEAD":                            "refs/heads/main\n",
		"status --porcelain --ignored":                 "",
		"diff-files":                                   "",
		"diff-index HEAD":                              "",
		"diff-index --cached HEAD":                     "",
		"remote -v":                                    "",
		"config --list --local":                        "core.repositoryformatversion=0\ncore.filemode=true\ncore.bare=false\ncore.logallrefupdates=true\ncore.trustctime=false\ncore.checkstat=minimal\n",
		"reflog --format=%gs":                          "commit (initial): The tree under test\n",
		"fsck --strict --no-dangling --no-progress":    "",
		"count-objects":                                "1 objects, ",
		"cat-file --batch-all-objects --batch-check=x": strings.Repeat("x\n", 14), // the commit, 3 folders, 10 contents
	} {
		if got := f.git(strings.Fields(command)...); got != want && (command != "count-objects" || !strings.HasPrefix(got, want)) {
			t.Errorf("git %s: got %q, want %q", command, got, want)
		}
	}
	if _, err := os.Stat(filepath.Join(f.Path, ".git")); err == nil {
		t.Error("the tree's own folder has a .git")
	}
}

func TestFreshRepositoryHasTheSameBytesEachTime(t *testing.T) {
	t.Parallel()
	repo, hash := oddRepository(t)
	one, two := withGit(t, open(t, repo.Dir), hash), withGit(t, open(t, repo.Dir), hash)
	if one.Git == two.Git || gittest.Fingerprint(t, one.Git) == "" {
		t.Fatal("they are one")
	}
	for name, data := range files(t, one.Git) {
		if other := files(t, two.Git)[name]; other != data {
			t.Errorf("%s differs", name)
		}
	}
	plain := openTree(t, open(t, repo.Dir), hash)
	if plain.Git != "" || plain.SHA256 != one.SHA256 {
		t.Errorf("a tree without one: %q, %s, with one %s", plain.Git, plain.SHA256, one.SHA256)
	}
}

func openTree(t *testing.T, r *worktree.Repo, hash string) *worktree.Tree {
	t.Helper()
	tree, err := r.Tree(t.Context(), hash, worktree.Use{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

func TestFreshRepositoryIsMeasured(t *testing.T) {
	t.Parallel()
	repo, hash := oddRepository(t)
	r := open(t, repo.Dir)
	f := withGit(t, r, hash)
	if sha, differs, err := f.Measure(t.Context()); sha != f.SHA256 || len(differs) > 0 || err != nil {
		t.Fatal(sha, differs, err)
	}
	at := f.Git + "/.git/config"
	if err := os.WriteFile(at, []byte("[core]\n\tfsmonitor = /tmp/evil\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Git+"/.git/info/grafts", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	sha, differs, err := f.Measure(context.Background())
	if err != nil || sha == f.SHA256 || len(differs) != 2 || !strings.Contains(differs[0]+differs[1], ".git/config") {
		t.Errorf("%s, %q, %v", sha, differs, err)
	}
	f.Close()
	again := withGit(t, r, hash)
	if data, err := os.ReadFile(again.Git + "/.git/config"); err != nil || strings.Contains(string(data), "evil") || again.Reused {
		t.Errorf("found again as %q, %v", data, err)
	}
	again.Close()
	if third := withGit(t, r, hash); !third.Reused {
		t.Error("it is made anew though nothing changed")
	}
}
