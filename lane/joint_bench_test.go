package lane

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/mutate"
)

// BenchmarkJointVerdicts tries mutants of modules, and those again in builds of their own (T1) that were noticed in a process with others:
// how many they are, and how many of them nobody notices there.
func BenchmarkJointVerdicts(b *testing.B) {
	spec := "id = \"all\"\nchange = \"tree\"\n[[task]]\nname = \"unit\"\nrun = [\"go\", \"test\", \"./...\"]\n"
	for _, m := range []struct {
		name   string
		sample int // 0 = all
	}{
		{"github.com/Masterminds/semver/v3@v3.4.0", 0}, {"github.com/tidwall/match@v1.2.0", 0},
		{"github.com/BurntSushi/toml@v1.6.0", 400}, {"github.com/google/btree@v1.1.3", 300},
	} {
		b.Run(strings.ReplaceAll(m.name, "/", "_"), func(b *testing.B) {
			file := filepath.Join(module(b, m.name, map[string]string{"lane.toml": spec}), "lane.toml")
			for b.Loop() {
				jointVerdicts(b, file, mutate.Choice{Sample: m.sample, Seed: 1})
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func jointVerdicts(b *testing.B, file string, c mutate.Choice) {
	b.Helper()
	o := options(b)
	o.Events = nil
	start := time.Now()
	all, err := Mutate(b.Context(), o, file, MutateOptions{All: true, NoCache: true, Choice: c})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(time.Since(start).Seconds(), "s-all")
	b.Logf("%v\n%s", all.Score.Counts, strings.Join(all.Facts, "\n"))
	var ids []string
	for _, r := range all.Results {
		if r.Joint {
			ids = append(ids, r.Mutant.ID)
		}
	}
	b.ReportMetric(float64(len(ids)), "noticed-jointly")
	if len(ids) == 0 {
		return
	}
	again, err := Mutate(b.Context(), o, file, MutateOptions{IDs: ids, NoCache: true, Tier: mutate.T1})
	if err != nil {
		b.Fatal(err)
	}
	lived, compared := 0, 0
	for _, r := range again.Results {
		if r.Verdict == mutate.NotRun {
			b.Errorf("%s: %s", &r.Mutant, r.Reason)
			continue
		}
		if compared++; r.Verdict != mutate.Killed {
			lived++
			b.Errorf("%s: killed beside others, %s alone (%s)", &r.Mutant, r.Verdict, r.Reason)
		}
	}
	b.ReportMetric(float64(compared), "compared")
	b.ReportMetric(float64(lived), "not-killed-alone")
}
