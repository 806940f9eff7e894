package worktree_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/lane/worktree/internal/gittest"
)

// thirtyThousand is a packed repository of 30,000 text files in 300 folders.
func thirtyThousand(b *testing.B) *gittest.Repo {
	b.Helper()
	repo := gittest.New(b)
	r := rand.New(rand.NewPCG(1, 1))
	words := make([]string, 2000)
	for i := range words {
		words[i] = fmt.Sprintf("word%d", r.IntN(100_000))
	}
	var stream strings.Builder
	stream.WriteString("commit refs/heads/main\ncommitter C <c@example.org> 1700000000 +0000\ndata 1\nx\n")
	for i := range 30_000 {
		var text strings.Builder
		for range 5 + r.IntN(80) {
			for range 8 {
				text.WriteString(words[r.IntN(len(words))] + " ")
			}
			text.WriteByte('\n')
		}
		fmt.Fprintf(&stream, "M 100644 inline d%d/s%d/f%d.go\ndata %d\n%s\n", i/1000, i/100, i, text.Len(), text.String())
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = repo.Dir, strings.NewReader(stream.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return repo
}

// BenchmarkFirstCheckout compares the first checkout of 30,000 files with `git worktree add`, in turns.
func BenchmarkFirstCheckout(b *testing.B) {
	repo := thirtyThousand(b)
	var own, git time.Duration
	n := 0
	for b.Loop() {
		r := open(b, repo.Dir)
		hash := repo.Git("rev-parse", "main^{tree}")
		start := time.Now()
		tree(b, r, hash, worktree.Use{})
		own += time.Since(start)
		start = time.Now()
		repo.Git("worktree", "add", "-q", "--detach", filepath.Join(b.TempDir(), fmt.Sprint(n)), "main")
		git += time.Since(start)
		n++
	}
	b.ReportMetric(own.Seconds()/git.Seconds(), "x-git-worktree-add")
	b.ReportMetric(own.Seconds()/float64(n), "s/checkout")
}

// BenchmarkFoundAgain is what a rerun pays for 30,000 files: once per process, and each time after that.
func BenchmarkFoundAgain(b *testing.B) {
	repo := thirtyThousand(b)
	dir := b.TempDir()
	hash := repo.Git("rev-parse", "main^{tree}")
	tree(b, open(b, repo.Dir, in(dir)), hash, worktree.Use{}).Close()
	b.Run("process", func(b *testing.B) {
		for b.Loop() {
			t, err := open(b, repo.Dir, in(dir)).Tree(context.Background(), hash, worktree.Use{})
			must(b, err)
			t.Close()
		}
	})
	b.Run("in use", func(b *testing.B) {
		r := open(b, repo.Dir, in(dir))
		tree(b, r, hash, worktree.Use{})
		for b.Loop() {
			t, err := r.Tree(context.Background(), hash, worktree.Use{})
			must(b, err)
			t.Close()
		}
	})
	b.Run("measure", func(b *testing.B) {
		t := tree(b, open(b, repo.Dir, in(dir)), hash, worktree.Use{})
		for b.Loop() {
			must(b, verify(context.Background(), t))
		}
	})
}
