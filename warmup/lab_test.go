package warmup

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// lab is a private store with a state of its own, in which real Nix builds test
// flakes. Nothing of it touches the machine's store.
type lab struct {
	Options
	t    testing.TB
	mu   sync.Mutex
	said []string
}

func newLab(t testing.TB) *lab {
	t.Helper()
	dir := t.TempDir()
	// What is in a store cannot be written to, nor removed by an ordinary user.
	t.Cleanup(func() { makeWritable(dir) })
	// A home folder can have any name; Nix's notations give meaning to much of it.
	l := &lab{t: t, Options: Options{State: filepath.Join(dir, "st ate#1%20=?ü"), Private: filepath.Join(dir, "root")}}
	l.Log = func(s string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.said = append(l.said, s)
	}
	return l
}

func makeWritable(dir string) {
	_ = filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			_ = os.Chmod(p, 0o755)
		}
		return nil
	})
}

// heard counts the lines of the log that contain text.
func (l *lab) heard(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, s := range l.said {
		if strings.Contains(s, text) {
			n++
		}
	}
	return n
}

func (l *lab) warm(src Source) *Closure {
	l.t.Helper()
	c, err := l.Warm(l.t.Context(), src)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { c.Close() })
	return c
}

// nix runs a tool of Nix on the lab's store.
func (l *lab) nixTool(argv ...string) string {
	l.t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "USER=lane", "HOME="+l.t.TempDir(), "NIX_REMOTE="+l.Private, "NIX_CONFIG=experimental-features = nix-command\nsubstituters =\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		l.t.Fatalf("%v: %v\n%s", argv, err, out)
	}
	return strings.TrimSpace(string(out))
}

var builder = sync.OnceValues(func() ([]byte, error) {
	if made := os.Getenv("LANE_TEST_BUILDER"); made != "" {
		return os.ReadFile(made)
	}
	dir, err := os.MkdirTemp("", "lane-builder-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", filepath.Join(dir, "builder"), "./testdata/builder")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, &exec.Error{Name: string(out), Err: err}
	}
	return os.ReadFile(filepath.Join(dir, "builder"))
})

// flake is an environment whose packages are built by the test builder. Each
// line of packages is an attribute; "mk name { env }" is a derivation.
func flake(t testing.TB, packages string) Source {
	t.Helper()
	bin, err := builder()
	if err != nil {
		t.Fatal(err)
	}
	return Source{
		Files: map[string]File{
			"flake.nix": {Data: []byte(`{
  outputs = { self }: let
    tools = builtins.path { path = ./tools; name = "tools"; };
    mk = name: env: derivation ({ inherit name; system = "x86_64-linux"; builder = "${tools}/builder"; } // env);
  in { packages.x86_64-linux = rec {
` + packages + `
  }; };
}`)},
			"tools/builder": {Data: bin, Mode: 0o755},
		},
		Attr:   "lane-env",
		System: "x86_64-linux",
	}
}

// two is a closure of two built paths, one of which refers to the other.
const two = `
    dep = mk "dep" { content = "dep"; };
    lane-env = mk "env" { content = "env"; inherit dep; };`

// bare is an environment of a flake.nix alone, for what is refused before
// anything is built.
func bare(nix string) Source {
	return Source{Files: map[string]File{"flake.nix": {Data: []byte(nix)}}, Attr: "lane-env", System: "x86_64-linux"}
}
