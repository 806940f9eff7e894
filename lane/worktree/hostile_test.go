package worktree_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/lane/worktree/internal/gittest"
)

// F17: a repository names every program that git could be made to run. None of them runs, whatever Lane
// does, and nothing below .git changes, not even a time.
func TestNothingOfTheRepositoryRuns(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	canary := filepath.Join(t.TempDir(), "canary")
	run := "touch " + canary + "; cat; exit 0"
	nested := gittest.New(t)
	nested.Commit(map[string]string{"n": "1"})
	repo := gittest.New(t)
	repo.Commit(map[string]string{
		"a.txt": "$Id$\ntext\n", "b.bin": "data", "crlf.bat": "one\ntwo\n", "README": "x", "racy": "one\n",
		".gitattributes": "*.txt filter=evil ident diff=evil merge=evil text\n*.bin filter=proc\n*.bat text eol=crlf\n* text=auto\n",
	})
	base := repo.Git("rev-parse", "HEAD")
	repo.Git("submodule", "add", "-q", nested.Dir, "mod")
	repo.Commit(map[string]string{"README": "y"})
	repo.Git("gc", "-q") // before the traps are laid: packs and a fresh index
	repo.Write("a.txt", "$Id$\nchanged\n")
	repo.Write("new.txt", "new\n")
	repo.Write("racy", "two\n") // the same size, perhaps within the same moment
	must(t, os.Remove(repo.Path("b.bin")))

	hooks := repo.Path(".git/hooks")
	must(t, os.RemoveAll(hooks))
	must(t, os.MkdirAll(hooks, 0o755))
	script := repo.Path(".git/evil.sh")
	must(t, os.WriteFile(script, []byte("#!/bin/sh\n"+run+"\n"), 0o755))
	for _, name := range []string{"post-checkout", "post-index-change", "pre-auto-gc", "post-merge", "reference-transaction", "fsmonitor-watchman", "pre-commit", "post-rewrite", "sendemail-validate"} {
		must(t, os.WriteFile(filepath.Join(hooks, name), []byte("#!/bin/sh\n"+run+"\n"), 0o755))
	}
	for key, value := range map[string]string{
		"core.fsmonitor": script, "core.hooksPath": hooks, "core.sshCommand": script, "core.pager": script, "core.editor": script,
		"core.askPass": script, "core.gitProxy": script, "core.alternateRefsCommand": script, "core.untrackedCache": "true",
		"filter.evil.smudge": "touch " + canary + "; tr a-z A-Z", "filter.evil.clean": run, "filter.evil.required": "true",
		"filter.proc.process": script, "filter.proc.required": "true", "filter.lfs.smudge": run, "filter.lfs.process": script,
		"diff.evil.textconv": run, "diff.evil.command": script, "diff.external": script, "merge.evil.driver": run,
		"submodule.mod.update": "!" + run, "submodule.recurse": "true", "credential.helper": "!" + run, "gpg.program": script,
		"uploadpack.packObjectsHook": script, "trailer.x.command": run, "alias.diff-files": "!" + run, "alias.update-index": "!" + run,
		"include.path": repo.Path(".git/included"), "gc.auto": "1", "maintenance.auto": "true", "extensions.worktreeConfig": "true",
	} {
		repo.Git("config", key, value)
	}
	must(t, os.WriteFile(repo.Path(".git/included"), []byte("[core]\n\tfsmonitor = "+script+"\n"), 0o644))
	must(t, os.WriteFile(repo.Path(".git/config.worktree"), []byte("[core]\n\tsparseCheckout = false\n\tfsmonitor = "+script+"\n"), 0o644))
	// The submodule's own configuration would be read by a `git status` in it.
	must(t, os.WriteFile(repo.Path(".git/modules/mod/config"), []byte("[core]\n\trepositoryformatversion = 0\n\tworktree = ../../../mod\n\tfsmonitor = "+script+"\n"), 0o644))
	unchanged(t, repo)
	t.Cleanup(func() {
		if _, err := os.Lstat(canary); err == nil {
			t.Error("a program that the repository names was run")
		}
	})

	r := open(t, repo.Dir)
	c := resolve(t, r, worktree.Ask{Base: base, Head: worktree.Worktree})
	if !c.Dirty {
		t.Error("the working tree has changes")
	}
	_, err := r.Tree(ctx, c.HeadTree, worktree.Use{EmptySubmodules: true})
	wantRefusal(t, err, worktree.FilterContent, "evil")
	resolve(t, r, worktree.Ask{Base: base, Head: "HEAD"})
	resolve(t, r, worktree.Ask{Base: base, Patch: []byte("--- a/README\n+++ b/README\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+z\n")})
	// Without the configuration's filters git's own checkout gives the bytes of the commit, and so does Lane,
	// attributes and all.
	plain := filepath.Join(t.TempDir(), "plain")
	repo.Git("clone", "-q", "--no-local", "-c", "core.hooksPath=/dev/null", "--no-checkout", repo.Dir, plain)
	os.Remove(canary) // upload-pack of that clone may have run something of its own
	p := open(t, plain)
	tree(t, p, resolve(t, p, worktree.Ask{Head: base}).HeadTree, worktree.Use{})
}

// R11: git's variables in the caller's environment have no effect.
func TestCallersGitVariables(t *testing.T) {
	repo := gittest.New(t)
	repo.Commit(map[string]string{"a.bat": "x\n", ".gitattributes": "*.bat eol=crlf\n"})
	canary := filepath.Join(t.TempDir(), "canary")
	for key, value := range map[string]string{
		"GIT_DIR": "/nonexistent", "GIT_WORK_TREE": "/", "GIT_INDEX_FILE": "/nonexistent", "GIT_OBJECT_DIRECTORY": "/nonexistent",
		"GIT_ALTERNATE_OBJECT_DIRECTORIES": "/nonexistent", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor",
		"GIT_CONFIG_VALUE_0": "touch " + canary, "GIT_EXTERNAL_DIFF": "touch " + canary, "GIT_TRACE": canary, "GIT_ATTR_SOURCE": "nonsense",
	} {
		t.Setenv(key, value)
	}
	repo.Write("a.bat", "y\r\n")
	r := open(t, repo.Dir)
	c := resolve(t, r, worktree.Ask{Base: "main", Head: worktree.Worktree})
	if len(c.Files) != 1 {
		t.Errorf("the change has %v", c.Files)
	}
	if got := tree(t, r, c.HeadTree, worktree.Use{}).Converted; len(got) != 1 {
		t.Errorf("converted %v", got)
	}
	if _, err := os.Lstat(canary); err == nil {
		t.Error("a program of the caller's environment was run, or traced")
	}
}
