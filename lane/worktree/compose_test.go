package worktree_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/lane/worktree/internal/gittest"
)

// Base's code with head's tests: the paths that are named are head's, all others stay base's.
func TestCompose(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	repo := gittest.New(t)
	repo.Commit(map[string]string{"a.go": "1", "a_test.go": "1", "sub/b.go": "1", "sub/b_test.go": "1", "old/x_test.go": "1", "file": "1", "dir/in": "1"})
	repo.Git("checkout", "-q", "-b", "topic")
	repo.Git("rm", "-q", "-r", "old", "file", "dir")
	repo.Write("run_test.sh", "x")
	must(t, os.Chmod(repo.Path("run_test.sh"), 0o755))
	must(t, os.Symlink("a.go", repo.Path("link")))
	repo.Commit(map[string]string{"a.go": "2", "a_test.go": "2", "sub/b.go": "2", "new/deep/c_test.go": "2", "file/below": "2", "dir": "2"})
	r := open(t, repo.Dir)
	unchanged(t, repo)
	c := resolve(t, r, worktree.Ask{Base: "main", Head: "topic"})
	head, err := r.List(c.HeadTree)
	must(t, err)
	all := map[string]worktree.Blob{}
	for _, f := range c.Files {
		all[f.Path] = f.New
	}
	written, err := r.WriteBlob(ctx, []byte("by lane"), 0o644)
	must(t, err)
	for name, x := range map[string]struct {
		overlay map[string]worktree.Blob
		want    map[string]string
		code    worktree.Code
	}{
		"nothing": {nil, map[string]string{"a.go": "1", "a_test.go": "1", "sub/b.go": "1", "sub/b_test.go": "1", "old/x_test.go": "1", "file": "1", "dir/in": "1"}, ""},
		"all":     {all, map[string]string{"a.go": "2", "a_test.go": "2", "sub/b.go": "2", "sub/b_test.go": "1", "new/deep/c_test.go": "2", "file/below": "2", "dir": "2", "run_test.sh": "x", "link": "a.go"}, ""},
		"the tests": {map[string]worktree.Blob{"a_test.go": head["a_test.go"], "new/deep/c_test.go": head["new/deep/c_test.go"], "old/x_test.go": {}, "link": head["link"], "run_test.sh": head["run_test.sh"]},
			map[string]string{"a.go": "1", "a_test.go": "2", "sub/b.go": "1", "sub/b_test.go": "1", "new/deep/c_test.go": "2", "file": "1", "dir/in": "1", "link": "a.go", "run_test.sh": "x"}, ""},
		"one of lane's":            {map[string]worktree.Blob{"sub/canary_test.go": written, "not/there": {}, "a.go/not/there": {}}, map[string]string{"a.go": "1", "a_test.go": "1", "sub/b.go": "1", "sub/b_test.go": "1", "old/x_test.go": "1", "file": "1", "dir/in": "1", "sub/canary_test.go": "by lane"}, ""},
		"everything away":          {map[string]worktree.Blob{"a.go": {}, "a_test.go": {}, "sub/b.go": {}, "sub/b_test.go": {}, "old/x_test.go": {}, "file": {}, "dir/in": {}}, map[string]string{}, ""},
		"a file for a folder":      {map[string]worktree.Blob{"dir": head["dir"]}, nil, worktree.ComposeConflict},
		"a folder for a file":      {map[string]worktree.Blob{"file/below": head["file/below"]}, nil, worktree.ComposeConflict},
		"a file for an old folder": {map[string]worktree.Blob{"dir": head["dir"], "dir/in": {}, "file": {}, "file/below": head["file/below"]}, map[string]string{"a.go": "1", "a_test.go": "1", "sub/b.go": "1", "sub/b_test.go": "1", "old/x_test.go": "1", "file/below": "2", "dir": "2"}, ""},
		"out of the tree":          {map[string]worktree.Blob{"../x": head["dir"]}, nil, worktree.UnsafeTree},
		"into .git":                {map[string]worktree.Blob{".git/config": head["dir"]}, nil, worktree.UnsafeTree},
	} {
		t.Run(name, func(t *testing.T) {
			hash, err := r.Compose(ctx, c.BaseTree, x.overlay)
			if x.code != "" {
				wantRefusal(t, err, x.code)
				return
			}
			must(t, err)
			listed, err := r.List(hash)
			must(t, err)
			got := map[string]string{}
			for path := range listed {
				data, err := r.ReadFile(hash, path)
				must(t, err)
				got[path] = string(data)
			}
			if diff := cmp.Diff(x.want, got); diff != "" {
				t.Error(diff)
			}
			if name == "all" && hash != c.HeadTree {
				t.Errorf("all of head's changes give %s, and head is %s", hash, c.HeadTree)
			}
			must(t, verify(ctx, tree(t, r, hash, worktree.Use{})))
		})
	}
	if _, err := r.Compose(ctx, c.BaseTree, map[string]worktree.Blob{"x": {Hash: written.Hash, Mode: fs.ModeDir}}); err == nil {
		t.Error("a folder was taken for a file")
	}
	if _, err := r.Compose(ctx, "main", nil); err == nil {
		t.Error("a name was taken for a tree")
	}
}

func TestListAndReadFile(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Write("run", "x")
	must(t, os.Chmod(repo.Path("run"), 0o755))
	must(t, os.Symlink("sub", repo.Path("link")))
	commit := repo.Commit(map[string]string{"a": "\xff\r\n", "sub/b": "y"})
	hash := repo.Git("rev-parse", "HEAD^{tree}")
	r := open(t, repo.Dir)
	got, err := r.List(hash)
	must(t, err)
	id := func(path string) string { return repo.Git("rev-parse", "HEAD:"+path) }
	want := map[string]worktree.Blob{
		"a": {Hash: id("a"), Mode: 0o644}, "run": {Hash: id("run"), Mode: 0o755}, "sub/b": {Hash: id("sub/b"), Mode: 0o644},
		"link": {Hash: id("link"), Mode: fs.ModeSymlink | 0o777},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for path, want := range map[string]string{"a": "\xff\r\n", "sub/b": "y", "link": "sub"} {
		if data, err := r.ReadFile(hash, path); err != nil || string(data) != want {
			t.Errorf("%s holds %q, %v", path, data, err)
		}
	}
	for _, path := range []string{"nowhere", "sub/nowhere", "a/below", "link/b", "", "../x", "sub/../a"} {
		if data, err := r.ReadFile(hash, path); !worktree.IsNotExist(err) {
			t.Errorf("%q holds %q, %v; want it not to exist", path, data, err)
		}
	}
	if _, err := r.ReadFile(hash, "sub"); err == nil || worktree.IsNotExist(err) {
		t.Errorf("a folder was read as a file: %v", err)
	}
	_, err = r.List(commit)
	wantRefusal(t, err, worktree.CorruptObjects, "commit")
	var buf bytes.Buffer
	must(t, r.CopyBlob(context.Background(), &buf, id("a")))
	if buf.String() != "\xff\r\n" {
		t.Errorf("copied %q", buf.String())
	}
}
