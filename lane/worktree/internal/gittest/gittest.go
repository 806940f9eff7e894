// Package gittest builds real repositories with real git for the tests of package worktree.
// It is no part of Lane: only tests import it.
package gittest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// Repo is a repository in a temporary folder.
type Repo struct {
	T   testing.TB
	Dir string

	clock atomic.Int64 // each call of git is a second later
}

// New makes an empty repository whose branch is main.
func New(t testing.TB, args ...string) *Repo {
	t.Helper()
	r := &Repo{T: t, Dir: t.TempDir()}
	r.Git(append([]string{"init", "-q", "-b", "main", "--template="}, args...)...)
	return r
}

// Copy makes a copy of the repository as it is, times included.
func (r *Repo) Copy(t testing.TB) *Repo {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy")
	if out, err := exec.Command("cp", "-a", r.Dir, dir).CombinedOutput(); err != nil {
		t.Fatalf("copy repository: %v: %s", err, out)
	}
	c := &Repo{T: t, Dir: dir}
	c.clock.Store(r.clock.Load())
	return c
}

// At speaks of an existing repository, or of a folder to run git in.
func At(t testing.TB, dir string) *Repo { return &Repo{T: t, Dir: dir} }

// Run runs git with none of the machine's configuration, and returns what it printed.
func (r *Repo) Run(args ...string) (string, error) { return r.run("", args...) }

func (r *Repo) run(stdin string, args ...string) (string, error) {
	date := fmt.Sprintf("%d +0000", 1_700_000_000+r.clock.Add(1))
	cmd := exec.Command("git", args...)
	cmd.Dir = r.Dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.org", "GIT_COMMITTER_DATE=" + date,
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=protocol.file.allow", "GIT_CONFIG_VALUE_0=always",
		"GIT_CONFIG_KEY_1=gc.auto", "GIT_CONFIG_VALUE_1=0", // nothing behind the test's back
	}
	var out, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &stderr
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("git %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// Git is Run for a command that must succeed.
func (r *Repo) Git(args ...string) string {
	r.T.Helper()
	out, err := r.Run(args...)
	if err != nil {
		r.T.Fatal(err)
	}
	return out
}

// Path is a path below the repository's folder.
func (r *Repo) Path(name string) string { return filepath.Join(r.Dir, filepath.FromSlash(name)) }

// Write writes a file of the working tree, and the folders above it.
func (r *Repo) Write(name, data string) {
	r.T.Helper()
	if err := os.MkdirAll(filepath.Dir(r.Path(name)), 0o755); err != nil {
		r.T.Fatal(err)
	}
	if err := os.WriteFile(r.Path(name), []byte(data), 0o644); err != nil {
		r.T.Fatal(err)
	}
}

// Commit writes files, commits all there is and returns the commit.
func (r *Repo) Commit(files map[string]string) string {
	r.T.Helper()
	for name, data := range files {
		r.Write(name, data)
	}
	r.Git("add", "-A")
	r.Git("commit", "-q", "--allow-empty", "-m", "commit")
	return r.Git("rev-parse", "HEAD")
}

// Object writes an object as it is, without any check of git's, and returns its id.
func (r *Repo) Object(kind, data string) string {
	r.T.Helper()
	id, err := r.run(data, "hash-object", "-t", kind, "-w", "--literally", "--stdin")
	if err != nil {
		r.T.Fatal(err)
	}
	return id
}

// Raw is the 20 bytes of an id, as a tree object holds them.
func Raw(id string) string {
	var b []byte
	if _, err := fmt.Sscanf(id, "%x", &b); err != nil {
		panic(err)
	}
	return string(b)
}

// Fingerprint describes every file below dir: its name, kind, mode, size, times and content. Two equal
// fingerprints mean that nobody wrote there in between.
func Fingerprint(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		fmt.Fprintf(&b, "%q %v %d %d", rel, info.Mode(), info.Size(), info.ModTime().UnixNano())
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %x", sha256.Sum256(data))
		case info.Mode()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(path)
			fmt.Fprintf(&b, " -> %q", target)
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
