//go:build amd64 || arm64

package fence_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/vallane/lane/lane/fence"
)

// layered is a box of a tree of every kind, with layers below it, copied or overlaid.
func layered(t *testing.T, copied bool) *fence.Box {
	t.Helper()
	tree := folder(t, map[string]string{"pkg/file": "x", "pkg/deep/er": "y", "empty/": "", "odd\xffname": "o", "tool": "#!", "ro": "r"})
	for name, mode := range map[string]os.FileMode{"tool": 0o755, "ro": 0o444, "empty": 0o700} {
		if err := os.Chmod(filepath.Join(tree, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"link": "pkg/file", "away": "/etc/shadow", "self": "self", "gone": "no\xfffile"} {
		if err := os.Symlink(target, filepath.Join(tree, name)); err != nil {
			t.Fatal(err)
		}
	}
	c := config(t, tree)
	c.TreeBelow = folder(t, map[string]string{"pkg/fetched": "f", "pkg/file": "hidden", "ro/below-a-file": "hidden", "more/x": "x"})
	c.TreeGit = folder(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n"})
	for _, dir := range []string{tree, c.TreeBelow, c.TreeGit} {
		own(t, dir)
		at := unix.NsecToTimespec(1_600_000_000 * 1e9)
		err := filepath.WalkDir(dir, func(p string, _ os.DirEntry, err error) error {
			return errors.Join(err, unix.UtimesNanoAt(unix.AT_FDCWD, p, []unix.Timespec{at, at}, unix.AT_SYMLINK_NOFOLLOW))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	c.TreeCopy = copied
	return open(t, c)
}

func TestCopiedTreeLooksLikeTheOverlaidOne(t *testing.T) { // F35
	overlaid, copied := layered(t, false), layered(t, true)
	for _, command := range []fence.Command{
		{Argv: []string{"inbox", "list", "/tree"}},
		{Argv: []string{"inbox", "cat", "pkg/file", "pkg/fetched", "odd\xffname", ".git/HEAD", "link"}},
		{Argv: []string{"inbox", "list", "/tree"}, Overlay: map[string]fence.Change{
			"pkg/deep/er": {Delete: true}, "ro": {Data: []byte("changed")}, "empty": {Delete: true}, "new/dir/file": {Data: []byte("n")}, "pkg/fetched": {Data: []byte("g")}}},
		{Argv: []string{"inbox", "list", "/tree"}},
	} {
		want, got := ok(t, runCommand(t, overlaid, command)), ok(t, runCommand(t, copied, command))
		if got != want || len(got) < 10 {
			t.Errorf("%q\ncopied:\n%s\noverlaid:\n%s", command.Argv, got, want)
		}
	}
}

func TestCopiedTreeIsFreshInEachRun(t *testing.T) { // F31, F35
	b := layered(t, true)
	before := ok(t, run(t, b, "list", "/tree"))
	got := ok(t, run(t, b, "rename-folder", "pkg", "moved"))
	if got != "rename: done\nmake again: done\nentries 0 <nil>\n" {
		t.Errorf("got %s", got)
	}
	ok(t, run(t, b, "write", "/tree/pkg/file", "written"))
	ok(t, run(t, b, "write", "/tree/pkg/deep/er", "z")) // of the same size, and it leaves every folder as it was
	if after := ok(t, run(t, b, "list", "/tree")); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	if got := ok(t, run(t, b, "cat", "pkg/deep/er")); got != "y" {
		t.Errorf("a write of an earlier run is there: %q", got)
	}
	ok(t, run(t, b, "write", "/tree/pkg/file", "written"))
	if got := ok(t, runCommand(t, b, fence.Command{Argv: []string{"inbox", "cat", "pkg/file"}, Keep: true})); got != "written" {
		t.Errorf("kept: %q", got)
	}
}

func TestTreeThatIsTooLargeToCopyIsSaidSo(t *testing.T) {
	c := config(t, folder(t, map[string]string{"big": strings.Repeat("x", 3<<20)}))
	c.TreeCopy, c.Limits.Disk = true, 1<<20
	_, err := fence.Open(t.Context(), c)
	var u *fence.Unavailable
	if err == nil || errors.As(err, &u) || !strings.Contains(err.Error(), "larger than the limit on disk (1048576 bytes)") {
		t.Errorf("got %v", err)
	}
}
