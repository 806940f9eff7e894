package lane

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/mutate"
)

// BenchmarkInferredVerdicts tries all mutants of semver, and those again by the whole command (T0) that had no run of their own because
// of what was recorded: how many they are, how long each took, and how many verdicts differ.
func BenchmarkInferredVerdicts(b *testing.B) {
	spec := "id = \"all\"\nchange = \"tree\"\n[[task]]\nname = \"unit\"\nrun = [\"go\", \"test\", \"./...\"]\n"
	dir := module(b, "github.com/Masterminds/semver/v3@v3.4.0", map[string]string{"lane.toml": spec})
	o := options(b)
	o.Events = nil
	file := filepath.Join(dir, "lane.toml")
	for b.Loop() {
		start := time.Now()
		all, err := Mutate(b.Context(), o, file, MutateOptions{All: true, NoCache: true})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(start).Seconds(), "s-all")
		b.Logf("%v\n%s", all.Score.Counts, strings.Join(all.Facts, "\n"))
		was, ids := map[string]mutate.Verdict{}, []string{}
		for _, r := range all.Results {
			if r.Inferred {
				was[r.Mutant.ID] = r.Verdict
				ids = append(ids, r.Mutant.ID)
			}
		}
		if len(ids) == 0 {
			b.Fatal("every mutant was run")
		}
		start = time.Now()
		again, err := Mutate(b.Context(), o, file, MutateOptions{IDs: ids, NoCache: true, Tier: mutate.T0})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(start).Seconds()/float64(len(ids)), "s-each-at-T0")
		differ, compared := 0, 0
		for _, r := range again.Results {
			if r.Verdict == mutate.NotRun {
				b.Errorf("%s: %s", &r.Mutant, r.Reason)
				continue
			}
			if compared++; r.Verdict != was[r.Mutant.ID] {
				differ++
				b.Errorf("%s: %s without a run, %s at T0 (%v)", &r.Mutant, was[r.Mutant.ID], r.Verdict, r.Killers)
			}
		}
		b.ReportMetric(float64(compared), "compared")
		b.ReportMetric(float64(differ), "differ")
	}
	b.ReportMetric(0, "ns/op")
}
