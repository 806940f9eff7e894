package spec

import (
	"slices"
	"testing"
)

// What [hidden] leaves open is the task's.
func TestHiddenDefaults(t *testing.T) {
	const tasks = "id = \"x\"\n[[task]]\nname = \"unit\"\nrun = [\"pytest\", \"-q\"]\nreporter = \"pytest\"\n[[task]]\nname = \"e2e\"\nrun = [\"make\"]\n"
	if s := mustParse(t, tasks); s.Hidden != nil || s.Resolved().Hidden != nil {
		t.Errorf("hidden tests that nobody asks for: %+v", s.Hidden)
	}
	for _, c := range []struct{ table, task, run, reporter string }{
		{"", "unit", "pytest", "pytest"},
		{"task = \"e2e\"", "e2e", "make", "auto"},
		{"run = [\"go\", \"test\"]", "unit", "go", "auto"},
		{"run = [\"go\", \"test\"]\nreporter = \"exit\"", "unit", "go", "exit"},
		{"kind = \"black-box\"\nrun = [\"drive\"]\nprogram = [\"a\"]", "unit", "drive", "auto"},
	} {
		s := mustParse(t, tasks+"[hidden]\n"+c.table)
		if h := s.Hidden; h.Task != c.task || s.HiddenTask().Name != c.task || !slices.Contains(h.Run, c.run) || h.Reporter != c.reporter || h.Timeout != defaultTimeout {
			t.Errorf("%q: %+v", c.table, h)
		}
	}
}
