package worktree_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/lane/worktree/internal/gittest"
)

// gitsFiles are the files of a commit as git itself checks them out, without any configuration.
func gitsFiles(t *testing.T, repo *gittest.Repo, commit string) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "git")
	repo.Git("worktree", "add", "-q", "--detach", dir, commit)
	defer repo.Git("worktree", "remove", "--force", dir)
	return files(t, dir)
}

// R1, R2, N10: files are what git makes of them, byte for byte, name for name.
func TestTreeIsGits(t *testing.T) {
	t.Parallel()
	odd := map[string]string{
		"plain": "x\n", "empty": "", "sub/dir/deep/er": "x", "with space": "x", "ünï/cödé": "x", "tab\tnew\nline": "x", "\xff\xfe": "not UTF-8",
		strings.Repeat("n", 200): "x", strings.Repeat("d", 200) + "/" + strings.Repeat("f", 255): "x", "-dash": "x", "back\\slash": "x", "con": "x",
		"crlf": "a\r\nb\r\n", "bom": "\xef\xbb\xbfx\n", "latin": "\xe9\n", "nul": "a\x00b\n", ".gitignore": "*.log\n", "ignored.log": "and tracked\n",
		"large": strings.Repeat("0123456789abcdef", 200_000),
	}
	for name, c := range map[string]struct {
		files     map[string]string
		converted []string
		prepare   func(*gittest.Repo)
	}{
		"odd files": {files: odd, prepare: func(r *gittest.Repo) {
			for link, target := range map[string]string{"broken": "nowhere", "absolute": "/etc/passwd", "up": "../../..", "self": "self", "odd": "\xff new\nline", "sub/long": strings.Repeat("x", 2000)} {
				must(r.T, os.Symlink(target, r.Path(link)))
			}
			must(r.T, os.Chmod(r.Path("plain"), 0o755))
		}},
		"text=auto":         {files: map[string]string{".gitattributes": "* text=auto\n", "a": "x\n", "b": "a\r\nb\r\n"}},
		"eol=lf":            {files: map[string]string{".gitattributes": "* text eol=lf\n", "a": "x\n"}},
		"eol=crlf":          {files: map[string]string{".gitattributes": "*.bat text eol=crlf\n", "a.bat": "one\ntwo\n", "b": "one\n", "sub/c.bat": "x\n"}, converted: []string{"a.bat", "sub/c.bat"}},
		"eol=crlf for all":  {files: map[string]string{".gitattributes": "* text eol=crlf\n", "a": "one\ntwo\n"}, converted: []string{".gitattributes", "a"}},
		"eol=crlf, -text":   {files: map[string]string{".gitattributes": "*.bat -text eol=crlf\n", "a.bat": "one\ntwo\n"}},
		"eol=crlf, auto":    {files: map[string]string{".gitattributes": "* text=auto eol=crlf\n*.x !eol\n", "a": "one\ntwo\n", "bin": "\x00\n", "n.x": "x\n"}, converted: []string{".gitattributes", "a"}},
		"by a folder's own": {files: map[string]string{"win/.gitattributes": "*.txt eol=crlf\n", "win/a.txt": "x\n", "a.txt": "x\n"}, converted: []string{"win/a.txt"}},
		"by a macro":        {files: map[string]string{".gitattributes": "[attr]dos text eol=crlf\n*.d dos\n", "a.d": "x\n"}, converted: []string{"a.d"}},
		"ident":             {files: map[string]string{".gitattributes": "*.c ident\n", "a.c": "/* $Id$ */\n", "b.c": "no mark\n"}, converted: []string{"a.c"}},
		"encoding": {files: map[string]string{".gitattributes": "*.u16 text working-tree-encoding=UTF-16LE\n"}, converted: []string{"a.u16"}, prepare: func(r *gittest.Repo) {
			r.Write("a.u16", "h\x00i\x00\n\x00")
		}},
		"a filter without a driver": {files: map[string]string{".gitattributes": "*.x filter=unknown\n", "a.x": "x\n"}},
		"a filter for the way in": {files: map[string]string{".gitattributes": "*.x filter=clean\n", "a.x": "x\n"}, prepare: func(r *gittest.Repo) {
			r.Git("config", "filter.clean.smudge", "cat")
		}},
		"LFS attributes and no pointer": {files: map[string]string{".gitattributes": "*.x filter=lfs diff=lfs merge=lfs -text\n", "a.x": "content\n"}},
		"a pointer without attributes":  {files: map[string]string{"a.x": "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n"}},
		"attributes that are a link": {files: map[string]string{"attributes": "* eol=crlf\n", "a": "x\n"}, prepare: func(r *gittest.Repo) {
			must(r.T, os.Symlink("attributes", r.Path(".gitattributes")))
		}},
		"sparse checkout": {files: map[string]string{"in/a": "x\n", "out/b": "x\n"}, prepare: func(r *gittest.Repo) {
			r.Git("add", "-A")
			r.Git("commit", "-q", "-m", "x")
			r.Git("sparse-checkout", "set", "in")
			r.T.Cleanup(func() { r.Git("sparse-checkout", "disable") })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := gittest.New(t)
			for path, data := range c.files {
				repo.Write(path, data)
			}
			if c.prepare != nil {
				c.prepare(repo)
			}
			commit := repo.Commit(nil)
			if name == "sparse checkout" {
				commit = repo.Git("rev-parse", "HEAD~1")
			}
			r := open(t, repo.Dir)
			change := resolve(t, r, worktree.Ask{Head: commit})
			checked := tree(t, r, change.HeadTree, worktree.Use{Time: change.CommitTime})
			got := files(t, checked.Path)
			if name == "sparse checkout" {
				if len(got) != 2 {
					t.Errorf("has %v", got)
				}
				return
			}
			if diff := cmp.Diff(gitsFiles(t, repo, commit), got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.converted, checked.Converted); diff != "" {
				t.Errorf("converted: %s", diff)
			}
			sha, differs, err := checked.Measure(context.Background())
			if err != nil || len(differs) > 0 || sha != checked.SHA256 {
				t.Errorf("measured %s, %v, %v; want %s", sha, differs, err, checked.SHA256)
			}
			if fromObjects, err := r.SHA256(context.Background(), change.HeadTree); err != nil || fromObjects != checked.SHA256 {
				t.Errorf("from the objects alone %s, %v; want %s", fromObjects, err, checked.SHA256)
			}
			checkTimes(t, checked.Path, change.CommitTime)
		})
	}
}

// checkTimes wants one time on everything, folders and links too.
func checkTimes(t *testing.T, dir string, want time.Time) {
	t.Helper()
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		must(t, err)
		info, err := os.Lstat(path)
		must(t, err)
		if !info.ModTime().Equal(want) {
			t.Errorf("%s is of %v, want %v", path, info.ModTime(), want)
		}
		if d.IsDir() && info.Mode().Perm() != 0o755 {
			t.Errorf("%s has %v", path, info.Mode())
		}
		return nil
	})
}

// F18, N10: what a box must not be given.
func TestTreesThatAreRefused(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Commit(map[string]string{"a": "x"})
	blob := repo.Object("blob", "x")
	nothing := repo.Object("blob", "")
	sub := repo.Object("tree", "100644 x\x00"+gittest.Raw(blob))
	commit := repo.Git("rev-parse", "HEAD")
	entry := func(mode, name, id string) string { return mode + " " + name + "\x00" + gittest.Raw(id) }
	pointer := repo.Object("blob", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n")
	lfs := repo.Object("blob", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
	crypt := repo.Object("blob", "\x00GITCRYPT\x00secret")
	crypted := repo.Object("blob", "secret filter=git-crypt\n")
	upper := repo.Object("blob", "* filter=upper\n")
	repo.Git("config", "filter.upper.smudge", "tr a-z A-Z")
	deep := sub
	for range 20 {
		deep = repo.Object("tree", entry("40000", strings.Repeat("d", 250), deep))
	}
	bomb := sub
	for range 5 {
		var b strings.Builder
		for i := range 10 {
			b.WriteString(entry("40000", fmt.Sprint(i), bomb))
		}
		bomb = repo.Object("tree", b.String())
	}
	empties := repo.Object("tree", "")
	for range 7 {
		empties = repo.Object("tree", entry("40000", "a", empties)+entry("40000", "b", empties)+entry("40000", "c", empties)+entry("40000", "d", empties))
	}
	for name, c := range map[string]struct {
		tree string // content of the root tree
		code worktree.Code
		says string
	}{
		"parent":                   {entry("40000", "..", sub), worktree.UnsafeTree, `".."`},
		"itself":                   {entry("100644", ".", blob), worktree.UnsafeTree, `"."`},
		"git folder":               {entry("40000", ".git", sub), worktree.UnsafeTree, "git's own"},
		"git folder in capitals":   {entry("40000", ".GIT", sub), worktree.UnsafeTree, "git's own"},
		"git folder on NTFS":       {entry("40000", "git~1", sub), worktree.UnsafeTree, "git's own"},
		"git folder on HFS+":       {entry("40000", ".g\u200cit", sub), worktree.UnsafeTree, "git's own"},
		"git folder and a space":   {entry("40000", ".git ", sub), worktree.UnsafeTree, "git's own"},
		"in a folder below":        {entry("40000", "d", repo.Object("tree", entry("40000", ".git", sub))), worktree.UnsafeTree, "git's own"},
		"a link and a folder":      {entry("120000", "a", blob) + entry("40000", "a", sub), worktree.UnsafeTree, "twice"},
		"a slash in a name":        {entry("100644", "a/b", blob), worktree.UnsafeTree, "slash"},
		"twice":                    {entry("100644", "a", blob) + entry("100644", "a", blob), worktree.UnsafeTree, "twice"},
		"out of order":             {entry("100644", "b", blob) + entry("100644", "a", blob), worktree.UnsafeTree, "order"},
		"a device":                 {entry("20644", "a", blob), worktree.UnsafeTree, "mode"},
		"a name too long":          {entry("100644", strings.Repeat("n", 256), blob), worktree.UnsafeTree, "256 bytes"},
		"a path too long":          {entry("40000", "x", deep), worktree.UnsafeTree, "bytes"},
		"a link to nothing":        {entry("120000", "a", nothing), worktree.UnsafeTree, "to nothing"},
		"a link with a NUL":        {entry("120000", "a", repo.Object("blob", "a\x00b")), worktree.UnsafeTree, "NUL"},
		"files without end":        {entry("40000", "x", bomb), worktree.TreeTooLarge, "3000"},
		"folders without end":      {entry("40000", "x", empties), worktree.TreeTooLarge, "3000"},
		"too many bytes":           {entry("100644", "a", repo.Object("blob", strings.Repeat("x", 2000))), worktree.TreeTooLarge, "1000 bytes"},
		"a submodule":              {entry("160000", "mod", commit), worktree.SubmoduleInTree, `"mod"`},
		"an LFS pointer":           {entry("100644", ".gitattributes", lfs) + entry("100644", "x.bin", pointer), worktree.LFSContent, `"x.bin"`},
		"git-crypt":                {entry("100644", ".gitattributes", crypted) + entry("100644", "secret", crypt), worktree.FilterContent, `"secret"`},
		"a smudge filter":          {entry("100644", ".gitattributes", upper) + entry("100644", "a", blob), worktree.FilterContent, `"upper"`},
		"a tree that is not there": {entry("40000", "x", strings.Repeat("1", 40)), worktree.MissingObjects, "not found"},
		"a file that is not there": {entry("100644", "x", strings.Repeat("1", 40)), worktree.MissingObjects, `"x"`},
		"a file that is a tree":    {entry("100644", "x", sub), worktree.CorruptObjects, `"x"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			r := open(t, repo.Dir, in(dir), func(o *worktree.Options) { o.MaxEntries = 3_000; o.MaxBytes = 1000 })
			_, err := r.Tree(context.Background(), repo.Object("tree", c.tree), worktree.Use{})
			wantRefusal(t, err, c.code, c.says)
			left, err := os.ReadDir(filepath.Join(dir, "trees"))
			must(t, err)
			for _, e := range left {
				if e.IsDir() {
					t.Errorf("left behind: %s", e.Name())
				}
			}
		})
	}
}

// A clone whose configuration has a filter is refused also where another clone has made the tree already.
func TestFilterOfOneCloneOnly(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Commit(map[string]string{".gitattributes": "*.x filter=upper\n", "a.x": "x\n"})
	hash := repo.Git("rev-parse", "HEAD^{tree}")
	clone := gittest.At(t, filepath.Join(t.TempDir(), "clone"))
	repo.Git("clone", "-q", repo.Dir, clone.Dir)
	clone.Git("config", "filter.upper.smudge", "tr a-z A-Z")
	dir := t.TempDir()
	tree(t, open(t, repo.Dir, in(dir)), hash, worktree.Use{})
	_, err := open(t, clone.Dir, in(dir)).Tree(context.Background(), hash, worktree.Use{})
	wantRefusal(t, err, worktree.FilterContent, "upper")
}

// Odd trees that git takes are taken, and measured by the id they have.
func TestTreesOfOldTools(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	commit := repo.Commit(map[string]string{"a": "x"})
	blob := repo.Object("blob", "x")
	empty := repo.Object("tree", "")
	entry := func(mode, name, id string) string { return mode + " " + name + "\x00" + gittest.Raw(id) }
	root := repo.Object("tree", entry("100664", "group", blob)+entry("100775", "run", blob)+
		entry("40000", "void", repo.Object("tree", entry("40000", "inner", empty)))+entry("040000", "zero", repo.Object("tree", entry("100644", "x", blob)))+
		entry("160000", "zmod", commit))
	r := open(t, repo.Dir)
	checked := tree(t, r, root, worktree.Use{EmptySubmodules: true})
	if diff := cmp.Diff(map[string]string{"group": "644 x", "run": "755 x", "zero/x": "644 x"}, files(t, checked.Path)); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(filepath.Join(checked.Path, "void")); !os.IsNotExist(err) {
		t.Error("git writes no folder that holds nothing")
	}
	if info, err := os.Stat(filepath.Join(checked.Path, "zmod")); err != nil || !info.IsDir() {
		t.Error("git makes an empty folder for a submodule")
	}
	must(t, verify(context.Background(), checked))
	if _, err := r.Tree(context.Background(), root, worktree.Use{}); err == nil {
		t.Error("a tree with a submodule was given to somebody who did not ask for one")
	}
	again := tree(t, open(t, repo.Dir), root, worktree.Use{EmptySubmodules: true})
	if again.SHA256 != checked.SHA256 {
		t.Error("the digest is not stable")
	}
}

// The digest can be computed by anybody with git and SHA-256.
func TestContentDigest(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Write("b.txt", "x\n")
	repo.Write("b/c", "y\n")
	repo.Write("run", "#!/bin/sh\n")
	must(t, os.Chmod(repo.Path("run"), 0o755))
	must(t, os.Symlink("b/c", repo.Path("link")))
	repo.Commit(nil)
	var lines []string
	for _, line := range strings.Split(repo.Git("ls-tree", "-r", "HEAD"), "\n") {
		meta, path, _ := strings.Cut(line, "\t")
		f := strings.Fields(meta)
		content, err := repo.Run("cat-file", "blob", f[2])
		must(t, err)
		if f[0] != "120000" {
			content += "\n" // which Run takes away
		}
		lines = append(lines, path+"\x00"+fmt.Sprintf("%s %x %s\x00", f[0], sha256.Sum256([]byte(content)), path))
	}
	sort.Strings(lines)
	var all strings.Builder
	for _, line := range lines {
		_, line, _ := strings.Cut(line, "\x00")
		all.WriteString(line)
	}
	want := fmt.Sprintf("%x", sha256.Sum256([]byte(all.String())))
	r := open(t, repo.Dir)
	c := resolve(t, r, worktree.Ask{})
	if got := tree(t, r, c.HeadTree, worktree.Use{}).SHA256; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
