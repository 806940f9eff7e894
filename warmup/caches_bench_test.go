package warmup

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/warmup/nar"
	"github.com/vallane/lane/warmup/store"
)

// The bar: a cold closure of 200 MB out of a folder, compressed by zstd, 1.2 times as fast as Nix 2.8 has the same paths. Lane's share
// ends with the closure sealed, Nix's with the paths in its database.
func BenchmarkColdRealise(b *testing.B) {
	cache := b.TempDir()
	lock, bytes := goPaths(b, cache)
	var ours, theirs []time.Duration
	for range b.N {
		ours = append(ours, realiseByLane(b, lock, cache))
		theirs = append(theirs, realiseByNix(b, lock, cache))
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	us, them := ours[len(ours)/2], theirs[len(theirs)/2]
	b.ReportMetric(float64(bytes)/1e6, "MB")
	b.ReportMetric(us.Seconds(), "lane-s")
	b.ReportMetric(them.Seconds(), "nix-s")
	b.ReportMetric(them.Seconds()/us.Seconds(), "x-nix")
	b.ReportMetric(0, "ns/op")
}

// goPaths adds the parts of the Go distribution to a store, one path each, and has Nix write them into a cache.
func goPaths(b *testing.B, cache string) (*Lock, int64) {
	b.Helper()
	l := &Lock{StoreDir: "/nix/store", System: "x86_64-linux", Key: strings.Repeat("0", 64)}
	root, tree := b.TempDir(), b.TempDir()
	goroot, err := exec.CommandContext(b.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { makeWritable(root) })
	var paths []string
	for _, from := range []string{"src/cmd", "src/net", "src/runtime", "src/internal", "src/crypto", "src/vendor", "pkg/tool", "bin", "test", "api"} {
		at := filepath.Join(tree, strings.ReplaceAll("go-"+from, "/", "-"))
		if err := os.CopyFS(at, os.DirFS(filepath.Join(strings.TrimSpace(string(goroot)), from))); err != nil {
			b.Fatal(err)
		}
		paths = append(paths, benchNix(b, root, "nix-store", "--add-fixed", "--recursive", "sha256", at))
	}
	benchNix(b, root, append([]string{"nix", "copy", "--to", "file://" + cache + "?compression=zstd", "--from", root}, paths...)...)
	home := b.TempDir()
	o, err := Options{State: home, Private: root}.check()
	if err == nil {
		err = os.Mkdir(filepath.Join(home, "conf"), 0o700)
	}
	if err != nil {
		b.Fatal(err)
	}
	infos, err := o.nix(home).PathInfo(b.Context(), false, paths...)
	if err != nil {
		b.Fatal(err)
	}
	var bytes int64
	for _, i := range infos {
		l.Paths = append(l.Paths, LockPath{Path: i.Path, Type: store.TypeFolder, NarHash: nar.SRI(i.SHA256), NarSize: i.NarSize, CA: i.CA, References: []string{}, Signatures: []string{}})
		bytes += i.NarSize
	}
	l.Outputs = paths[:1]
	l.seal()
	return l, bytes
}

func benchNix(b *testing.B, root string, argv ...string) string {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "USER=lane", "HOME="+b.TempDir(), "NIX_REMOTE="+root, "NIX_CONFIG=experimental-features = nix-command\nsubstituters =\n")
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("%v: %v", argv, err)
	}
	return strings.TrimSpace(string(out))
}

func realiseByLane(b *testing.B, l *Lock, cache string) time.Duration {
	dir := b.TempDir()
	defer removeAll(filepath.Join(dir, "root"))
	o, err := Options{State: filepath.Join(dir, "state"), Private: filepath.Join(dir, "root"), WithoutNix: true, Substituters: []string{"file://" + cache}}.check()
	if err != nil {
		b.Fatal(err)
	}
	r := &realisation{Options: o, key: l.Key}
	start := time.Now()
	if err := r.fetchPaths(b.Context(), l); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

func realiseByNix(b *testing.B, l *Lock, cache string) time.Duration {
	root := filepath.Join(b.TempDir(), "root")
	defer removeAll(root)
	argv := []string{"nix", "copy", "--from", "file://" + cache, "--to", root}
	for _, p := range l.Paths {
		argv = append(argv, p.Path)
	}
	start := time.Now()
	benchNix(b, root, argv...)
	return time.Since(start)
}
