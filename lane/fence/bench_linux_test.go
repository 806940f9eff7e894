//go:build amd64 || arm64

package fence_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/lane/fence"
)

// BenchmarkLargeClosure compares a box whose closure has 300 paths with one of a single path: what opening takes longer, and what each run
// does. Both are opened and used in turns.
func BenchmarkLargeClosure(b *testing.B) {
	few, many := config(b, ""), config(b, "")
	store := b.TempDir()
	if err := os.Chmod(filepath.Dir(store), 0o755); err != nil {
		b.Fatal(err)
	}
	for i := range 300 {
		name := fmt.Sprintf("%032d-path", i)
		if err := os.Mkdir(filepath.Join(store, name), 0o755); err != nil {
			b.Fatal(err)
		}
		many.StorePaths = append(many.StorePaths, fence.Mount{Host: filepath.Join(store, name), Box: "/nix/store/" + name})
	}
	var opened, ran [2][]time.Duration
	for b.Loop() {
		for i, c := range []fence.Config{few, many} {
			start := time.Now()
			box, err := fence.Open(b.Context(), c)
			if err != nil {
				b.Fatal(err)
			}
			opened[i] = append(opened[i], time.Since(start))
			for range 5 {
				start := time.Now()
				if r, err := box.Run(b.Context(), fence.Command{Argv: []string{"inbox", "write", "/tree/new", "x"}}); err != nil || r.Exit != 0 {
					b.Fatal(err, r)
				}
				ran[i] = append(ran[i], time.Since(start))
			}
			if err := box.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
	for i, name := range []string{"1-path", "300-paths"} {
		b.ReportMetric(median(opened[i]), "open-"+name+"-ms")
		b.ReportMetric(median(ran[i]), "run-"+name+"-ms")
	}
	b.ReportMetric(0, "ns/op")
}

func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2].Microseconds()) / 1000
}

// BenchmarkManyRuns says what many runs in one box leave: -benchtime 10000x. Growth is from the hundredth run on.
func BenchmarkManyRuns(b *testing.B) {
	box, err := fence.Open(b.Context(), config(b, ""))
	if err != nil {
		b.Fatal(err)
	}
	defer box.Close()
	var before [4]float64
	count := func() [4]float64 {
		mounts, _ := os.ReadFile("/proc/self/mountinfo")
		groups, boxes := fence.Leftovers()
		return [4]float64{resident(b), float64(bytes.Count(mounts, []byte{'\n'})), float64(openDescriptors(b)), float64(len(groups) + len(boxes))}
	}
	n := 0
	for b.Loop() {
		if n++; n == 100 {
			before = count()
		}
		if r, err := box.Run(b.Context(), fence.Command{Argv: []string{"inbox", "write", "/tree/new", "x"}, Events: func([]byte) {}}); err != nil || r.Exit != 0 {
			b.Fatal(err, r)
		}
	}
	after := count()
	for i, unit := range []string{"KiB-grown", "mounts-left", "descriptors-left", "boxes-left"} {
		b.ReportMetric(after[i]-before[i], unit)
	}
}

// resident is the memory of this process and of its boxes, in KiB.
func resident(b *testing.B) (sum float64) {
	files, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(data), fmt.Sprintf("\nPPid:\t%d\n", os.Getpid())) && filepath.Dir(name) != fmt.Sprintf("/proc/%d", os.Getpid()) {
			continue
		}
		for line := range strings.Lines(string(data)) {
			var kib float64
			if n, _ := fmt.Sscanf(line, "VmRSS: %f kB", &kib); n == 1 {
				sum += kib
			}
		}
	}
	return sum
}
