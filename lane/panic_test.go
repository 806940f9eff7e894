package lane

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/internal/testclosure"
)

// A panic anywhere in a check, also in one of its goroutines, ends in a verdict that says so and asks for a report.
func TestPanicIsAVerdict(t *testing.T) {
	repo := t.TempDir()
	for name, text := range map[string]string{
		"flake.nix": string(testclosure.Flake()), "go.mod": "module story.example/sum\n\ngo 1.24\n",
		"sum.go":      "package sum\n\nfunc Sum(a, b int) int { return a + b }\n",
		"sum_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(2, 3) != 5 {\n\t\tt.Error(\"2 + 3\")\n\t}\n}\n",
		"lane.toml":   "id = \"sum\"\nchange = \"tree\"\n\n[[task]]\nname = \"unit\"\nrun = [\"go\", \"test\"]\n",
	} {
		if err := os.WriteFile(filepath.Join(repo, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git(t, repo, "init", "-q", "-b", "main")
	git(t, repo, "add", "-A")
	git(t, repo, "commit", "-q", "-m", "sum")
	for _, phase := range []string{"plan", "closure", "runs", "mutants", "judge"} {
		t.Run(phase, func(t *testing.T) {
			o := options(t)
			o.Events = func(e Event) {
				// The first event of the runs comes from a goroutine of theirs, and so does the first verdict on a mutant.
				if e.Phase == phase && (phase != "mutants" || e.Total > 0) {
					panic("planted in " + phase)
				}
			}
			r, err := Check(t.Context(), o, filepath.Join(repo, "lane.toml"))
			if err != nil {
				t.Fatal(err)
			}
			v := r.Verdict
			if v.Outcome != assurance.LaneFault || v.ExitCode() != int(assurance.ExitLane) || v.Level.String() != "none" {
				t.Errorf("outcome %s, exit %d, level %s", v.Outcome, v.ExitCode(), v.Level)
			}
			if got := v.Evidence.Stop.Fault; !strings.Contains(got, "planted in "+phase) || !strings.Contains(got, "report") || strings.Contains(got, ".go:") {
				t.Errorf("the fault reads %q", got)
			}
			ledger, err := os.ReadFile(filepath.Join(r.Dir, "ledger.jsonl"))
			if err != nil || !strings.Contains(string(ledger), "panic_test.go") {
				t.Errorf("the ledger holds no stack: %v", err)
			}
		})
	}
}
