package worktree_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/vallane/lane/lane/worktree"
)

func collect(t *testing.T, dir string, keep worktree.Keep) worktree.Collected {
	t.Helper()
	done, err := worktree.Collect(context.Background(), worktree.Options{Dir: dir}, keep)
	must(t, err)
	return done
}

// collectSoon collects until something is left to nobody. A program that another test starts at this moment
// has this one's open files, locks included, until it has become itself.
func collectSoon(t *testing.T, dir string) worktree.Collected {
	t.Helper()
	for range 100 {
		if done := collect(t, dir, worktree.Keep{}); done.Trees > 0 {
			return done
		}
		time.Sleep(20 * time.Millisecond)
	}
	return worktree.Collected{}
}

// What is in use stays, whoever uses it; what nobody uses goes, whoever made it.
func TestCollect(t *testing.T) {
	t.Parallel()
	repo, dir, hash := sample(t)
	r := open(t, repo.Dir, in(dir))
	used := tree(t, r, hash, worktree.Use{Spec: "used"})
	unused := tree(t, r, hash, worktree.Use{Spec: "unused", Time: time.Unix(1_750_000_000, 0)})
	must(t, unused.Close())

	if done := collect(t, dir, worktree.Keep{Newer: time.Hour}); done.Trees != 0 {
		t.Errorf("collected %+v of what was used just now", done)
	}
	if done := collectSoon(t, dir); done.Trees != 1 {
		t.Errorf("collected %+v, want the one that nobody uses", done)
	}
	must(t, verify(context.Background(), used))
	if _, err := os.Stat(unused.Path); !os.IsNotExist(err) {
		t.Error("the unused tree is still there")
	}
	if _, err := os.Lstat(filepath.Join(dir, "worktrees", "unused")); !os.IsNotExist(err) {
		t.Error("its link is still there")
	}
	if _, err := os.Lstat(filepath.Join(dir, "worktrees", "used")); err != nil {
		t.Error("the link of the used tree is gone")
	}
	must(t, used.Close())
	collectSoon(t, dir)
	left, err := os.ReadDir(filepath.Join(dir, "trees"))
	must(t, err)
	if len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	// And it can be had again.
	must(t, verify(context.Background(), tree(t, r, hash, worktree.Use{Spec: "used"})))
}

// F34: the process that used a tree was killed; its id may belong to anybody by now. A tree that
// another process holds at this moment stays.
func TestCollectGoesByTheLock(t *testing.T) {
	t.Parallel()
	repo, dir, hash := sample(t)
	holder := exec.Command(os.Args[0], "-test.run=^$")
	holder.Env = append(os.Environ(), childVariable+"=hold", "CHILD_REPO="+repo.Dir, "CHILD_DIR="+dir, "CHILD_TREE="+hash)
	stdin, err := holder.StdinPipe()
	must(t, err)
	defer stdin.Close()
	stdout, err := holder.StdoutPipe()
	must(t, err)
	must(t, holder.Start())
	path, err := bufio.NewReader(stdout).ReadString('\n')
	must(t, err)
	path = path[:len(path)-1]

	if done := collect(t, dir, worktree.Keep{}); done.Trees != 0 {
		t.Errorf("collected %+v while another process uses it", done)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	holder.Process.Kill()
	holder.Wait()
	if done := collectSoon(t, dir); done.Trees != 1 {
		t.Errorf("collected %+v after its user was killed", done)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Error("the tree is still there")
	}
}

func TestCollectClearsUp(t *testing.T) {
	t.Parallel()
	repo, dir, hash := sample(t)
	r := open(t, repo.Dir, in(dir))
	ctx := context.Background()
	old, err := r.WriteBlob(ctx, []byte("old"), 0o644)
	must(t, err)
	young, err := r.WriteBlob(ctx, []byte("young"), 0o644)
	must(t, err)
	_ = tree(t, r, hash, worktree.Use{}).Close()
	long := time.Now().Add(-48 * time.Hour)
	bare, err := filepath.Glob(filepath.Join(dir, "repos", "*.git"))
	must(t, err)
	must(t, os.Chtimes(filepath.Join(bare[0], "objects", old.Hash[:2], old.Hash[2:]), long, long))
	for _, crumb := range []string{"trees/.making-" + hash + "-1-0", "trees/.going-" + hash + "-2-0", "tmp/snapshot-1"} {
		must(t, os.MkdirAll(filepath.Join(dir, crumb, "x"), 0o755))
		must(t, os.Chtimes(filepath.Join(dir, crumb), long, long))
	}
	must(t, os.MkdirAll(filepath.Join(dir, "tmp", "snapshot-now"), 0o755))
	done := collect(t, dir, worktree.Keep{Newer: time.Hour})
	if done.Objects != 1 || done.Trees != 0 {
		t.Errorf("collected %+v, want one object", done)
	}
	for name, stays := range map[string]bool{
		"trees/.making-" + hash + "-1-0": false, "trees/.going-" + hash + "-2-0": false, "tmp/snapshot-1": false, "tmp/snapshot-now": true,
	} {
		if _, err := os.Lstat(filepath.Join(dir, name)); os.IsNotExist(err) == stays {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := r.Compose(ctx, hash, map[string]worktree.Blob{"young": young}); err != nil {
		t.Error(err)
	}
	if done, err := worktree.Collect(ctx, worktree.Options{Dir: filepath.Join(dir, "nowhere")}, worktree.Keep{}); err != nil || done.Trees != 0 {
		t.Errorf("an area that is not there: %+v, %v", done, err)
	}
}
