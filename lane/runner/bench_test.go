package runner

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/internal/testsource"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe/python"
)

// BenchmarkSemverSuite runs the suite of Masterminds/semver bare and in a warm box, in turns, each with a
// warm build cache, and reports the medians and what the box adds.
func BenchmarkSemverSuite(b *testing.B) {
	t := goTask(b)
	dir := b.TempDir()
	for p := dir; p != os.TempDir() && p != "/"; p = filepath.Dir(p) {
		os.Chmod(p, 0o755)
	}
	tree := filepath.Join(dir, "tree")
	copyModule(b, "github.com/Masterminds/semver/v3@v3.4.0", tree)
	cache, bare := filepath.Join(dir, "cache"), filepath.Join(dir, "bare")
	for _, d := range []string{cache, bare} {
		if err := os.Mkdir(d, 0o755); err != nil {
			b.Fatal(err)
		}
	}
	own(b, dir)
	cold := t.On(tree, "")
	if err := cold.Warm(b.Context(), cache); err != nil {
		b.Fatal(err)
	}
	cold.Close()
	stage := t.On(tree, cache)
	defer stage.Close()

	host := func() time.Duration {
		goroot := filepath.Dir(t.host(t.Path[0] + "/go"))
		cmd := exec.Command(filepath.Join(goroot, "go"), "test", "-count=1", "./...")
		cmd.Dir = tree
		cmd.Env = []string{"PATH=" + goroot, "HOME=" + bare, "GOCACHE=" + bare, "GOTOOLCHAIN=local", "GOFLAGS=-buildvcs=false", "CGO_ENABLED=0"}
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("bare: %v\n%s", err, out)
		}
		return time.Since(start)
	}
	boxed := func() time.Duration {
		start := time.Now()
		seen, err := stage.Run(b.Context(), Order{})
		took := time.Since(start)
		if err != nil || seen.Box.End != fence.Exited || seen.Box.Exit != 0 || len(seen.Session.Tests) == 0 {
			b.Fatalf("boxed: %v, %s %d\n%s", err, seen.Box.End, seen.Box.Exit, seen.Output())
		}
		return took
	}
	inTurns(b, host, boxed)
}

// inTurns measures two things in turns, after one of each that does not count, and reports their medians.
func inTurns(b *testing.B, bare, boxed func() time.Duration) {
	bare()
	boxed()
	var bares, boxes []time.Duration
	for b.Loop() {
		bares = append(bares, bare())
		boxes = append(boxes, boxed())
	}
	h, x := median(bares), median(boxes)
	b.ReportMetric(float64(h.Microseconds())/1000, "bare-ms")
	b.ReportMetric(float64(x.Microseconds())/1000, "boxed-ms")
	b.ReportMetric(float64((x-h).Microseconds())/1000, "added-ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkToolzSuite does the same for the suite of toolz, and reports what pytest's own start costs, which is part of both.
func BenchmarkToolzSuite(b *testing.B) {
	c := testclosure.Python(b)
	t := &Task{
		Name: "unit", Argv: []string{"python3", "-m", "pytest", "-q", "toolz"}, Timeout: 2 * time.Minute, Reporter: python.Pytest{},
		Path: c.PathDirs(), Time: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC), Zones: filepath.Join(os.TempDir(), "lane-test-zones"),
	}
	for _, p := range c.Paths {
		t.Store = append(t.Store, fence.Mount{Host: p.Host, Box: p.StorePath})
	}
	src := testsource.Debian(b, "toolz", "0.12.0-1", "toolz_0.12.0.orig.tar.gz", "04d555d7ccb3c84301eaad310dd27ba511ae3dcf331ada5828d7cc03942f2c2e")
	dir := b.TempDir()
	for p := dir; p != os.TempDir() && p != "/"; p = filepath.Dir(p) {
		os.Chmod(p, 0o755)
	}
	tree, cache, bytecode := filepath.Join(dir, "tree"), filepath.Join(dir, "cache"), filepath.Join(dir, "bytecode")
	if err := errors.Join(os.CopyFS(tree, os.DirFS(src)), os.Mkdir(cache, 0o755), os.Mkdir(bytecode, 0o755)); err != nil {
		b.Fatal(err)
	}
	own(b, dir)
	cold := t.On(tree, "")
	if err := cold.Warm(b.Context(), cache); err != nil {
		b.Fatal(err)
	}
	cold.Close()
	stage := t.On(tree, cache)
	defer stage.Close()
	bare := func(args ...string) time.Duration {
		cmd := exec.Command(t.host(t.Path[0]+"/python3"), args...)
		cmd.Dir = tree
		cmd.Env = []string{"PATH=" + filepath.Dir(cmd.Path), "HOME=" + dir, "PYTHONPYCACHEPREFIX=" + bytecode, "LANG=C.UTF-8"}
		start := time.Now()
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState.ExitCode() > 1 {
			b.Fatalf("bare: %v\n%s", err, out)
		}
		return time.Since(start)
	}
	inTurns(b, func() time.Duration { return bare(t.Argv[1:]...) }, func() time.Duration {
		start := time.Now()
		seen, err := stage.Run(b.Context(), Order{})
		took := time.Since(start)
		if err != nil || seen.Box.End != fence.Exited || len(seen.Session.Tests) < 100 {
			b.Fatalf("boxed: %v, %s %d\n%s", err, seen.Box.End, seen.Box.Exit, seen.Output())
		}
		return took
	})
	var starts []time.Duration
	for range 9 {
		starts = append(starts, bare("-m", "pytest", "--version"))
	}
	b.ReportMetric(float64(median(starts).Microseconds())/1000, "pytest-start-ms")
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func copyModule(t testing.TB, name, dir string) {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", name)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("fetch %s: %v\n%s", name, err, out)
	}
	var got struct{ Dir string }
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(got.Dir)); err != nil {
		t.Fatal(err)
	}
	filepath.WalkDir(dir, func(path string, d os.DirEntry, _ error) error {
		if d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return os.Chmod(path, 0o644)
	})
}
