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
// each judges, from nothing but warm build caches on, on the clock and by processor time, and how often the two agree about those that
// both made.
func BenchmarkGremlins(b *testing.B) {
	spec := "id = \"all\"\nchange = \"tree\"\n[[task]]\nname = \"unit\"\nrun = [\"go\", \"test\", \"./...\"]\n"
	dir := module(b, "github.com/Masterminds/semver/v3@v3.4.0", map[string]string{"lane.toml": spec})
	compareWithGremlins(b, dir, MutateOptions{All: true, NoCache: true})
}

// BenchmarkGremlinsLongSuite is the same for a module whose suite takes more than 20 seconds of computing, spread over 46 tests: for one of its
// files, and the two kinds of fault of which gremlins makes most there, as a whole run takes gremlins hours. What it calls timed out is three
// times what the suite takes: at more, each mutant that turns in a circle takes half an hour.
func BenchmarkGremlinsLongSuite(b *testing.B) {
	spec := "id = \"all\"\nchange = \"tree\"\n[[task]]\nname = \"unit\"\nrun = [\"go\", \"test\", \"./...\"]\n"
	dir := module(b, "github.com/tidwall/btree@v1.7.0", map[string]string{"lane.toml": spec})
	mine := MutateOptions{All: true, NoCache: true, Budget: 5 * time.Hour, Paths: []string{"map.go"}, Operators: []string{"boundary", "comparison"}}
	compareWithGremlins(b, dir, mine, "--timeout-coefficient", "3", "-E", `^(btree|btreeg|set)\.go$`,
		"--arithmetic-base=false", "--increment-decrement=false", "--invert-negatives=false")
}

// BenchmarkGremlinsWaitingSuite is the same for a module whose suite takes more than 20 seconds, 15 of which one of its tests waits.
func BenchmarkGremlinsWaitingSuite(b *testing.B) {
	spec := "id = \"all\"\nchange = \"tree\"\n[[task]]\nname = \"unit\"\nrun = [\"go\", \"test\", \"./...\"]\n"
	dir := module(b, "github.com/hashicorp/go-retryablehttp@v0.7.7", map[string]string{"lane.toml": spec})
	cmd := exec.Command("go", "mod", "vendor")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("bring what it depends on: %v\n%s", err, out)
	}
	git(b, dir, "add", "-A", "-f")
	git(b, dir, "commit", "-q", "-m", "vendor")
	compareWithGremlins(b, dir, MutateOptions{All: true, NoCache: true, Budget: 5 * time.Hour}, "--timeout-coefficient", "3")
}

// compareWithGremlins reports the speeds, and each mutant of which the two do not say the same.
func compareWithGremlins(b *testing.B, dir string, m MutateOptions, flags ...string) {
	b.Helper()
	program := gremlins(b)
	warm(b, dir)
	for b.Loop() {
		mine, judged, all := ours(b, dir, m)
		theirs, took := unleash(b, program, dir, flags)
		n, rate, work := float64(tried(mine)), float64(len(theirs))/took.wall.Seconds(), float64(len(theirs))/took.cpu.Seconds()
		b.ReportMetric(n/judged.wall.Seconds(), "lane/s")
		b.ReportMetric(n/all.wall.Seconds(), "lane-audited/s")
		b.ReportMetric(rate, "gremlins/s")
		b.ReportMetric(n/judged.wall.Seconds()/rate, "x-before-audit")
		b.ReportMetric(n/all.wall.Seconds()/rate, "x-with-audit")
		b.ReportMetric(n/judged.cpu.Seconds()/work, "x-cpu-before-audit")
		b.ReportMetric(n/all.cpu.Seconds()/work, "x-cpu-with-audit")
		same, agree, falseKills := verdictsAgree(b, mine, theirs)
		b.ReportMetric(float64(same), "same-mutants")
		b.ReportMetric(float64(agree), "agree")
		b.ReportMetric(float64(falseKills), "killed-here-lived-there")
	}
	b.ReportMetric(0, "ns/op")
}

// tell prints a line: of what a benchmark logs, few are shown.
func tell(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

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

// cost is what something took: on the clock, and of the processors.
type cost struct{ wall, cpu time.Duration }

func (c cost) String() string {
	return fmt.Sprintf("%.2f s, %.2f s of CPU time", c.wall.Seconds(), c.cpu.Seconds())
}

// ours says what became of the mutants, what it took until the last one had its verdict, and until the audit was through.
func ours(b *testing.B, dir string, m MutateOptions) (out *Mutation, judged, all cost) {
	b.Helper()
	o := options(b)
	o.Jobs = 2
	start, before := time.Now(), cpuTime()
	until := func() cost { return cost{time.Since(start), cpuTime() - before} }
	last, begun := "", false
	o.Events = func(e Event) {
		if e.Phase+e.Text != last && e.Total == 0 {
			last = e.Phase + e.Text
			tell("%s: %s %s", until(), e.Phase, e.Text)
		}
		if e.Phase == "mutants" && e.Total > 0 && !begun {
			begun = true
			tell("%s: the first of %d verdicts", until(), e.Total)
		}
		if e.Phase == "mutants" && e.Done == e.Total && e.Total > 0 && judged.wall == 0 {
			judged = until()
			tell("%s: judged", judged)
		}
	}
	out, err := Mutate(b.Context(), o, filepath.Join(dir, "lane.toml"), m)
	if err != nil {
		b.Fatal(err)
	}
	all = until()
	tiers := map[mutate.Tier]int{}
	var cpu time.Duration
	for _, r := range out.Results {
		tiers[r.Tier]++
		cpu += r.CPU
	}
	tell("lane: %d mutants, by tier %v, %v, %v: %s, of them %.2f s in trials\n%s",
		len(out.Results), tiers, out.Score.Counts, out.Score, all, cpu.Seconds(), strings.Join(out.Facts, "\n"))
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
func unleash(b *testing.B, program, dir string, flags []string) (statuses map[place]string, took cost) {
	b.Helper()
	file := filepath.Join(b.TempDir(), "gremlins.json")
	cmd := exec.Command(program, slices.Concat([]string{"unleash", "--workers", "2", "--timeout-coefficient", "60", "--output", file}, flags, []string{"."})...)
	cmd.Dir = dir
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("run gremlins: %v\n%s", err, out)
	}
	took = cost{time.Since(start), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
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
	tell("gremlins %s: %v, %s", gremlinsVersion, counts, took)
	return statuses, took
}

// verdictsAgree matches the mutants that both made, counts those of which both say the same, and prints all others.
func verdictsAgree(b *testing.B, mine *Mutation, theirs map[place]string) (same, agree, falseKills int) {
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
			tell("%s:%d:%d %s: only gremlins makes it (%s)", p.file, p.line, p.col, p.kind, status)
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
	tell("%d of the same mutants, %d verdicts differ\n%s", same, len(differ), strings.Join(differ, "\n"))
	return same, agree, falseKills
}
