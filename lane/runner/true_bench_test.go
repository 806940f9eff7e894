package runner

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/lane/fence"
)

// treeOf makes a tree of so many folders, 100 files in each, which the user of boxes may read.
func treeOf(b *testing.B, folders int, content string) string {
	b.Helper()
	dir := b.TempDir()
	for p := dir; p != os.TempDir() && p != "/"; p = filepath.Dir(p) {
		os.Chmod(p, 0o755)
	}
	tree := filepath.Join(dir, "tree")
	for i := range folders {
		sub := filepath.Join(tree, fmt.Sprint(i))
		if err := os.MkdirAll(sub, 0o755); err != nil {
			b.Fatal(err)
		}
		for j := range 100 {
			if err := os.WriteFile(filepath.Join(sub, fmt.Sprint(j)), []byte(content), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	own(b, tree)
	return tree
}

// BenchmarkTrue runs `true` on a tree of 30,000 files: in a warm box whose tree is reset for each run, in a sandbox of bubblewrap on
// the same tree, which it leaves as it is, and in one with the same binds on a tree that is copied for each run. It needs bubblewrap, which .ci/deps bench
// installs.
func BenchmarkTrue(b *testing.B) {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		b.Fatal("bubblewrap is not installed: run .ci/deps bench")
	}
	c := testclosure.Python(b)
	tree := treeOf(b, 300, "x")
	dir := filepath.Dir(tree)
	config := fence.Config{Tree: tree, Path: c.PathDirs()}
	root := c.Paths[0]
	for _, p := range c.Paths {
		config.StorePaths = append(config.StorePaths, fence.Mount{Host: p.Host, Box: p.StorePath})
	}
	box, err := fence.Open(b.Context(), config)
	if err != nil {
		b.Fatal(err)
	}
	defer box.Close()
	run := func(cmd *exec.Cmd) {
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%s: %v\n%s", cmd.Args, err, out)
		}
	}
	boxed := func() {
		res, err := box.Run(b.Context(), fence.Command{Argv: []string{"touch", "/tree/0/new"}})
		if err != nil || res.Exit != 0 {
			b.Fatalf("boxed: %v, %+v", err, res)
		}
	}
	busybox := root.StorePath + "/bin/busybox"
	sandbox := func(tree string) {
		run(exec.Command(bwrap, "--unshare-all", "--die-with-parent", "--ro-bind", root.Host, root.StorePath, "--bind", tree, "/tree",
			"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/tree", busybox, "true"))
	}
	copied := func() {
		fresh := filepath.Join(dir, "fresh")
		run(exec.Command("cp", "-a", tree, fresh))
		sandbox(fresh)
		run(exec.Command("rm", "-rf", fresh))
	}
	var boxes, sandboxes, copies []time.Duration
	took := func(do func()) time.Duration {
		start := time.Now()
		do()
		return time.Since(start)
	}
	took(boxed)
	for i := 0; b.Loop(); i++ {
		boxes = append(boxes, took(boxed))
		sandboxes = append(sandboxes, took(func() { sandbox(tree) }))
		if i%10 == 0 {
			copies = append(copies, took(copied))
		}
	}
	ms := func(d []time.Duration) float64 { return float64(median(d).Microseconds()) / 1000 }
	b.ReportMetric(ms(boxes), "lane-ms")
	b.ReportMetric(ms(sandboxes), "bwrap-ms")
	b.ReportMetric(ms(copies), "bwrap-fresh-tree-ms")
	b.ReportMetric(ms(sandboxes)/ms(boxes), "x-bwrap")
	b.ReportMetric(ms(copies)/ms(boxes), "x-bwrap-fresh-tree")
	b.ReportMetric(0, "ns/op")
}
