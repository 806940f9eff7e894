package warmup

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/vallane/lane/warmup/nar"
)

// fakeClosure is a locked closure of n paths of some files each, in a store
// without Nix.
func fakeClosure(b *testing.B, n, files int) (o Options, key string, size int) {
	b.Helper()
	dir := b.TempDir()
	o = Options{State: filepath.Join(dir, "state"), Private: filepath.Join(dir, "root"), StoreDir: "/nix/store"}
	l := sampleLock()
	l.Paths, l.Outputs = nil, nil
	for i := range n {
		p := fmt.Sprintf("/nix/store/%032d-path-%d", i, i)
		for j := range files {
			sub := filepath.Join(o.Private+p, fmt.Sprint("sub", j/50))
			if err := os.MkdirAll(sub, 0o755); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(sub, fmt.Sprint(j)), []byte(p), 0o444); err != nil {
				b.Fatal(err)
			}
		}
		sum, err := nar.Hash(b.Context(), o.Private+p)
		if err != nil {
			b.Fatal(err)
		}
		l.Paths = append(l.Paths, LockPath{Path: p, Type: "folder", NarHash: sum.SRI(), NarSize: sum.Size, References: []string{}, Signatures: []string{}})
		l.Outputs = []string{p}
	}
	l.seal()
	data, err := l.Marshal()
	if err != nil {
		b.Fatal(err)
	}
	if err := write(o.State, l.Key, data); err != nil {
		b.Fatal(err)
	}
	return o, l.Key, n * files
}

func load(b *testing.B, o Options, key string, level Level) {
	b.Helper()
	c, err := o.load(b.Context(), key, level)
	if err != nil {
		b.Fatal(err)
	}
	c.Close()
}

// The bar: 50 paths at lstat within 2 ms, no child process.
func BenchmarkLoadLstat50Paths(b *testing.B) {
	o, key, _ := fakeClosure(b, 50, 1)
	for b.Loop() {
		load(b, o, key, LevelLstat)
	}
}

// The bar: 500 paths within 10 ms.
func BenchmarkLoadLstat500Paths(b *testing.B) {
	o, key, _ := fakeClosure(b, 500, 1)
	for b.Loop() {
		load(b, o, key, LevelLstat)
	}
}

// The bar: 12 cold starts at once on a fresh store come to one realisation and 12 successes, 20 times in a row; by binary caches, and by Nix.
func BenchmarkTwelveColdStarts(b *testing.B) {
	const inARow = 20
	for _, with := range []string{"caches", "nix"} {
		b.Run(with, func(b *testing.B) {
			s := newShop(b)
			for b.Loop() {
				for range inARow {
					if with == "nix" {
						twelveWarmUps(b, newLab(b), flake(b, slow))
					} else {
						s.twelve(b, s.visitor(b))
					}
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/inARow, "s/time")
		})
	}
}

// The bar: 4 µs a file.
func BenchmarkLoadSealed(b *testing.B) {
	o, key, files := fakeClosure(b, 10, 1000)
	load(b, o, key, LevelSealed)
	for b.Loop() {
		load(b, o, key, LevelSealed)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(files), "µs/file")
}
