package lane

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/internal/testsource"
	"github.com/vallane/lane/mutate"
)

// A real project in C, as Debian distributes its sources, built and tested in a box for each mutant. Its header has places that the grammar
// does not know (braces within branches of the preprocessor): they are named, and what lies around them is mutated.
func TestMutantsOfARealProjectInC(t *testing.T) {
	src := testsource.Debian(t, "jsmn", "1.1.0-2", "jsmn_1.1.0.orig.tar.gz", "5f0913a10657fe7ec8d5794ccf00a01000e3e1f2f1e1f143c34a0f7b47edcb38")
	spec := "id = \"jsmn\"\nchange = \"tree\"\n[env]\nextras = [\"debian.json\"]\n[[task]]\nname = \"unit\"\nreporter = \"exit\"\n" +
		"build = [\"sh\", \"-c\", \"cc -Itest test/tests.c -o test/run && cc -DJSMN_STRICT=1 test/tests.c -o test/strict\"]\n" +
		"run = [\"sh\", \"-c\", \"test/run && test/strict\"]\n"
	dir := project(t, src, "c", map[string]string{"lane.toml": spec})
	out, err := Mutate(t.Context(), options(t), filepath.Join(dir, "lane.toml"), MutateOptions{
		Paths: []string{"jsmn.h"}, All: true, NoCache: true, Choice: mutate.Choice{Sample: 60},
	})
	if err != nil {
		t.Fatal(err)
	}
	count := map[mutate.Verdict]int{}
	for _, r := range out.Results {
		count[r.Verdict]++
		if r.Verdict == mutate.Unviable {
			t.Logf("unviable: %s", r.Mutant.String())
		}
	}
	if n := len(out.Results); n < 60 || count[mutate.Killed] < n/2 || count[mutate.Survived] == 0 || count[mutate.NotRun] > 0 {
		t.Errorf("of %d mutants: %v", n, count)
	}
	if facts := strings.Join(out.Facts, "\n"); !strings.Contains(facts, "jsmn.h has no mutants but hunks put back to base in line 92") {
		t.Errorf("what cannot be read is not named: %s", facts)
	}
}
