package lane

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/internal/testclosure"
)

// manyMutants makes a repository whose module has six mutants for each of n functions, of which a test reaches the first few.
func manyMutants(b *testing.B, n int) (spec string) {
	b.Helper()
	var code strings.Builder
	code.WriteString("package many\n")
	for i := range n {
		fmt.Fprintf(&code, "\nfunc F%d(a, b int) int {\n\tif a > b {\n\t\treturn a - b\n\t}\n\treturn a + b\n}\n", i)
	}
	dir := filepath.Join(b.TempDir(), "repo")
	if err := os.Mkdir(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{
		"flake.nix": string(testclosure.Flake()), "go.mod": "module many.example\n\ngo 1.24\n", "many.go": code.String(),
		"many_test.go": "package many\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {\n\tif F0(3, 1) != 2 || F1(1, 3) != 4 {\n\t\tt.Error(\"F\")\n\t}\n}\n",
		"lane.toml":    "id = \"many\"\n[[task]]\nname = \"unit\"\nrun = [\"go\", \"test\", \"./...\"]\n",
	} {
		write(b, dir, name, text)
	}
	git(b, dir, "init", "-q", "-b", "main")
	git(b, dir, "add", "-A")
	git(b, dir, "commit", "-q", "-m", "many")
	return filepath.Join(dir, "lane.toml")
}

// BenchmarkAgain asks about the same 1,000 mutants and more again, where nothing has changed: no test may be run.
func BenchmarkAgain(b *testing.B) {
	spec := manyMutants(b, 170)
	o := options(b)
	o.Events = nil
	first, err := Mutate(b.Context(), o, spec, MutateOptions{All: true})
	if err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		again, err := Mutate(b.Context(), o, spec, MutateOptions{All: true})
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
		if !again.Unchanged || len(again.Results) != len(first.Results) {
			b.Fatalf("%d of %d verdicts, and tests were run: %t", len(again.Results), len(first.Results), !again.Unchanged)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms")
	b.ReportMetric(float64(len(first.Results)), "mutants")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkMemory tries 100 mutants, and then 10,000, and says how much more memory was in use at most.
func BenchmarkMemory(b *testing.B) {
	few, many := manyMutants(b, 17), manyMutants(b, 1700)
	o := options(b)
	for b.Loop() {
		one, n := peakOf(b, o, few)
		all, m := peakOf(b, o, many)
		b.ReportMetric(one, "MiB-at-first")
		b.ReportMetric(all, "MiB-at-last")
		b.ReportMetric((all-one)*1024/float64(m-n), "KiB-each")
		b.ReportMetric(float64(m), "mutants")
	}
	b.ReportMetric(0, "ns/op")
}

// peakOf is the most memory, in MiB, that was live on the heap while the mutants of a spec were tried, and how many there were.
func peakOf(b *testing.B, o Options, spec string) (most float64, mutants int) {
	b.Helper()
	var last time.Time
	o.Events = func(e Event) {
		if e.Phase != "mutants" || time.Since(last) < time.Second && e.Done < e.Total {
			return
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, float64(m.HeapAlloc)/(1<<20))
		last = time.Now()
	}
	out, err := Mutate(b.Context(), o, spec, MutateOptions{All: true, NoCache: true})
	if err != nil {
		b.Fatal(err)
	}
	return most, len(out.Results)
}
