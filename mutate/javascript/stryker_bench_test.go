//go:build linux

package javascript_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/internal/testbox"
	"github.com/vallane/lane/internal/testsource"
	"github.com/vallane/lane/mutate"
)

// strykerVersion is the last of StrykerJS 9.
const strykerVersion = "9.6.1"

// A peerProject is a published project whose tests are of node:test and whose code is in one file.
type peerProject struct {
	name string
	get  func(b *testing.B) string
	with []string // packages that it needs
}

var peerProjects = []peerProject{
	{"process-warning", processWarning, nil},
	{"json-schema-ref-resolver", func(b *testing.B) string {
		return testsource.Npm(b, "json-schema-ref-resolver@3.0.1", "json-schema-ref-resolver-3.0.1.tgz", "c7be635d66a8650b0720bdc5ce6779cc5b5fa0431056b67cef2068ede13dd2d3")
	}, []string{"dequal@2.0.3"}},
}

// peers are the ways in which StrykerJS can run such tests: by any command, which is what it takes where nothing is said, and by a plugin
// that starts each test file itself, knows which mutants it reaches, and stops at the first failure.
var peers = map[string]map[string]any{
	"command": {"testRunner": "command", "commandRunner": map[string]any{"command": "node --test"}},
	"tap": {"testRunner": "tap", "plugins": []string{"@stryker-mutator/tap-runner"},
		"tap": map[string]any{"testFiles": []string{"test/*.test.js"}, "forceBail": true}},
}

// BenchmarkStryker tries the mutants of a project, and has StrykerJS try its own of the same file, two at once in both. It says how many
// mutants a second each judges, and how often the two agree about those that both made: the ones that turn the file into the same text,
// blanks and parentheses aside.
func BenchmarkStryker(b *testing.B) {
	// With it each process of Node outside a box reads a file of certificates first, which can take longer than the rest of its start.
	b.Setenv("NODE_EXTRA_CA_CERTS", "")
	for _, p := range peerProjects {
		b.Run(p.name, func(b *testing.B) {
			dir := p.get(b)
			npmInstall(b, dir, p.with...)
			peer := filepath.Join(b.TempDir(), "peer")
			must(b, os.CopyFS(peer, os.DirFS(dir)))
			npmInstall(b, peer, slices.Concat(p.with, []string{"@stryker-mutator/core@" + strykerVersion, "@stryker-mutator/tap-runner@" + strykerVersion})...)
			testbox.Give(b, dir)
			for _, name := range slices.Sorted(maps.Keys(peers)) {
				b.Run(name, func(b *testing.B) { against(b, dir, peer, peers[name]) })
			}
		})
	}
}

// npmInstall adds packages to a project, without what only its own development needs and without scripts.
func npmInstall(b *testing.B, dir string, packages ...string) {
	b.Helper()
	if len(packages) > 0 {
		must(b, in(dir, "npm", "pkg", "delete", "devDependencies")) // npm looks for them even where it leaves them out
		must(b, in(dir, "npm", append([]string{"install", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=dev", "--no-save", "--no-bin-links"}, packages...)...))
	}
}

// against measures a project in dir by Lane and, in peer, by StrykerJS.
func against(b *testing.B, dir, peer string, by map[string]any) {
	src, err := os.ReadFile(filepath.Join(dir, mutated))
	must(b, err)
	for b.Loop() {
		rep, judged, all := ours(b, dir)
		theirs, took := stryker(b, peer, by)
		n, rate := float64(tried(rep)), float64(len(theirs))/took.Seconds()
		b.ReportMetric(n/judged.Seconds(), "lane/s")
		b.ReportMetric(n/all.Seconds(), "lane-audited/s")
		b.ReportMetric(rate, "stryker/s")
		b.ReportMetric(n/judged.Seconds()/rate, "x-before-audit")
		b.ReportMetric(n/all.Seconds()/rate, "x-with-audit")
		same, agree := compareWith(b, rep, src, theirs)
		b.ReportMetric(float64(same), "same-mutants")
		b.ReportMetric(float64(agree), "agree")
		b.ReportMetric(0, "ns/op")
	}
}

// ours judges all mutants, from the first clean run on, and says when the last one had its verdict and when the audit was through.
func ours(b *testing.B, dir string) (rep *mutate.Report, judged, all time.Duration) {
	start := time.Now()
	e, found := newEngine(b, newTask(b, "node", "--test"), dir, mutated)
	e.OnEvent = func(ev mutate.Event) {
		if ev.Kind == mutate.EventMutant && ev.Done == ev.Total && judged == 0 {
			judged = time.Since(start)
		}
	}
	rep = mutants(b, e, found)
	all = time.Since(start)
	tiers := map[mutate.Tier]int{}
	for _, r := range rep.Results {
		tiers[r.Tier]++
	}
	b.Logf("lane: %d mutants, by tier %v, %v, audited %d\n%s", tried(rep), tiers, rep.Score, len(rep.Audit), strings.Join(rep.Facts, "\n"))
	return rep, judged, all
}

func tried(rep *mutate.Report) (n int) {
	for _, r := range rep.Results {
		if r.Trials > 0 {
			n++
		}
	}
	return n
}

// A peerMutant is one of StrykerJS's, in its own report.
type peerMutant struct {
	Replacement  string `json:"replacement"`
	Status       string `json:"status"`
	StatusReason string `json:"statusReason"`
	Location     struct{ Start, End struct{ Line, Column int } }
}

// in runs a command in a folder.
func in(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// stryker runs StrykerJS in a project beside which it is installed. What it ignores or cannot compile is left out of the answer. It counts
// wall time, of which a busy machine has little: it gets plenty, so that no verdict is about the machine.
func stryker(b *testing.B, dir string, by map[string]any) (tried []peerMutant, took time.Duration) {
	b.Helper()
	config := map[string]any{"mutate": []string{mutated}, "concurrency": 2, "timeoutMS": 120_000, "reporters": []string{"json"},
		"jsonReporter": map[string]any{"fileName": "mutants.json"}, "allowConsoleColors": false}
	maps.Copy(config, by)
	text, err := json.Marshal(config)
	must(b, err)
	must(b, os.WriteFile(filepath.Join(dir, "stryker.config.json"), text, 0o644))
	start := time.Now()
	must(b, in(dir, "node", "node_modules/@stryker-mutator/core/bin/stryker.js", "run"))
	took = time.Since(start)
	data, err := os.ReadFile(filepath.Join(dir, "mutants.json"))
	must(b, err)
	var report struct {
		Files map[string]struct{ Mutants []peerMutant }
	}
	must(b, json.Unmarshal(data, &report))
	statuses := map[string]int{}
	for _, m := range report.Files[mutated].Mutants {
		statuses[m.Status]++
		if m.Status != "Ignored" && m.Status != "CompileError" && m.Status != "NoCoverage" {
			tried = append(tried, m)
		}
	}
	b.Logf("StrykerJS %s: %v in %v", strykerVersion, statuses, took)
	return tried, took
}

// compareWith matches the mutants that both made and counts those of which both say the same.
func compareWith(b *testing.B, rep *mutate.Report, src []byte, theirs []peerMutant) (same, agree int) {
	mine := map[string]*mutate.Result{}
	for i := range rep.Results {
		if r := &rep.Results[i]; r.Trials > 0 {
			text, err := r.Mutant.Apply(src)
			must(b, err)
			mine[plain(string(text))] = r
		}
	}
	lines := strings.SplitAfter(string(src), "\n")
	at := func(line, column int) int { return len(strings.Join(lines[:line-1], "")) + column - 1 }
	for _, m := range theirs {
		from, to := at(m.Location.Start.Line, m.Location.Start.Column), at(m.Location.End.Line, m.Location.End.Column)
		r := mine[plain(string(src[:from])+m.Replacement+string(src[to:]))]
		if r == nil {
			continue
		}
		same++
		says := map[string]mutate.Verdict{"Killed": mutate.Killed, "Survived": mutate.Survived, "Timeout": mutate.Hung}[m.Status]
		if says == r.Verdict {
			agree++
		} else {
			b.Logf("%s: %s by %s (%s), %s by StrykerJS %s", &r.Mutant, r.Verdict, r.Tier, r.Reason, m.Status, m.StatusReason)
		}
	}
	return same, agree
}

// plain is a source without what may differ between two ways to write one fault.
func plain(text string) string {
	return strings.NewReplacer("(", "", ")", "", ";", "").Replace(strings.Join(strings.Fields(text), ""))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
