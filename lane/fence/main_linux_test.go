//go:build amd64 || arm64

package fence_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/lane/fence"
)

// inboxEnv hands the folder with the built inbox program to the tests that run
// again as an ordinary user.
const inboxEnv = "LANE_FENCE_TEST_INBOX"

// cacheDir keeps the time zones for all tests.
var cacheDir string

// inboxDir is the host folder that boxes see as store path inboxStore.
var inboxDir string

const inboxStore = "/nix/store/00000000000000000000000000000000-inbox"

func TestMain(m *testing.M) {
	fence.Init()
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	inboxDir = os.Getenv(inboxEnv)
	if name := os.Getenv(againEnv); name != "" {
		return doAgain(name)
	}
	cache, err := os.MkdirTemp("", "lane-fence-cache-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(cache)
	if err := os.Chmod(cache, 0o755); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	cacheDir = cache
	if inboxDir == "" {
		dir, err := buildInbox()
		if dir != "" {
			defer os.RemoveAll(dir)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		inboxDir = dir
	}
	return runBoth(m)
}

// buildInbox builds testdata/inbox, without C, into a folder that every user may
// read.
func buildInbox() (string, error) {
	dir, err := os.MkdirTemp("", "lane-fence-inbox-*")
	if err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return dir, err
	}
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		return dir, err
	}
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "inbox"), "./testdata/inbox")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	if out, err := build.CombinedOutput(); err != nil {
		return dir, fmt.Errorf("build inbox: %v\n%s", err, out)
	}
	for _, name := range []string{"sh", "env"} {
		if err := os.Symlink("inbox", filepath.Join(bin, name)); err != nil {
			return dir, err
		}
	}
	return dir, nil
}

// config is a box with the inbox program and tree, which is handed to the box's
// user.
func config(t testing.TB, tree string) fence.Config {
	t.Helper()
	if tree != "" {
		own(t, tree)
	}
	return fence.Config{
		StorePaths: []fence.Mount{{Host: inboxDir, Box: inboxStore}},
		Path:       []string{inboxStore + "/bin"},
		Tree:       tree,
		Cache:      cacheDir,
		Time:       time.Unix(1_700_000_000, 0),
	}
}

// own hands dir to the box's user, as Lane does with the trees that it exports.
func own(t testing.TB, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, _ os.DirEntry, err error) error {
		if err != nil || os.Geteuid() != 0 {
			return err
		}
		return os.Lchown(p, fence.HostID(0), fence.HostID(0))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// open opens a box that ends with the test.
func open(t testing.TB, c fence.Config) *fence.Box {
	t.Helper()
	b, err := fence.Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// run runs a program of inbox.
func run(t testing.TB, b *fence.Box, argv ...string) fence.Result {
	t.Helper()
	return runCommand(t, b, fence.Command{Argv: append([]string{"inbox"}, argv...)})
}

func runCommand(t testing.TB, b *fence.Box, c fence.Command) fence.Result {
	t.Helper()
	if c.Timeout == 0 {
		c.Timeout = 20 * time.Second
	}
	r, err := b.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ok fails the test unless the run exited 0, and gives its stdout.
func ok(t testing.TB, r fence.Result) string {
	t.Helper()
	if r.End != fence.Exited || r.Exit != 0 {
		t.Fatalf("run ended as %s, exit %d, signal %d %s\nstdout: %s\nstderr: %s", r.End, r.Exit, r.Signal, r.Note, r.Stdout, r.Stderr)
	}
	return r.Stdout.String()
}

// folder makes a tree of files; a name that ends in / is a folder.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(full, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(full, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
