package wasi_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/fence/wasi"
)

// aloneEnv makes the test program run one guest for ever: what TestTheGuestEndsWithItsCaller kills.
const aloneEnv = "LANE_WASI_TEST_ALONE"

// guestModule is the built testdata/guest, cacheDir the folder of compiled modules of all tests.
var guestModule, cacheDir string

func TestMain(m *testing.M) {
	wasi.Init()
	if module := os.Getenv(aloneEnv); module != "" {
		alone(module)
	}
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "lane-wasi-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	guestModule, cacheDir = filepath.Join(dir, "guest.wasm"), filepath.Join(dir, "compiled")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", guestModule, ".")
	build.Dir = "testdata/guest"
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the guest: %v\n%s", err, out)
		return 1
	}
	if err := wasi.OpenCache(cacheDir, 1<<30); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// common is one tree for all tests that leave it as it is.
func common(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(filepath.Dir(guestModule), "tree")
	if _, err := os.Stat(dir); err != nil {
		fillTree(t, dir)
	}
	return dir
}

// makeTree is a tree of the test's own.
func makeTree(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tree")
	fillTree(t, dir)
	return dir
}

// fillTree makes a tree with files, links that lead out of it, and a long folder.
func fillTree(t *testing.T, dir string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(dir, 0o755))
	for _, d := range []string{"links", "many", "names"} {
		must(os.Mkdir(filepath.Join(dir, d), 0o755))
	}
	must(os.WriteFile(filepath.Join(dir, "file"), []byte("of the tree"), 0o644))
	must(os.WriteFile(filepath.Join(dir, "links", "inside"), []byte("inside"), 0o644))
	for name, to := range map[string]string{
		"absolute": "/etc/passwd", "relative": "../../../../../../../../../etc/passwd", "through": "../links/relative", "folder": "/etc", "self": "self",
	} {
		must(os.Symlink(to, filepath.Join(dir, "links", name)))
	}
	for i := range 3000 {
		must(os.WriteFile(filepath.Join(dir, "many", fmt.Sprint(i)), nil, 0o644))
	}
	must(os.WriteFile(filepath.Join(dir, "names", "a b\nc"), []byte("odd"), 0o644))
}

// config is that of a box on a tree in which the guest is the program /lane/guest.
func config(tree string) wasi.Config {
	return wasi.Config{
		Tree: tree, Programs: map[string]string{"/lane/guest": guestModule}, Cache: cacheDir,
		Time: time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC), Limits: fence.Limits{Memory: 256 << 20, Disk: 32 << 20, Inodes: 30_000, Output: 8 << 20},
	}
}

// attack runs the guest with arguments.
func attack(t *testing.T, b *wasi.Box, args ...string) fence.Result {
	t.Helper()
	return command(t, b, fence.Command{Argv: append([]string{"/lane/guest"}, args...), Timeout: 2 * time.Minute})
}

func command(t *testing.T, b *wasi.Box, c fence.Command) fence.Result {
	t.Helper()
	res, err := b.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// ends wants a result to have an end and, where the guest ended by itself, an exit status.
func ends(t *testing.T, r fence.Result, end fence.End, exit int) {
	t.Helper()
	if r.End != end || end == fence.Exited && r.Exit != exit {
		t.Fatalf("ended as %s %d (%s), want %s %d\n%s%s", r.End, r.Exit, r.Note, end, exit, r.Stdout, r.Stderr)
	}
}

// prints wants the guest to have ended well and to have printed exactly this.
func prints(t *testing.T, r fence.Result, want string) {
	t.Helper()
	ends(t, r, fence.Exited, 0)
	if got := r.Stdout.String(); got != want {
		t.Errorf("printed:\n%s\nwant:\n%s", got, want)
	}
}

// refuses wants every attempt that the guest tells of to have been refused, and at least so many of them.
func refuses(t *testing.T, r fence.Result, least int) {
	t.Helper()
	ends(t, r, fence.Exited, 0)
	n := 0
	for line := range bytes.Lines(r.Stdout.Head) {
		if strings.HasSuffix(string(line), ": DONE\n") {
			t.Errorf("the guest could %s", line)
		}
		if strings.HasSuffix(string(line), ": refused\n") {
			n++
		}
	}
	if n < least {
		t.Errorf("%d attempts were refused, want %d:\n%s", n, least, r.Stdout)
	}
}
