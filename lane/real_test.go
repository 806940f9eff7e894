package lane

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/internal/testclosure"
)

// module makes a git repository of a published Go module, which the Go command fetches and checks
// against its sum, with the Go closure beside it.
func module(t testing.TB, name string, files map[string]string) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", name)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("fetch %s: %v\n%s", name, err, out)
	}
	var got struct{ Dir string }
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "repo")
	if err := os.CopyFS(dir, os.DirFS(got.Dir)); err != nil {
		t.Fatal(err)
	}
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error { // the module cache is read-only
		if d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return os.Chmod(path, 0o644)
	})
	write(t, dir, "flake.nix", string(testclosure.Flake()))
	for name, text := range files {
		write(t, dir, name, text)
	}
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", name)
	return dir
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func replace(t *testing.T, dir, name, old, new string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(data), old) != 1 {
		t.Fatalf("%s does not hold %q once", name, old)
	}
	write(t, dir, name, strings.Replace(string(data), old, new, 1))
}

func branch(t *testing.T, dir, name string, edit func()) {
	t.Helper()
	git(t, dir, "checkout", "-q", "-b", name)
	edit()
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", name)
}

// long reports whether `make long` runs, in which what has a size has its full one.
func long() bool { return os.Getenv("LANE_LONG") != "" }

// stableRuns is how often a suite that is known to be stable runs.
func stableRuns() int {
	if long() {
		return 10
	}
	return 3
}

func specOf(head string) string {
	return fmt.Sprintf("id = %q\nchange = \"feature\"\n[source]\nhead = %q\n[[task]]\nname = \"unit\"\nrun = [\"go\", \"test\", \"./...\"]\n", head, head)
}

func mustCheck(t *testing.T, o Options, path string) assurance.Verdict {
	t.Helper()
	r, err := Check(t.Context(), o, path)
	if err != nil {
		t.Fatal(err)
	}
	v := r.Verdict
	t.Logf("%s: %s %s", v.Spec.ID, v.Outcome, v.Level)
	for _, c := range v.Clauses {
		if !c.Holds() && c.Level <= assurance.VAL1 {
			t.Logf("  %s %s %s: %s %v", c.ID, c.State, c.Code, c.Reason, c.Facts)
		}
	}
	for _, s := range v.Stages {
		t.Logf("  %s %d ms", s.Name, s.MS)
	}
	return v
}

const greaterThan = `func (v *Version) GreaterThan(o *Version) bool {
	return v.Compare(o) > 0
}`

const greaterThanNil = `func (v *Version) GreaterThan(o *Version) bool {
	if o == nil {
		return v != nil
	}
	return v.Compare(o) > 0
}`

// A change to a comparison of Masterminds/semver earns VAL-1 with a test that notices, and without it
// VAL-0 with the survivors named.
func TestSemver(t *testing.T) {
	dir := module(t, "github.com/Masterminds/semver/v3@v3.4.0", map[string]string{"with.toml": specOf("with"), "without.toml": specOf("without")})
	branch(t, dir, "without", func() { replace(t, dir, "version.go", greaterThan, greaterThanNil) })
	branch(t, dir, "with", func() {
		write(t, dir, "nil_test.go", `package semver

import "testing"

func TestGreaterThanNil(t *testing.T) {
	if !MustParse("1.2.3").GreaterThan(nil) {
		t.Error("a version is not greater than none")
	}
	var none *Version
	if none.GreaterThan(nil) {
		t.Error("none is greater than none")
	}
}
`)
	})
	o := options(t)
	v := mustCheck(t, o, filepath.Join(dir, "with.toml"))
	if v.Outcome != assurance.OutcomePassed || v.Level != assurance.VAL1 {
		t.Errorf("with a test that notices: %s %s, want passed VAL-1", v.Outcome, v.Level)
	}
	v = mustCheck(t, o, filepath.Join(dir, "without.toml"))
	if v.Outcome != assurance.OutcomePassed || v.Level != assurance.VAL0 || len(v.Survivors) == 0 {
		t.Fatalf("without: %s %s with %d survivors, want passed VAL-0 with some", v.Outcome, v.Level, len(v.Survivors))
	}
	for _, s := range v.Survivors {
		if s.File != "version.go" || s.Diff == "" {
			t.Errorf("survivor %s:%d without its diff: %+v", s.File, s.Line, s)
		}
	}
}

// Every mutant of semver is judged, most of them by one program, and what is tried again without it agrees.
func TestEveryMutantOfSemver(t *testing.T) {
	spec := "id = \"all\"\nchange = \"tree\"\n[[task]]\nname = \"unit\"\nrun = [\"go\", \"test\", \"./...\"]\n[mutation]\nscope = \"all\"\n"
	dir := module(t, "github.com/Masterminds/semver/v3@v3.4.0", map[string]string{"lane.toml": spec})
	v := mustCheck(t, options(t), filepath.Join(dir, "lane.toml"))
	tiers, verdicts := map[string]int{}, map[assurance.MutantVerdict]int{}
	for _, m := range v.Evidence.Plan.Mutants {
		o := v.Evidence.Observations[m.ID].Mutant
		tiers[o.Tier]++
		verdicts[o.Verdict]++
	}
	t.Logf("tiers %v, verdicts %v", tiers, verdicts)
	if tiers["T2"] < 700 || verdicts[assurance.MutantKilled] < 600 || verdicts[assurance.MutantNotRun] > 0 {
		t.Errorf("tiers %v, verdicts %v", tiers, verdicts)
	}
	if n := len(v.Evidence.Plan.Audits); n < 40 {
		t.Errorf("%d mutants were tried again", n)
	}
	for _, n := range v.Notes {
		if strings.Contains(n, "no mutant of the file is judged at") {
			t.Error(n)
		}
	}
	for _, c := range v.Clauses {
		if c.ID == "mutants-killed" && c.Code != assurance.CodeSurvivor || c.ID == "null-mutant" && !c.Holds() {
			t.Errorf("%s is %s %s: %s %v", c.ID, c.State, c.Code, c.Reason, c.Facts)
		}
	}
}

// A module that nobody had in mind, without a go.mod, gets a right verdict from a spec alone.
func TestAnotherModule(t *testing.T) {
	dir := module(t, "github.com/kballard/go-shellquote@v0.0.0-20180428030007-95032a82bc51",
		map[string]string{"good.toml": specOf("good"), "broken.toml": specOf("broken")})
	branch(t, dir, "good", func() {
		write(t, dir, "count.go", "package shellquote\n\n// Count is the number of words of a command line, and -1 where it is none.\nfunc Count(line string) int {\n\twords, err := Split(line)\n\tif err != nil {\n\t\treturn -1\n\t}\n\treturn len(words)\n}\n")
		write(t, dir, "count_test.go", "package shellquote\n\nimport \"testing\"\n\nfunc TestCount(t *testing.T) {\n\tfor line, want := range map[string]int{\"a 'b c' d\": 3, \"\": 0, \"'\": -1} {\n\t\tif got := Count(line); got != want {\n\t\t\tt.Errorf(\"Count(%q) = %d, want %d\", line, got, want)\n\t\t}\n\t}\n}\n")
	})
	git(t, dir, "checkout", "-q", "main")
	branch(t, dir, "broken", func() {
		replace(t, dir, "unquote.go", "import (", "import (\n\t_ \"unsafe\"") // still builds
		data, _ := os.ReadFile(filepath.Join(dir, "quote.go"))
		write(t, dir, "quote.go", strings.Replace(string(data), "\"''\"", "\"'\"", 1))
	})
	o := options(t)
	if v := mustCheck(t, o, filepath.Join(dir, "good.toml")); v.Outcome != assurance.OutcomePassed || v.Level != assurance.VAL1 {
		t.Errorf("good: %s %s, want passed VAL-1", v.Outcome, v.Level)
	}
	if v := mustCheck(t, o, filepath.Join(dir, "broken.toml")); v.Outcome != assurance.TestsFailed {
		t.Errorf("broken: %s %s, want tests-failed", v.Outcome, v.Level)
	}
}

// Four stable modules, with every variation: no test is called unstable.
func TestStableModulesAreStable(t *testing.T) {
	for _, name := range []string{
		"github.com/Masterminds/semver/v3@v3.4.0", "github.com/BurntSushi/toml@v1.6.0", "github.com/tidwall/match@v1.2.0",
		"github.com/google/shlex@v0.0.0-20191202100458-e7afc7fbc510",
	} {
		t.Run(filepath.Base(filepath.Dir(name))+"-"+filepath.Base(name), func(t *testing.T) {
			dir := module(t, name, map[string]string{"lane.toml": fmt.Sprintf(`id = "stable"
change = "tree"
[[task]]
name = "unit"
run = ["go", "test", "./..."]
[stability]
runs = %d
vary = ["order", "timezone", "hash-seed"]
[mutation]
budget = "1s"
`, stableRuns())})
			v := mustCheck(t, options(t), filepath.Join(dir, "lane.toml"))
			if v.Outcome != assurance.OutcomePassed || len(v.Unstable) > 0 {
				t.Errorf("%s, unstable: %+v, failed: %+v", v.Outcome, v.Unstable, v.Failed)
			}
			if v.Tests.Required == 0 {
				t.Error("no test is required")
			}
		})
	}
}
