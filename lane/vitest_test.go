package lane

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/internal/testsource"
	"github.com/vallane/lane/mutate"
)

// Mutants of a project that vitest tests are asked of the test files that reach them: by the functions that these enter, not by what they load.
func TestVitestIsAskedOfWhatReachesAMutant(t *testing.T) {
	o := options(t)
	dir := filepath.Join(t.TempDir(), "repo")
	testsource.Installed(t, "observe/jsrunner/testdata/vitest", dir)
	lay(t, dir, map[string]string{"flake.nix": string(testclosure.ExampleFlake("node")), "debian.json": string(testclosure.Pins(t, "node")),
		"lane.toml": "id = \"cart\"\nchange = \"tree\"\n[env]\nextras = [\"debian.json\"]\n[[task]]\nname = \"unit\"\nrun = [\"node\", \"node_modules/vitest/vitest.mjs\", \"run\"]\ntimeout = \"2m\"\n"})
	replace(t, dir, "test/names.test.ts", "test.skip('not yet', () => {});\n", "")
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-fA")
	git(t, dir, "commit", "-q", "-m", "cart")
	out, err := Mutate(t.Context(), o, filepath.Join(dir, "lane.toml"), MutateOptions{Paths: []string{"src/names.ts"}, NoCache: true})
	must(t, err)
	const asked = "test/names.test.ts > a long one is cut, test/names.test.ts > a short name stays"
	for _, r := range out.Results {
		slices.Sort(r.Asked)
		switch tests := strings.Join(r.Asked, ", "); {
		case r.Mutant.Line == 3 && (r.Verdict != mutate.Killed || r.Tier != mutate.T1 || tests != asked):
			t.Errorf("%s is %s at %s, asked were %s", &r.Mutant, r.Verdict, r.Tier, tests)
		case r.Mutant.Line == 6 && r.Verdict != mutate.Uncovered:
			t.Errorf("%s is %s: %s", &r.Mutant, r.Verdict, r.Reason)
		}
	}
	if facts := strings.Join(out.Facts, "\n"); len(out.Results) != 2 || strings.Contains(facts, "known") {
		t.Errorf("%d results: %s", len(out.Results), facts)
	}
}
