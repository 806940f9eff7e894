package worktree_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/lane/worktree/internal/gittest"
)

// history is one repository for the tests of names:
//
//	root ─ fork ─ tip        main, tag v1 (annotated)
//	          └─ one ─ two   topic
func history(t *testing.T) (repo *gittest.Repo, id map[string]string) {
	repo = gittest.New(t)
	id = map[string]string{}
	id["root"] = repo.Commit(map[string]string{"a": "1", "gone": "x"})
	id["fork"] = repo.Commit(map[string]string{"a": "2"})
	repo.Git("checkout", "-q", "-b", "topic")
	id["one"] = repo.Commit(map[string]string{"b": "1"})
	repo.Git("rm", "-q", "gone")
	id["two"] = repo.Commit(map[string]string{"a": "3"})
	repo.Git("checkout", "-q", "main")
	id["tip"] = repo.Commit(map[string]string{"c": "1"})
	repo.Git("tag", "-a", "-m", "release", "v1")
	repo.Git("tag", "light", id["one"])
	repo.Git("update-ref", "refs/remotes/origin/dev", id["one"])
	repo.Git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/dev")
	return repo, id
}

func TestNamesOfCommits(t *testing.T) {
	t.Parallel()
	repo, id := history(t)
	repo.Git("pack-refs", "--all")
	repo.Git("branch", "unpacked", id["fork"])
	r := open(t, repo.Dir)
	unchanged(t, repo)
	for name, want := range map[string]string{
		"main": "tip", "HEAD": "tip", "@": "tip", "": "tip", "topic": "two", "heads/topic": "two", "refs/heads/topic": "two",
		"v1": "tip", "tags/v1": "tip", "v1^{}": "tip", "v1^{commit}": "tip", "v1~1": "fork", "light": "one", "unpacked": "fork",
		"HEAD~": "fork", "HEAD~2": "root", "HEAD^": "fork", "HEAD^1^1": "root", "HEAD^0": "tip", "main~0": "tip", "topic~1^": "fork",
		"origin/dev": "one", "origin": "one", "origin/HEAD": "one",
	} {
		if got := resolve(t, r, worktree.Ask{Head: name}).HeadCommit; got != id[want] {
			t.Errorf("%q is %.12s, want %s (%.12s)", name, got, want, id[want])
		}
	}
	for _, name := range []string{id["two"], id["two"][:12], id["two"][:7], strings.ToUpper(id["two"])} {
		if got := resolve(t, r, worktree.Ask{Head: name}).HeadCommit; got != id["two"] {
			t.Errorf("%q is %.12s", name, got)
		}
	}
}

func TestNamesThatAreRefused(t *testing.T) {
	t.Parallel()
	repo, id := history(t)
	blob := repo.Git("rev-parse", "HEAD:a")
	repo.Git("tag", "of-a-blob", blob)
	repo.Git("tag", "both", id["one"])
	repo.Git("branch", "both", id["two"])
	repo.Git("tag", "same", id["one"])
	repo.Git("branch", "same", id["one"])
	repo.Git("update-ref", "refs/remotes/origin/only-there", id["one"])
	r := open(t, repo.Dir)
	for name, c := range map[string]struct {
		code worktree.Code
		says string
	}{
		"nowhere":               {worktree.MissingRef, `"main"`},
		"only-there":            {worktree.MissingRef, "origin/only-there"},
		"both":                  {worktree.AmbiguousRef, "refs/heads/both"},
		"of-a-blob":             {worktree.NotACommit, "blob"},
		blob:                    {worktree.NotACommit, "blob"},
		id["tip"] + "^{tree}":   {worktree.NotACommit, ""},
		"main:a":                {worktree.NotACommit, ""},
		"main@{1}":              {worktree.MissingRef, "reflog"},
		"main..topic":           {worktree.MissingRef, "range"},
		"HEAD~9":                {worktree.MissingRef, "parents"},
		"HEAD^2":                {worktree.MissingRef, "1 parents"},
		"HEAD~x":                {worktree.MissingRef, ""},
		"^main":                 {worktree.MissingRef, "nothing"},
		"../../etc/passwd":      {worktree.MissingRef, ""},
		"-x":                    {worktree.MissingRef, ""},
		"refs/heads":            {worktree.MissingRef, ""},
		"config":                {worktree.MissingRef, ""},
		strings.Repeat("1", 40): {worktree.MissingObjects, ""},
	} {
		_, err := r.Resolve(context.Background(), worktree.Ask{Head: name})
		t.Run(name, func(t *testing.T) { wantRefusal(t, err, c.code, c.says) })
	}
	if got := resolve(t, r, worktree.Ask{Head: "same"}).HeadCommit; got != id["one"] {
		t.Errorf("a tag and a branch that agree are %s", got)
	}
}

func TestChangeBeginsWhereHeadLeftBase(t *testing.T) {
	t.Parallel()
	repo, id := history(t)
	r := open(t, repo.Dir)
	unchanged(t, repo)
	c := resolve(t, r, worktree.Ask{Base: "main", Head: "topic"})
	if c.BaseCommit != id["fork"] || c.HeadCommit != id["two"] || c.Onto != id["two"] || c.Dirty || c.Patch != nil {
		t.Errorf("got %+v", c)
	}
	if want := repo.Git("rev-parse", id["fork"]+"^{tree}"); c.BaseTree != want {
		t.Errorf("base tree is %s, want %s", c.BaseTree, want)
	}
	if want := repo.Git("show", "-s", "--format=%ct", id["two"]); fmt.Sprint(c.CommitTime.Unix()) != want {
		t.Errorf("committed at %v, want %s", c.CommitTime, want)
	}
	var got []string
	for _, f := range c.Files {
		got = append(got, fmt.Sprintf("%s %v %v", f.Path, f.Old.Hash != "", f.New.Hash != ""))
	}
	if diff := cmp.Diff([]string{"a true true", "b false true", "gone true false"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestEndsOfHistory(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	repo, id := history(t)
	repo.Git("checkout", "-q", "--orphan", "other")
	repo.Commit(map[string]string{"z": "1"})
	repo.Git("checkout", "-q", "main")
	r := open(t, repo.Dir)

	same := resolve(t, r, worktree.Ask{Base: "main", Head: "main"})
	if same.BaseCommit != id["tip"] || len(same.Files) != 0 {
		t.Errorf("base is head: %+v", same)
	}
	behind := resolve(t, r, worktree.Ask{Base: "main", Head: id["root"]})
	if behind.BaseCommit != id["root"] || len(behind.Files) != 0 {
		t.Errorf("head is behind base: %+v", behind)
	}
	whole := resolve(t, r, worktree.Ask{Head: id["root"]})
	if whole.BaseCommit != "" || whole.BaseTree != "" || len(whole.Files) != 2 || whole.Files[0].Old.Hash != "" {
		t.Errorf("without a base: %+v", whole)
	}
	_, err := r.Resolve(ctx, worktree.Ask{Base: "main", Head: "other"})
	wantRefusal(t, err, worktree.UnrelatedHistories, "in common")

	shallow := filepath.Join(t.TempDir(), "shallow")
	repo.Git("clone", "-q", "--depth=1", "--no-single-branch", "file://"+repo.Dir, shallow)
	_, err = open(t, shallow).Resolve(ctx, worktree.Ask{Base: "main", Head: "origin/topic"})
	wantRefusal(t, err, worktree.ShallowHistory, "--unshallow")
	_, err = open(t, shallow).Resolve(ctx, worktree.Ask{Base: "HEAD~1"})
	wantRefusal(t, err, worktree.ShallowHistory, "--unshallow")
	if c := resolve(t, open(t, shallow), worktree.Ask{Base: "main"}); c.HeadCommit != id["tip"] {
		t.Errorf("the tip of a shallow clone: %+v", c)
	}

	unborn := gittest.New(t)
	_, err = open(t, unborn.Dir).Resolve(ctx, worktree.Ask{Base: "main"})
	wantRefusal(t, err, worktree.MissingRef, "commit something first")
	unborn.Write("a", "x")
	c := resolve(t, open(t, unborn.Dir), worktree.Ask{Head: worktree.Worktree})
	if !c.Dirty || c.HeadCommit != "" || c.Onto != "" || len(c.Files) != 1 {
		t.Errorf("a working tree before the first commit: %+v", c)
	}

	partial := filepath.Join(t.TempDir(), "partial")
	repo.Git("config", "uploadpack.allowFilter", "true")
	repo.Git("clone", "-q", "--filter=blob:none", "--no-checkout", "file://"+repo.Dir, partial)
	p := open(t, partial)
	_, err = p.Tree(ctx, resolve(t, p, worktree.Ask{Base: "HEAD"}).HeadTree, worktree.Use{})
	wantRefusal(t, err, worktree.MissingObjects, "partial clone")
}

func TestBaseLeftAtItsDefault(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refs map[string]string // ref -> what it is
		want string
	}{
		"main is there":            {map[string]string{"refs/heads/main": "fork", "refs/remotes/origin/HEAD": "root"}, "main"},
		"the remote's main branch": {map[string]string{"refs/remotes/origin/HEAD": "fork", "refs/heads/master": "root"}, "refs/remotes/origin/HEAD"},
		"origin/main":              {map[string]string{"refs/remotes/origin/main": "fork"}, "refs/remotes/origin/main"},
		"master":                   {map[string]string{"refs/heads/master": "fork"}, "refs/heads/master"},
		"none":                     {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			repo := gittest.New(t)
			id := map[string]string{"root": repo.Commit(map[string]string{"a": "1"})}
			id["fork"] = repo.Commit(map[string]string{"a": "2"})
			repo.Git("checkout", "-q", "-b", "topic")
			repo.Commit(map[string]string{"a": "3"})
			repo.Git("branch", "-q", "-D", "main")
			for ref, commit := range c.refs {
				repo.Git("update-ref", ref, id[commit])
			}
			r := open(t, repo.Dir)
			_, err := r.Resolve(context.Background(), worktree.Ask{Base: "main", DefaultBase: true})
			if c.want == "" {
				wantRefusal(t, err, worktree.MissingRef, `"topic"`)
				return
			}
			got := resolve(t, r, worktree.Ask{Base: "main", DefaultBase: true})
			if got.Base != c.want || got.BaseCommit != id["fork"] {
				t.Errorf("base is %s (%s), want %s", got.Base, got.BaseCommit, c.want)
			}
			if c.want == "main" {
				return
			}
			_, err = r.Resolve(context.Background(), worktree.Ask{Base: "main"})
			wantRefusal(t, err, worktree.MissingRef)
		})
	}
}

// TestMergeBaseAgreesWithGit makes random histories, with merges and with clocks that run backwards.
func TestMergeBaseAgreesWithGit(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	tree := repo.Object("tree", "")
	r := rand.New(rand.NewPCG(5, 5))
	var ids []string
	for i := range 60 {
		body := "tree " + tree + "\n"
		seen := map[string]bool{}
		for range min(len(ids), []int{0, 1, 1, 1, 2, 3}[r.IntN(6)]) {
			parent := ids[len(ids)-1-r.IntN(min(len(ids), 8))]
			if !seen[parent] {
				body += "parent " + parent + "\n"
				seen[parent] = true
			}
		}
		date := 1_700_000_000 + 10*i
		if r.IntN(4) == 0 {
			date -= r.IntN(500)
		}
		ids = append(ids, repo.Object("commit", body+fmt.Sprintf("author A <a> %d +0000\ncommitter C <c> %d +0000\n\n%d\n", date, date, i)))
	}
	opened := open(t, repo.Dir)
	merged, unrelated := 0, 0
	for range 60 {
		a, b := ids[r.IntN(len(ids))], ids[r.IntN(len(ids))]
		all, err := repo.Run("merge-base", "--all", a, b)
		c, ourErr := opened.Resolve(context.Background(), worktree.Ask{Base: a, Head: b})
		if err != nil {
			unrelated++
			wantRefusal(t, ourErr, worktree.UnrelatedHistories)
			continue
		}
		merged++
		if ourErr != nil || !strings.Contains(all, c.BaseCommit) {
			t.Errorf("merge base of %.12s and %.12s: %.12s, %v; git says %s", a, b, c.BaseCommit, ourErr, all)
		}
	}
	if merged < 10 || unrelated < 3 {
		t.Errorf("%d with and %d without a merge base: the test has lost one of its halves", merged, unrelated)
	}
}
