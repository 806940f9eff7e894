package lane

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/mutate"
)

// gremlinsVersion is the last release of gremlins.
const gremlinsVersion = "v0.6.0"

// BenchmarkGremlins tries the mutants of semver, and has gremlins try its own, two at once in both. It says how many mutants a second
// each judges, from nothing but warm build caches on, and how often the two agree about those that both made.
func BenchmarkGremlins(b *testing.B) {
	spec := "id = \"all\"\nchange = \"tree\"\n[[task]]\nname = \"unit\"\nrun = [\"go\", \"test\", \"./...\"]\n"
	dir := module(b, "github.com/Masterminds/semver/v3@v3.4.0", map[string]string{"lane.toml": spec})
	compareWithGremlins(b, dir, MutateOptions{All: true, NoCache: true})
}

// compareWithGremlins reports the speeds, and each mutant of which the two do not say the same.
func compareWithGremlins(b *testing.B, dir string, m MutateOptions, flags ...string) {
	b.Helper()
	program := gremlins(b)
	warm(b, dir)
	for b.Loop() {
		mine, judged, all := ours(b, dir, m)
		theirs, took := unleash(b, program, dir, flags)
		n, rate := float64(tried(mine)), float64(len(theirs))/took.Seconds()
		b.ReportMetric(n/judged.Seconds(), "lane/s")
		b.ReportMetric(n/all.Seconds(), "lane-audited/s")
		b.ReportMetric(rate, "gremlins/s")
		b.ReportMetric(n/judged.Seconds()/rate, "x-before-audit")
		b.ReportMetric(n/all.Seconds()/rate, "x-with-audit")
		same, agree, falseKills := agreement(b, mine, theirs)
		b.ReportMetric(float64(same), "same-mutants")
		b.ReportMetric(float64(agree), "agree")
		b.ReportMetric(float64(falseKills), "killed-here-lived-there")
	}
	b.ReportMetric(0, "ns/op")
}

// gremlins builds it once.
func gremlins(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	cmd := exec.Command("go", "install", "github.com/go-gremlins/gremlins/cmd/gremlins@"+gremlinsVersion)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOBIN="+dir, "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("install gremlins: %v\n%s", err, out)
	}
	return filepath.Join(dir, "gremlins")
}

// warm fills the build caches of both, so that neither pays for the first build of the standard library.
func warm(b *testing.B, dir string) {
	b.Helper()
	cmd := exec.Command("go", "test", "-cover", "./...")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("run the tests: %v\n%s", err, out)
	}
	o := options(b)
	o.Events = nil
	if _, err := Mutate(b.Context(), o, filepath.Join(dir, "lane.toml"), MutateOptions{All: true, NoCache: true, Choice: mutate.Choice{Sample: 2}}); err != nil {
		b.Fatal(err)
	}
}

// ours says what became of the mutants, when the last one had its verdict, and when the audit was through.
func ours(b *testing.B, dir string, m MutateOptions) (out *Mutation, judged, all time.Duration) {
	b.Helper()
	o := options(b)
	o.Jobs = 2
	start := time.Now()
	phase := ""
	o.Events = func(e Event) {
		if e.Phase+e.Text != phase && e.Total == 0 {
			phase = e.Phase + e.Text
			b.Logf("%.2f s: %s %s", time.Since(start).Seconds(), e.Phase, e.Text)
		}
		if e.Phase == "mutants" && e.Done == e.Total && e.Total > 0 && judged == 0 {
			judged = time.Since(start)
		}
	}
	out, err := Mutate(b.Context(), o, filepath.Join(dir, "lane.toml"), m)
	if err != nil {
		b.Fatal(err)
	}
	all = time.Since(start)
	tiers := map[mutate.Tier]int{}
	var cpu time.Duration
	for _, r := range out.Results {
		tiers[r.Tier]++
		cpu += r.CPU
	}
	b.Logf("lane: %d mutants, by tier %v, %v, %v; judged after %.1f s, %.1f s of CPU time in trials, %.1f s in all\n%s",
		len(out.Results), tiers, out.Score.Counts, out.Score, judged.Seconds(), cpu.Seconds(), all.Seconds(), strings.Join(out.Facts, "\n"))
	return out, judged, all
}

// tried counts the mutants that tests were asked about, or that a recorded run answered for.
func tried(m *Mutation) (n int) {
	for i := range m.Results {
		if r := &m.Results[i]; r.Trials > 0 || r.Inferred {
			n++
		}
	}
	return n
}

// A place is where a fault stands and which token it replaces. Gremlins names two kinds of fault where a minus is replaced.
type place struct {
	file      string
	line, col int
	kind      string
}

// kinds are those of gremlins' types, by what Lane calls them.
var kinds = map[string]string{
	"CONDITIONALS_BOUNDARY": "boundary", "CONDITIONALS_NEGATION": "comparison", "ARITHMETIC_BASE": "arithmetic", "INVERT_NEGATIVES": "arithmetic",
	"INVERT_ASSIGNMENTS": "arithmetic", "INCREMENT_DECREMENT": "incdec", "INVERT_LOGICAL": "logical",
}

// unleash runs gremlins. What no test reaches is left out of the answer, as it is not run. It counts wall time, of which a busy machine has
// little: it gets plenty, so that no verdict is about the machine.
func unleash(b *testing.B, program, dir string, flags []string) (statuses map[place]string, took time.Duration) {
	b.Helper()
	file := filepath.Join(b.TempDir(), "gremlins.json")
	cmd := exec.Command(program, slices.Concat([]string{"unleash", "--workers", "2", "--timeout-coefficient", "60", "--output", file}, flags, []string{"."})...)
	cmd.Dir = dir
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("run gremlins: %v\n%s", err, out)
	}
	took = time.Since(start)
	data, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	var report struct {
		Files []struct {
			Name      string `json:"file_name"`
			Mutations []struct {
				Line, Column int
				Type, Status string
			}
		}
	}
	if err := json.Unmarshal(data, &report); err != nil {
		b.Fatal(err)
	}
	statuses, counts := map[place]string{}, map[string]int{}
	for _, f := range report.Files {
		for _, m := range f.Mutations {
			counts[m.Status]++
			if m.Status != "NOT COVERED" && m.Status != "RUNNABLE" && m.Status != "SKIPPED" {
				statuses[place{f.Name, m.Line, m.Column, m.Type}] = m.Status
			}
		}
	}
	use := cmd.ProcessState
	b.Logf("gremlins %s: %v in %.1f s, %.1f s of CPU time", gremlinsVersion, counts, took.Seconds(), (use.UserTime() + use.SystemTime()).Seconds())
	return statuses, took
}

// agreement matches the mutants that both made, counts those of which both say the same, and prints all others.
func agreement(b *testing.B, mine *Mutation, theirs map[place]string) (same, agree, falseKills int) {
	b.Helper()
	at := map[place]*mutate.Result{}
	for i := range mine.Results {
		r := &mine.Results[i]
		kind := r.Mutant.Operator
		if kind == "unary" && strings.HasPrefix(string(r.Mutant.Original), "-") {
			kind = "arithmetic" // the sign is replaced by a plus, or taken away
		}
		at[place{r.Mutant.File, r.Mutant.Line, r.Mutant.Col, kind}] = r
	}
	says := map[string]mutate.Verdict{"KILLED": mutate.Killed, "LIVED": mutate.Survived, "TIMED OUT": mutate.Hung, "NOT VIABLE": mutate.Unviable}
	var differ []string
	for p, status := range theirs {
		r := at[place{p.file, p.line, p.col, kinds[p.kind]}]
		if r == nil {
			b.Logf("%s:%d:%d %s: only gremlins makes it (%s)", p.file, p.line, p.col, p.kind, status)
			continue
		}
		same++
		if says[status] == r.Verdict || status == "LIVED" && r.Verdict == mutate.Equivalent {
			agree++
			continue
		}
		if r.Verdict == mutate.Killed && status == "LIVED" {
			falseKills++
		}
		differ = append(differ, fmt.Sprintf("%s:%d:%d %s: %s by %s (%s) %v, %s by gremlins", p.file, p.line, p.col, p.kind, r.Verdict, r.Tier, r.Reason, r.Killers, status))
	}
	slices.Sort(differ)
	b.Logf("%d of the same mutants, %d verdicts differ\n%s", same, len(differ), strings.Join(differ, "\n"))
	return same, agree, falseKills
}
