package worktree_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/lane/worktree/internal/gittest"
)

// A snapshot is the tree that `git add -A` would stage, whatever state index and files are in.
func TestSnapshotIsWhatGitWouldStage(t *testing.T) {
	t.Parallel()
	start := map[string]string{
		"kept": "kept\n", "changed": "old\n", "gone": "x\n", "sub/deep/file": "x\n", "becomes-a-folder": "x\n",
		"folder/inside": "x\n", "link-to-be": "x\n", ".gitignore": "*.log\n/build/\n", "tracked.log": "tracked all the same\n",
	}
	base := gittest.New(t)
	base.Commit(start)
	must(t, os.MkdirAll(base.Path(".git/info"), 0o755))
	head := base.Git("rev-parse", "HEAD^{tree}")
	onto := base.Git("rev-parse", "HEAD")
	for name, change := range map[string]func(*gittest.Repo){
		"nothing":    func(*gittest.Repo) {},
		"changed":    func(r *gittest.Repo) { r.Write("changed", "new\n") },
		"same size":  func(r *gittest.Repo) { r.Write("changed", "OLD\n") },
		"deleted":    func(r *gittest.Repo) { os.Remove(r.Path("gone")); os.RemoveAll(r.Path("sub")) },
		"new":        func(r *gittest.Repo) { r.Write("new", "x"); r.Write("sub/new/er", "y"); r.Write("-dash", "z") },
		"executable": func(r *gittest.Repo) { os.Chmod(r.Path("kept"), 0o755) },
		"a link": func(r *gittest.Repo) {
			os.Remove(r.Path("link-to-be"))
			os.Symlink("/nonexistent/broken", r.Path("link-to-be"))
		},
		"file to folder": func(r *gittest.Repo) {
			os.Remove(r.Path("becomes-a-folder"))
			r.Write("becomes-a-folder/x", "x")
		},
		"folder to file": func(r *gittest.Repo) { os.RemoveAll(r.Path("folder")); r.Write("folder", "x") },
		"ignored":        func(r *gittest.Repo) { r.Write("x.log", "x"); r.Write("build/out", "x"); r.Write("tracked.log", "y") },
		"excluded": func(r *gittest.Repo) {
			r.Write(".git/info/exclude", "secret\n")
			r.Write("secret", "x")
			r.Write("public", "x")
		},
		"staged": func(r *gittest.Repo) {
			r.Write("changed", "staged\n")
			r.Git("add", "changed")
			r.Write("changed", "after\n")
		},
		"staged removal":  func(r *gittest.Repo) { r.Git("rm", "-q", "--cached", "kept") },
		"to be added":     func(r *gittest.Repo) { r.Write("intent", "x"); r.Git("add", "-N", "intent") },
		"no index":        func(r *gittest.Repo) { os.Remove(r.Path(".git/index")) },
		"split index":     func(r *gittest.Repo) { r.Git("update-index", "--split-index"); r.Write("changed", "new\n") },
		"index version 4": func(r *gittest.Repo) { r.Git("update-index", "--index-version=4"); r.Write("changed", "new\n") },
		"untracked cache": func(r *gittest.Repo) {
			r.Git("update-index", "--force-untracked-cache")
			r.Git("status")
			r.Write("new", "x")
		},
		"sparse checkout": func(r *gittest.Repo) { r.Git("sparse-checkout", "set", "folder"); r.Write("folder/inside", "y") },
		"sparse index": func(r *gittest.Repo) {
			r.Git("sparse-checkout", "set", "--cone", "--sparse-index", "folder")
			r.Write("folder/inside", "y")
		},
		"line ends": func(r *gittest.Repo) {
			r.Write(".gitattributes", "* text=auto\n*.bat eol=crlf\n")
			r.Git("add", ".")
			r.Write("changed", "one\r\ntwo\r\n")
			r.Write("new.bat", "one\r\ntwo\r\n")
		},
		"line ends kept in a file that had them": func(r *gittest.Repo) {
			r.Write("mixed", "one\r\ntwo\n")
			r.Git("add", ".")
			r.Write(".gitattributes", "* text=auto\n")
			r.Write("mixed", "one\r\ntwo\nthree\r\n")
		},
		"ident": func(r *gittest.Repo) { r.Write(".gitattributes", "* ident\n"); r.Write("changed", "$Id: 1234 $\n") },
		"odd names": func(r *gittest.Repo) {
			r.Write("with space", "x")
			r.Write("ünï\n\tcode", "x")
			r.Write("\xff\xfe", "x")
			r.Write(strings.Repeat("n", 200), "x")
		},
		"autocrlf":      func(r *gittest.Repo) { r.Git("config", "core.autocrlf", "true"); r.Write("changed", "one\r\ntwo\r\n") },
		"file mode off": func(r *gittest.Repo) { r.Git("config", "core.fileMode", "false"); os.Chmod(r.Path("kept"), 0o755) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := base.Copy(t)
			change(repo)
			unchanged(t, repo)
			c := resolve(t, open(t, repo.Dir), worktree.Ask{Base: "HEAD", Head: worktree.Worktree})

			// What git says, in a copy: this one may be written to.
			other := repo.Copy(t)
			if name == "no index" {
				other.Git("read-tree", "--empty")
			}
			other.Git("add", "-A")
			want := other.Git("write-tree")
			if c.HeadTree != want {
				t.Errorf("snapshot is %s, git stages %s:\n%s", c.HeadTree, want, cmp.Diff(list(other, want), listOf(t, repo, c.HeadTree)))
			}
			if c.Dirty != (want != head) || (c.HeadCommit == "") != c.Dirty || c.Onto != onto {
				t.Errorf("dirty %v, head %q, onto %q", c.Dirty, c.HeadCommit, c.Onto)
			}
		})
	}
}

func list(r *gittest.Repo, tree string) []string {
	return strings.Split(r.Git("ls-tree", "-r", tree), "\n")
}

func listOf(t *testing.T, repo *gittest.Repo, tree string) (lines []string) {
	t.Helper()
	files, err := open(t, repo.Dir).List(tree)
	if err != nil {
		return []string{"not kept: " + err.Error()}
	}
	for path, b := range files {
		lines = append(lines, path+" "+b.Hash)
	}
	return lines
}

// Git takes a file for unchanged if its times are those of the index entry and older than the index. A copy
// with a newer time would vouch for files that were changed right after the index was written.
func TestSnapshotKeepsTheTimeOfTheIndex(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Commit(map[string]string{"a": "1\n"})
	at := time.Unix(1_700_000_000, 123_000_000)
	must(t, os.Chtimes(repo.Path(".git/index"), at, at))
	dir := t.TempDir()
	program, err := exec.LookPath("git")
	must(t, err)
	script := "#!/bin/sh\n/usr/bin/env -i /usr/bin/stat -c %.9Y \"$GIT_INDEX_FILE\" >>" + dir + "/times\nexec " + program + " \"$@\"\n"
	must(t, os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755))
	resolve(t, open(t, repo.Dir, func(o *worktree.Options) { o.Git = filepath.Join(dir, "git") }), worktree.Ask{Head: worktree.Worktree})
	seen, err := os.ReadFile(filepath.Join(dir, "times"))
	must(t, err)
	if first, _, _ := strings.Cut(string(seen), "\n"); first != "1700000000.123000000" {
		t.Errorf("git saw the index at %s", first)
	}
}

func TestSnapshotRefuses(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	merging := gittest.New(t)
	merging.Commit(map[string]string{"a": "1\n"})
	merging.Git("checkout", "-q", "-b", "other")
	merging.Commit(map[string]string{"a": "2\n"})
	merging.Git("checkout", "-q", "main")
	merging.Commit(map[string]string{"a": "3\n"})
	merging.Run("merge", "other")
	_, err := open(t, merging.Dir).Resolve(ctx, worktree.Ask{Base: "main", Head: worktree.Worktree})
	wantRefusal(t, err, worktree.UnmergedWorktree, `"a"`)

	bare := gittest.New(t, "--bare")
	_, err = open(t, bare.Dir).Resolve(ctx, worktree.Ask{Head: worktree.Worktree})
	wantRefusal(t, err, worktree.NoWorktree, "branch")

	repo := gittest.New(t)
	repo.Commit(map[string]string{"a": "1\n"})
	_, err = open(t, repo.Dir, func(o *worktree.Options) { o.Git = "/nonexistent/git" }).Resolve(ctx, worktree.Ask{Head: worktree.Worktree})
	wantRefusal(t, err, worktree.GitNeeded, "install git")
}

// R1: what no commit can hold is named, unless it is ignored.
func TestSnapshotNamesWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Commit(map[string]string{"a": "1\n", ".gitignore": "*.ignored\nskipped/\n", "sub/b": "x"})
	for _, name := range []string{"pipe", "sub/pipe", "p.ignored", "skipped/pipe"} {
		must(t, os.MkdirAll(filepath.Dir(repo.Path(name)), 0o755))
		must(t, syscall.Mkfifo(repo.Path(name), 0o644))
	}
	// A socket's address has few bytes, so it is made by a short way.
	short, err := os.MkdirTemp("", "s")
	must(t, err)
	defer os.RemoveAll(short)
	listener, err := net.Listen("unix", filepath.Join(short, "s"))
	must(t, err)
	defer listener.Close()
	must(t, os.Rename(filepath.Join(short, "s"), repo.Path("socket")))
	inner := gittest.At(t, repo.Path("inner"))
	must(t, os.Mkdir(inner.Dir, 0o755))
	inner.Git("init", "-q")
	inner.Commit(map[string]string{"x": "y"})
	unchanged(t, repo)

	c := resolve(t, open(t, repo.Dir), worktree.Ask{Base: "HEAD", Head: worktree.Worktree})
	want := []worktree.Omission{
		{Path: "inner", Why: "a repository of its own"}, {Path: "pipe", Why: "a named pipe"},
		{Path: "socket", Why: "a socket"}, {Path: "sub/pipe", Why: "a named pipe"},
	}
	if diff := cmp.Diff(want, c.Omitted); diff != "" {
		t.Error(diff)
	}
	if c.Dirty {
		t.Errorf("nothing that a commit holds has changed: %v", c.Files)
	}
}

// Options.IgnoreFiles count as the person's own ignore file does.
func TestSnapshotIgnoresWhatThePersonIgnores(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Commit(map[string]string{"a": "1\n"})
	repo.Write("a~", "left by an editor")
	personal := filepath.Join(t.TempDir(), "ignore")
	must(t, os.WriteFile(personal, []byte("*~"), 0o644))
	if c := resolve(t, open(t, repo.Dir), worktree.Ask{Base: "HEAD", Head: worktree.Worktree}); !c.Dirty {
		t.Error("the file is not there")
	}
	r := open(t, repo.Dir, func(o *worktree.Options) { o.IgnoreFiles = []string{"/nonexistent", personal} })
	if c := resolve(t, r, worktree.Ask{Base: "HEAD", Head: worktree.Worktree}); c.Dirty {
		t.Errorf("not ignored: %v", c.Files)
	}
}

// Lane's own area may lie in the working tree, and is no part of the change.
func TestSnapshotLeavesLaneOut(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Commit(map[string]string{"a": "1\n"})
	dir := repo.Path("odd [name] *\\!")
	r := open(t, repo.Dir, in(dir))
	hash := repo.Git("rev-parse", "HEAD^{tree}")
	_ = tree(t, r, hash, worktree.Use{Spec: "x"})
	if c := resolve(t, r, worktree.Ask{Base: "HEAD", Head: worktree.Worktree}); c.Dirty {
		t.Errorf("the change has %v", c.Files)
	}
}

// A sparse checkout leaves files out; one that is there all the same counts as it is.
func TestSnapshotOfFilesOutsideASparseCheckout(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Commit(map[string]string{"in/a": "1\n", "out/b": "1\n", "out/c": "1\n"})
	repo.Git("sparse-checkout", "set", "--cone", "in")
	repo.Write("out/b", "2\n")
	r := open(t, repo.Dir)
	c := resolve(t, r, worktree.Ask{Base: "HEAD", Head: worktree.Worktree})
	if len(c.Files) != 1 || c.Files[0].Path != "out/b" || c.Files[0].New.Hash == "" {
		t.Errorf("the change has %v", c.Files)
	}
	if data, err := r.ReadFile(c.HeadTree, "out/c"); err != nil || string(data) != "1\n" {
		t.Errorf("a file that was left out holds %q, %v", data, err)
	}
}

// Snapshots stay whole in Lane's own repository when the user's is pruned, and Lane's passes fsck.
func TestSnapshotIsKeptByLane(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Commit(map[string]string{"a": "1\n", "d/b": "x\n"})
	repo.Write("a", "staged and then lost\n")
	repo.Git("add", "a")
	dir := t.TempDir()
	r := open(t, repo.Dir, in(dir))
	c := resolve(t, r, worktree.Ask{Base: "HEAD", Head: worktree.Worktree})
	repo.Git("reset", "-q", "--hard")
	repo.Git("reflog", "expire", "--expire=all", "--all")
	repo.Git("gc", "-q", "--prune=now")
	data, err := r.ReadFile(c.HeadTree, "a")
	if err != nil || string(data) != "staged and then lost\n" {
		t.Errorf("%q, %v", data, err)
	}
	bare, err := filepath.Glob(filepath.Join(dir, "repos", "*.git"))
	if err != nil || len(bare) != 1 {
		t.Fatal(bare, err)
	}
	gittest.At(t, bare[0]).Git("fsck", "--full", "--strict")
	if left, _ := os.ReadDir(filepath.Join(dir, "tmp")); len(left) > 0 {
		t.Errorf("left in tmp: %v", left)
	}
}

// A cancelled snapshot ends at once, git and all.
func TestSnapshotIsCancelled(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Commit(map[string]string{"a": "1\n"})
	slow := filepath.Join(t.TempDir(), "git")
	must(t, os.WriteFile(slow, []byte("#!/bin/sh\n/bin/sleep 60\n"), 0o755))
	r := open(t, repo.Dir, func(o *worktree.Options) { o.Git = slow })
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := r.Resolve(ctx, worktree.Ask{Head: worktree.Worktree})
	if err == nil || time.Since(start) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}
