package warmup

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/vallane/lane/warmup/stage"
)

// repository is a git repository of another user with a flake, 200 MB of
// ignored files, and a pipe that blocks whoever opens it.
func repository(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	for name, f := range flake(t, two).Files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, f.Data, 0o644|f.Mode); err != nil {
			t.Fatal(err)
		}
	}
	git(t, dir, "init", "-q")
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("cache\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "add", ".")
	if err := os.Mkdir(filepath.Join(dir, "cache"), 0o755); err != nil {
		t.Fatal(err)
	}
	huge, err := os.Create(filepath.Join(dir, "cache", "huge"))
	if err != nil {
		t.Fatal(err)
	}
	defer huge.Close()
	if err := huge.Truncate(200 << 20); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "cache", "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		err := filepath.WalkDir(dir, func(p string, _ os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(p, 65534, 65534)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// N2 and N3: staging reads flake.nix, flake.lock and the declared extras; Nix
// sees those and never the repository, which is not even there when it runs.
func TestNixNeverOpensTheRepository(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	files, err := stage.Read(os.DirFS(dir), ".", "tools")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, dir+"-elsewhere"); err != nil {
		t.Fatal(err)
	}
	l := newLab(t)
	c := l.warm(Source{Files: files, Attr: "lane-env", System: "x86_64-linux"})
	staged := filepath.Join(envDir(l.State, c.Key), "flake")
	var names []string
	if err := filepath.WalkDir(staged, func(p string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, strings.TrimPrefix(p, staged+"/"))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"flake.nix", "tools/builder"}; !slices.Equal(names, want) {
		t.Errorf("staged %q", names)
	}
	out, err := exec.Command("du", "-sk", "--apparent-size", l.Private, l.State).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if kib, _, _ := strings.Cut(line, "\t"); len(kib) > 5 {
			t.Errorf("the store or the state holds %s", line)
		}
	}
}
