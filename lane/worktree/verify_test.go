package worktree_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/worktree"
)

// verify wants a tree to be what it was.
func verify(ctx context.Context, t *worktree.Tree) error {
	_, differs, err := t.Measure(ctx)
	if err == nil && len(differs) > 0 {
		err = errors.New(strings.Join(differs, "; "))
	}
	return err
}

func wantDifference(t *testing.T, err error, says string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("differs: %v, want %q", err, says)
	}
}
