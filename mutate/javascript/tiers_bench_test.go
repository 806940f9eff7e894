//go:build linux

package javascript_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vallane/lane/internal/testbox"
	"github.com/vallane/lane/internal/testsource"
	"github.com/vallane/lane/mutate"
)

const mutated = "index.js"

// BenchmarkTiers tries all mutants of process-warning by each tier alone, says how many a second that makes, and lists those whose verdicts
// are not those of T0.
func BenchmarkTiers(b *testing.B) {
	dir := processWarning(b)
	testbox.Give(b, dir)
	for b.Loop() {
		whole := map[string]mutate.Verdict{}
		for _, tier := range []mutate.Tier{mutate.T0, mutate.T1, mutate.T2} {
			e, found := newEngine(b, newTask(b, "node", "--test"), dir, mutated)
			e.Tier = tier
			start, judged := time.Now(), time.Duration(0)
			e.OnEvent = func(ev mutate.Event) {
				if ev.Kind == mutate.EventMutant && ev.Done == ev.Total && judged == 0 {
					judged = time.Since(start)
				}
			}
			rep := mutants(b, e, found)
			b.ReportMetric(float64(tried(rep))/judged.Seconds(), string(tier)+"/s")
			differ := 0
			for _, r := range rep.Results {
				if tier == mutate.T0 {
					whole[r.Mutant.ID] = r.Verdict
				} else if r.Tier == tier && r.Verdict != whole[r.Mutant.ID] {
					differ++
					b.Logf("%s: %s at %s (%s), %s at T0", &r.Mutant, r.Verdict, tier, r.Reason, whole[r.Mutant.ID])
				}
			}
			b.ReportMetric(float64(differ), string(tier)+"-differ")
			b.Logf("%s: %d mutants, %v", tier, tried(rep), rep.Score)
		}
		b.ReportMetric(0, "ns/op")
	}
}

// processWarning is a project whose tests are of node:test, without the one that is of another runner.
func processWarning(b *testing.B) string {
	dir := testsource.Npm(b, "process-warning@5.0.0", "process-warning-5.0.0.tgz", "9220188a409e3593eb8fb481d2f4714edfb8514aedfb8711a713fc2338fc6b92")
	must(b, os.Remove(filepath.Join(dir, "test", "jest.test.js")))
	return dir
}
