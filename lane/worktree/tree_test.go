package worktree_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/lane/worktree/internal/gittest"
)

// sample is a repository with one commit, opened in dir.
func sample(t *testing.T) (repo *gittest.Repo, dir string, hash string) {
	t.Helper()
	repo = gittest.New(t)
	repo.Write("run.sh", "#!/bin/sh\n")
	must(t, os.Chmod(repo.Path("run.sh"), 0o755))
	must(t, os.Symlink("a", repo.Path("link")))
	repo.Commit(map[string]string{"a": "x\n", "sub/b": "y\n", "sub/deep/c": "z\n"})
	return repo, t.TempDir(), repo.Git("rev-parse", "HEAD^{tree}")
}

// tampering are ways to change a tree, and what Measure says of each.
var tampering = map[string]struct {
	do   func(dir string) error
	says string
}{
	"content": {func(d string) error { return os.WriteFile(filepath.Join(d, "a"), []byte("X\n"), 0o644) }, `"a": has another content`},
	"content, with its old time": {func(d string) error {
		info, err := os.Stat(filepath.Join(d, "a"))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(d, "a"), []byte("X\n"), 0o644); err != nil {
			return err
		}
		return os.Chtimes(filepath.Join(d, "a"), info.ModTime(), info.ModTime())
	}, `"a": has another content`},
	"longer":               {func(d string) error { return os.WriteFile(filepath.Join(d, "sub/b"), []byte("y\nmore"), 0o644) }, `"sub/b": has another content`},
	"gone":                 {func(d string) error { return os.Remove(filepath.Join(d, "sub/deep/c")) }, `"sub/deep/c": is gone`},
	"folder gone":          {func(d string) error { return os.RemoveAll(filepath.Join(d, "sub/deep")) }, `"sub/deep": is no folder any more`},
	"new file":             {func(d string) error { return os.WriteFile(filepath.Join(d, "sub/new"), nil, 0o644) }, `"sub/new": was not there`},
	"new folder":           {func(d string) error { return os.Mkdir(filepath.Join(d, "new"), 0o755) }, `"new": was not there`},
	"executable":           {func(d string) error { return os.Chmod(filepath.Join(d, "a"), 0o755) }, `"a": is an executable file, not a file`},
	"permissions":          {func(d string) error { return os.Chmod(filepath.Join(d, "a"), 0o600) }, `"a": has the permissions 0600`},
	"set-uid":              {func(d string) error { return syscall.Chmod(filepath.Join(d, "run.sh"), 0o4755) }, `"run.sh": has the permissions 4755`},
	"folder's permissions": {func(d string) error { return os.Chmod(filepath.Join(d, "sub"), 0o777) }, `"sub": has the permissions 0777`},
	"link's target": {func(d string) error {
		os.Remove(filepath.Join(d, "link"))
		return os.Symlink("b", filepath.Join(d, "link"))
	}, `"link": has another content`},
	"file to link": {func(d string) error {
		os.Remove(filepath.Join(d, "a"))
		return os.Symlink("x", filepath.Join(d, "a"))
	}, `"a": is a symbolic link, not a file`},
	"file to pipe": {func(d string) error {
		os.Remove(filepath.Join(d, "a"))
		return syscall.Mkfifo(filepath.Join(d, "a"), 0o644)
	}, `"a": is something else, not a file`},
	"folder to link": {func(d string) error {
		os.RemoveAll(filepath.Join(d, "sub/deep"))
		return os.Symlink("..", filepath.Join(d, "sub/deep"))
	}, `"sub/deep": is no folder any more`},
}

// Whatever was done to a tree, measuring it shows, and whoever asks for it next gets it as it should be.
func TestChangedTreesAreNoticedAndMadeAnew(t *testing.T) {
	t.Parallel()
	for name, c := range tampering {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			repo, dir, hash := sample(t)
			r := open(t, repo.Dir, in(dir))
			first := tree(t, r, hash, worktree.Use{})
			want := files(t, first.Path)
			must(t, c.do(first.Path))

			sha, differs, err := first.Measure(ctx)
			if err != nil || sha == first.SHA256 || !strings.Contains(strings.Join(differs, "\n"), c.says) {
				t.Errorf("measured %s (was %s), %q, %v; want %q", sha, first.SHA256, differs, err, c.says)
			}
			wantDifference(t, verify(ctx, first), c.says)

			// Somebody else comes while the changed tree is in use: it gets another.
			other := open(t, repo.Dir, in(dir))
			beside := tree(t, other, hash, worktree.Use{})
			if beside.Path == first.Path || beside.Reused {
				t.Errorf("got the changed tree")
			}
			must(t, verify(ctx, beside))
			must(t, beside.Close())
			must(t, first.Close())

			// Nobody uses it any more: it is made anew in its place.
			again := tree(t, r, hash, worktree.Use{})
			must(t, verify(ctx, again))
			if diff := cmp.Diff(want, files(t, again.Path)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRerunFindsItsTree(t *testing.T) {
	t.Parallel()
	repo, dir, hash := sample(t)
	at := time.Unix(1_750_000_000, 0)
	use := worktree.Use{Time: at, Spec: "cart.head"}
	r := open(t, repo.Dir, in(dir))
	first := tree(t, r, hash, use)
	if first.Reused {
		t.Error("there was none to reuse")
	}
	before := gittest.Fingerprint(t, first.Path)
	same := tree(t, r, hash, use)
	if !same.Reused || same.Path != first.Path {
		t.Error("the tree in use was not given again")
	}
	must(t, first.Close())
	must(t, first.Close()) // twice does no harm
	must(t, verify(context.Background(), same))
	must(t, same.Close())
	r.Close()

	// Another process, later.
	later := open(t, repo.Dir, in(dir))
	found := tree(t, later, hash, use)
	if !found.Reused || found.Path != first.Path || found.SHA256 != first.SHA256 || found.Bytes != first.Bytes {
		t.Errorf("got %+v, want %+v", found, first)
	}
	if gittest.Fingerprint(t, found.Path) != before {
		t.Error("the tree was touched")
	}
	link := filepath.Join(dir, "worktrees", "cart.head")
	if real, err := filepath.EvalSymlinks(link); err != nil || real != found.Path {
		t.Errorf("the spec's link leads to %s, %v", real, err)
	}
	// The time of its files is part of what a tree is.
	if other := tree(t, later, hash, worktree.Use{Time: at.Add(time.Hour), Spec: "cart.head"}); other.Path == found.Path {
		t.Error("two times share a tree")
	}
	for _, name := range []string{"../x", ".x", "-x", "a/b", "a\x00", strings.Repeat("n", 300)} {
		if _, err := later.Tree(context.Background(), hash, worktree.Use{Spec: name}); err == nil {
			t.Errorf("the name %q was taken", name)
		}
	}
}

// A crash in the middle of a checkout, a manifest that was cut off, a half-removed tree: each is made good.
func TestWhatACrashLeftIsMadeGood(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(folder string) error{
		"half checked out": func(f string) error {
			return os.Rename(f, filepath.Join(filepath.Dir(f), ".making-"+filepath.Base(f)))
		},
		"manifest cut off": func(f string) error { return os.Truncate(filepath.Join(f, "manifest"), 200) },
		"manifest of one byte changed": func(f string) error {
			data, err := os.ReadFile(filepath.Join(f, "manifest"))
			if err != nil {
				return err
			}
			data[len(data)/2] ^= 1
			return os.WriteFile(filepath.Join(f, "manifest"), data, 0o644)
		},
		"no manifest":  func(f string) error { return os.Remove(filepath.Join(f, "manifest")) },
		"no files":     func(f string) error { return os.RemoveAll(filepath.Join(f, "tree")) },
		"empty folder": func(f string) error { os.RemoveAll(f); return os.Mkdir(f, 0o755) },
		"a file in its place": func(f string) error {
			os.RemoveAll(f)
			return os.WriteFile(f, []byte("x"), 0o644)
		},
		"unwritable folders": func(f string) error {
			os.Remove(filepath.Join(f, "manifest"))
			return os.Chmod(filepath.Join(f, "tree/sub"), 0o500)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo, dir, hash := sample(t)
			first := tree(t, open(t, repo.Dir, in(dir)), hash, worktree.Use{})
			want := files(t, first.Path)
			must(t, first.Close())
			must(t, damage(filepath.Dir(first.Path)))
			again := tree(t, open(t, repo.Dir, in(dir)), hash, worktree.Use{})
			must(t, verify(context.Background(), again))
			if diff := cmp.Diff(want, files(t, again.Path)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Many at once on a fresh area: one makes the tree, the others wait for it.
func TestOneOfManyMakesTheTree(t *testing.T) {
	t.Parallel()
	repo, dir, hash := sample(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	made := 0
	for range 12 {
		wg.Go(func() {
			r, err := worktree.Open(context.Background(), worktree.Options{Dir: dir}, repo.Dir)
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Close()
			tree, err := r.Tree(context.Background(), hash, worktree.Use{Spec: "many"})
			if err != nil {
				t.Error(err)
				return
			}
			defer tree.Close()
			mu.Lock()
			defer mu.Unlock()
			if !tree.Reused {
				made++
			}
		})
	}
	wg.Wait()
	if made != 1 {
		t.Errorf("made %d times", made)
	}
}

func TestTreeIsCancelled(t *testing.T) {
	t.Parallel()
	repo, dir, hash := sample(t)
	r := open(t, repo.Dir, in(dir))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.Tree(ctx, hash, worktree.Use{}); err == nil {
		t.Error("made after it was cancelled")
	}
	checked := tree(t, r, hash, worktree.Use{})
	if _, _, err := checked.Measure(ctx); err == nil {
		t.Error("measured after it was cancelled")
	}
}
