//go:build unix

package worktree_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/worktree"
)

// Whatever the caller's umask, files are 0644 or 0755: it is a process's own, so a process of its own tries.
func TestUmaskHasNoEffect(t *testing.T) {
	t.Parallel()
	repo, dir, hash := sample(t)
	child := exec.Command("/bin/sh", "-c", "umask 077; exec \"$0\" -test.run=^$", os.Args[0])
	child.Env = append(os.Environ(), childVariable+"=hold", "CHILD_REPO="+repo.Dir, "CHILD_DIR="+dir, "CHILD_TREE="+hash)
	out, err := child.CombinedOutput() // its input has ended, so it ends at once
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	found := tree(t, open(t, repo.Dir, in(dir)), hash, worktree.Use{})
	if !found.Reused || found.Path != strings.TrimSpace(string(out)) {
		t.Errorf("made another tree than %s", out)
	}
	must(t, verify(t.Context(), found))
	for path, got := range files(t, found.Path) {
		if !strings.HasPrefix(got, "644 ") && !strings.HasPrefix(got, "755 ") && !strings.HasPrefix(got, "-> ") {
			t.Errorf("%s is %q", path, got)
		}
	}
}
