package worktree_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/vallane/lane/lane/worktree"
)

// childVariable makes this test binary do one thing as a process of its own.
const childVariable = "WORKTREE_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childVariable) {
	case "":
		os.Exit(m.Run())
	case "hold":
		if err := holdTree(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "check":
		if err := checkChange(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// holdTree prints the path of a tree and keeps it in use until its input ends.
func holdTree() error {
	r, err := worktree.Open(context.Background(), worktree.Options{Dir: os.Getenv("CHILD_DIR")}, os.Getenv("CHILD_REPO"))
	if err != nil {
		return err
	}
	t, err := r.Tree(context.Background(), os.Getenv("CHILD_TREE"), worktree.Use{})
	if err != nil {
		return err
	}
	fmt.Println(t.Path)
	io.Copy(io.Discard, os.Stdin)
	return t.Close()
}

// checkChange does with a change what a check does, and prints what it found.
func checkChange() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	r, err := worktree.Open(ctx, worktree.Options{Dir: os.Getenv("CHILD_DIR")}, os.Getenv("CHILD_REPO"))
	if err != nil {
		return err
	}
	defer r.Close()
	c, err := r.Resolve(ctx, worktree.Ask{Base: "main", Head: os.Getenv("CHILD_HEAD")})
	if err != nil {
		return err
	}
	overlay := map[string]worktree.Blob{}
	for _, f := range c.Files {
		overlay[f.Path] = f.New
	}
	composed, err := r.Compose(ctx, c.BaseTree, overlay)
	if err != nil {
		return err
	}
	if composed != c.HeadTree {
		return fmt.Errorf("base with all of head's changes is %s, and head %s", composed, c.HeadTree)
	}
	t, err := r.Tree(ctx, c.HeadTree, worktree.Use{Time: c.CommitTime, Spec: "child"})
	if err != nil {
		return err
	}
	defer t.Close()
	if err := verify(ctx, t); err != nil {
		return err
	}
	fmt.Println(t.Hash, t.SHA256, len(c.Files))
	return nil
}
