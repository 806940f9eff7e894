package worktree_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/lane/worktree/internal/gittest"
)

// A repository of 5,000 files with history, checked on a branch by its owner and by somebody else,
// each of them twice at once. All find the same, and the repository is only read. Where this test is
// not run by root, somebody else cannot be, and the owner goes alone.
func TestManyFilesManyUsers(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	var stream strings.Builder
	commit := func(branch, from string, change func()) {
		fmt.Fprintf(&stream, "commit refs/heads/%s\ncommitter C <c@example.org> 1700000000 +0000\ndata 1\nx\n", branch)
		if from != branch && from != "" {
			fmt.Fprintf(&stream, "from refs/heads/%s\n", from)
		}
		change()
	}
	file := func(name, data string) {
		fmt.Fprintf(&stream, "M 100644 inline %s\ndata %d\n%s\n", name, len(data), data)
	}
	commit("main", "", func() {
		for i := range 5000 {
			file(fmt.Sprintf("d%d/s%d/f%d.go", i%7, i%90, i), strings.Repeat(fmt.Sprintf("line %d\n", i), i%40))
		}
	})
	for i := range 30 {
		commit("main", "main", func() { file(fmt.Sprintf("d%d/changed.go", i%7), fmt.Sprint(i)) })
	}
	commit("topic", "main", func() {
		for i := range 40 {
			file(fmt.Sprintf("d%d/s%d/f%d.go", i%7, i%90, i), "changed\n")
			file(fmt.Sprintf("new/f%d.go", i), "new\n")
		}
	})
	importing := exec.Command("git", "fast-import", "--quiet")
	importing.Dir, importing.Stdin = repo.Dir, strings.NewReader(stream.String())
	if out, err := importing.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	unchanged(t, repo)

	users := []uint32{uint32(os.Getuid())}
	if os.Getuid() == 0 {
		users = append(users, 54321)
	}
	// The test's folder and its binary lie where others may not go.
	must(t, os.Chmod(filepath.Dir(repo.Dir), 0o755))
	binary := filepath.Join(t.TempDir(), "test")
	data, err := os.ReadFile("/proc/self/exe")
	must(t, err)
	must(t, os.WriteFile(binary, data, 0o755))

	// The two runs of one user share an area.
	areas := t.TempDir()
	results := make([]bytes.Buffer, 2*len(users))
	var wg sync.WaitGroup
	for i := range results {
		user := users[i/2]
		dir := filepath.Join(areas, fmt.Sprint(user))
		must(t, os.MkdirAll(dir, 0o755))
		must(t, os.Chown(dir, int(user), int(user)))
		child := exec.Command(binary, "-test.run=^$")
		child.Env = []string{"PATH=" + os.Getenv("PATH"), childVariable + "=check", "CHILD_REPO=" + repo.Dir, "CHILD_DIR=" + dir, "CHILD_HEAD=topic"}
		child.Dir = "/"
		child.Stdout, child.Stderr = &results[i], os.Stderr
		if int(user) != os.Getuid() {
			child.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
		}
		wg.Go(func() {
			if err := child.Run(); err != nil {
				t.Errorf("user %d: %v", user, err)
			}
		})
	}
	wg.Wait()
	for i := range results {
		if got := results[i].String(); got != results[0].String() || strings.Count(got, "\n") != 1 || !strings.Contains(got, " 80\n") {
			t.Errorf("run %d found\n%swant\n%s", i, got, results[0].String())
		}
	}
}

// As root, trees are given to the user that a box maps its own to.
func TestOwner(t *testing.T) {
	t.Parallel()
	repo, dir, hash := sample(t)
	r := open(t, repo.Dir, in(dir), func(o *worktree.Options) { o.Owner = 72017 })
	if os.Getuid() != 0 {
		_, err := r.Tree(t.Context(), hash, worktree.Use{})
		if err == nil || !strings.Contains(err.Error(), "chown") {
			t.Errorf("got %v, want to hear that files cannot be given away", err)
		}
		return
	}
	checked := tree(t, r, hash, worktree.Use{})
	filepath.WalkDir(checked.Path, func(path string, d os.DirEntry, err error) error {
		must(t, err)
		info, err := os.Lstat(path)
		must(t, err)
		if st := info.Sys().(*syscall.Stat_t); st.Uid != 72017 || st.Gid != 72017 {
			t.Errorf("%s belongs to %d:%d", path, st.Uid, st.Gid)
		}
		return nil
	})
	must(t, verify(t.Context(), checked))
	must(t, os.Lchown(filepath.Join(checked.Path, "link"), 0, 0))
	wantDifference(t, verify(t.Context(), checked), `"link": belongs to 0`)
	// The same tree for another owner is another tree.
	if other := tree(t, open(t, repo.Dir, in(dir)), hash, worktree.Use{}); other.Path == checked.Path {
		t.Error("two owners share a tree")
	}
}
