package worktree_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/lane/worktree/internal/gittest"
)

// F33: two lanes read a repository while its owner commits, repacks, prunes and collects it, over and over.
// Every check succeeds, and both repositories are sound afterwards.
func TestWhileGitCollects(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	lines := make([]string, 200)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d", i)
	}
	repo.Commit(map[string]string{"a": strings.Join(lines, "\n")})
	repo.Git("checkout", "-q", "-b", "topic")
	for i := range 5 {
		lines[i] = "changed"
		repo.Commit(map[string]string{"a": strings.Join(lines, "\n"), fmt.Sprintf("d%d/b", i): lines[i]})
	}
	repo.Git("worktree", "add", "-q", "--detach", repo.Path("../stale"), "main")
	ctx, stop := context.WithTimeout(context.Background(), 3*time.Second)
	defer stop()
	var owner, lanes sync.WaitGroup
	commands := [][]string{{"gc", "-q", "--prune=now"}, {"worktree", "prune", "--expire=now"}, {"repack", "-q", "-a", "-d", "-f"}, {"prune", "--expire=now"}, {"pack-refs", "--all"}}
	owner.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			repo.Commit(map[string]string{"c": fmt.Sprint(i)})
			if _, err := repo.Run(commands[i%len(commands)]...); err != nil {
				t.Error(err)
			}
		}
	})
	dirs := []string{t.TempDir(), t.TempDir()}
	for _, dir := range dirs {
		lanes.Go(func() {
			n := 0
			for ; ctx.Err() == nil || n < 3; n++ {
				if err := check(repo, dir, n); err != nil {
					t.Error(err)
					return
				}
			}
			t.Logf("%d checks", n)
		})
	}
	lanes.Wait()
	stop()
	owner.Wait()
	repo.Git("fsck", "--full", "--strict")
	for _, dir := range dirs {
		bare, err := filepath.Glob(filepath.Join(dir, "repos", "*.git"))
		must(t, err)
		gittest.At(t, bare[0]).Git("fsck", "--full", "--strict", "--no-dangling")
	}
}

// check is a check of topic in a process of its own, as far as this package is concerned.
func check(repo *gittest.Repo, dir string, n int) error {
	ctx := context.Background()
	r, err := worktree.Open(ctx, worktree.Options{Dir: dir}, repo.Dir)
	if err != nil {
		return err
	}
	defer r.Close()
	c, err := r.Resolve(ctx, worktree.Ask{Base: "main", Head: "topic"})
	if err != nil {
		return err
	}
	composed, err := r.Compose(ctx, c.BaseTree, map[string]worktree.Blob{"a": c.Files[0].New})
	if err != nil {
		return err
	}
	for _, hash := range []string{c.BaseTree, c.HeadTree, composed} {
		// Another time each round, so that each round checks out.
		t, err := r.Tree(ctx, hash, worktree.Use{Time: time.Unix(1_700_000_000+int64(n), 0)})
		if err != nil {
			return err
		}
		defer t.Close()
		if err := verify(ctx, t); err != nil {
			return err
		}
	}
	_, err = r.Resolve(ctx, worktree.Ask{Base: "main", Head: "topic~2"})
	return err
}
