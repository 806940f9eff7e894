//go:build linux

package gotest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// oldest is the oldest release of Go that is promised to work; the one that runs these tests is the newest.
const oldest = "1.21.13"

// layRelease brings a release of Go here by the go command's own download, which checks it, and makes it runnable: module archives lose
// the run bits.
func layRelease(t *testing.T, version string) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", "golang.org/toolchain@v0.0.1-go"+version+".linux-"+runtime.GOARCH)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	var got struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &got); jsonErr != nil || got.Dir == "" {
		t.Fatalf("download Go %s: %v %s", version, err, got.Error)
	}
	root := t.TempDir()
	link := func(names ...string) {
		for _, name := range names {
			if err := os.Symlink(filepath.Join(got.Dir, name), filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Mkdir(filepath.Join(root, "pkg"), 0o755); err != nil {
		t.Fatal(err)
	}
	link("src", "lib", "VERSION", "go.env", "pkg/include")
	for _, dir := range []string{"bin", "pkg/tool"} {
		if err := os.CopyFS(filepath.Join(root, dir), os.DirFS(filepath.Join(got.Dir, dir))); err != nil {
			t.Fatal(err)
		}
		err := filepath.WalkDir(filepath.Join(root, dir), func(name string, _ os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Chmod(name, 0o755)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestOldestRelease(t *testing.T) {
	root := layRelease(t, oldest)
	for _, s := range stories {
		if s.argv != "" || !slices.Contains([]string{
			"parallel_subtests", "panics", "fuzz_seeds", "examples", "fails_from_elsewhere", "syscall_exit_in_test", "tests_the_testing_package",
		}, s.project) {
			continue
		}
		t.Run(s.project, func(t *testing.T) {
			b := newBench(t, s.project)
			b.goroot = root
			s.check(t, b)
		})
	}
	t.Run("canary", func(t *testing.T) {
		b := newBench(t, "passes")
		b.goroot = root
		r := b.request("go", "test", "./...")
		r.Canaries = true
		p := b.instrument(t, r)
		o := b.run(t, p)
		if unseen := o.session.CanariesUnseen(p.Canaries); len(unseen) > 0 || len(o.session.Problems) > 0 || !o.session.Complete() {
			t.Errorf("unseen %v, problems %q\n%s", unseen, o.session.Problems, o.output)
		}
	})
}
