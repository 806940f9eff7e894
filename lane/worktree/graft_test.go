package worktree_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/lane/worktree/internal/gittest"
)

// A user's tree with another repository's files at one place of it: what stood there gives way, all else stays.
func TestGraft(t *testing.T) {
	t.Parallel()
	library := gittest.New(t)
	library.Write("run.sh", "lib")
	must(t, os.Chmod(library.Path("run.sh"), 0o755))
	must(t, os.Symlink("a.go", library.Path("link")))
	library.Commit(map[string]string{"a.go": "lib", "sub/b.go": "lib", "sub/deep/c.go": "lib"})
	user := gittest.New(t)
	must(t, os.Symlink("elsewhere", user.Path("linked")))
	user.Commit(map[string]string{"use.go": "user", "vendor/lib/old.go": "user", "vendor/lib/sub": "a file", "vendor/lib.txt": "user", "file": "user"})
	from, r := open(t, library.Dir), open(t, user.Dir)
	unchanged(t, library)
	unchanged(t, user)
	tree := resolve(t, r, worktree.Ask{}).HeadTree
	theirs := resolve(t, from, worktree.Ask{})
	if !from.Has(t.Context(), theirs.HeadCommit) || r.Has(t.Context(), theirs.HeadCommit) || from.Has(t.Context(), "HEAD") || from.Has(t.Context(), theirs.HeadTree) {
		t.Error("Has takes for a commit what is none, or the other way round")
	}
	all := func(name string) (string, bool) { return name, true }
	rest := map[string]string{"use.go": "user", "vendor/lib.txt": "user", "file": "user", "linked": "elsewhere"}
	old := map[string]string{"vendor/lib/old.go": "user", "vendor/lib/sub": "a file"}
	for name, c := range map[string]struct {
		place string
		keep  func(string) (string, bool)
		want  map[string]string // beside rest
		not   string            // of rest
		code  worktree.Code
	}{
		"what is vendored": {"vendor/lib", all, map[string]string{"vendor/lib/a.go": "lib", "vendor/lib/sub/b.go": "lib", "vendor/lib/sub/deep/c.go": "lib", "vendor/lib/run.sh": "lib", "vendor/lib/link": "a.go"}, "", ""},
		"one folder of it": {"vendor/lib", func(s string) (string, bool) { return strings.CutPrefix(s, "sub/") },
			map[string]string{"vendor/lib/b.go": "lib", "vendor/lib/deep/c.go": "lib"}, "", ""},
		"nothing of it":           {"vendor/lib", func(string) (string, bool) { return "", false }, map[string]string{}, "", ""},
		"a place that is a link":  {"linked", func(s string) (string, bool) { return s, s == "a.go" }, with(old, "linked/a.go", "lib"), "linked", ""},
		"a new place":             {"new/place", func(s string) (string, bool) { return s, s == "a.go" }, with(old, "new/place/a.go", "lib"), "", ""},
		"a place below a file":    {"file/place", all, nil, "", worktree.ComposeConflict},
		"a place out of the tree": {"../x", all, nil, "", worktree.UnsafeTree},
		"git's own folder":        {".git", all, nil, "", worktree.UnsafeTree},
	} {
		t.Run(name, func(t *testing.T) {
			hash, err := r.Graft(t.Context(), tree, c.place, from, theirs.HeadTree, c.keep)
			if c.code != "" {
				wantRefusal(t, err, c.code)
				return
			}
			must(t, err)
			listed, err := r.List(hash)
			must(t, err)
			got := map[string]string{}
			for path, b := range listed {
				data, err := r.ReadFile(hash, path)
				must(t, err)
				got[path] = string(data)
				if strings.HasSuffix(path, "run.sh") && b.Mode != 0o755 {
					t.Errorf("%s has mode %v", path, b.Mode)
				}
			}
			for path, text := range rest {
				if path != c.not {
					c.want[path] = text
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func with(files map[string]string, name, text string) map[string]string {
	out := map[string]string{name: text}
	for k, v := range files {
		out[k] = v
	}
	return out
}
