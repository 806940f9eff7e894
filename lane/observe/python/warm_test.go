//go:build linux

package python_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/internal/testbox"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/runner"
)

// A warm cache is in use, and a source or test that was changed since, even if it is as long as before, runs as it is now.
func TestAWarmCacheServesNoOtherSource(t *testing.T) {
	for _, argv := range []string{"pytest test_answer.py", "pytest test_case.py", "python3 -m unittest test_case"} {
		task := task(t, strings.Fields(argv)...)
		dir := project(t, "hashes_the_source")
		cache := t.TempDir()
		testbox.Give(t, cache)
		cold := task.On(dir, "")
		defer cold.Close()
		if err := cold.Warm(t.Context(), cache); err != nil {
			t.Fatal(err)
		}
		for _, kind := range []string{"plain", "rewritten"} {
			entries, err := os.ReadDir(filepath.Join(cache, "python", kind))
			if err != nil || kind == "plain" && len(entries) < 100 || kind == "rewritten" && strings.HasPrefix(argv, "pytest") && len(entries) != 2 {
				t.Errorf("%s: %d entries of kind %s, %v", argv, len(entries), kind, err)
			}
		}
		stage := task.On(dir, cache)
		defer stage.Close()
		for _, tt := range []struct {
			name, file, text string
			exit             int
		}{
			{"as it is", "", "", 0},
			{"another source", "answer.py", "def answer():\n    return 41\n", 1},
			{"another test", "test_answer.py", "def test_answer():\n    assert False\n", 1},
			{"another case", "test_case.py", "import unittest\n\n\nclass AnswerCase(unittest.TestCase):\n    def test_answer(self):\n        self.fail()\n", 1},
		} {
			if tt.file != "" && strings.HasPrefix(tt.file, "test") && !strings.Contains(argv, strings.TrimSuffix(tt.file, ".py")) {
				continue
			}
			o := runner.Order{}
			if tt.file != "" {
				o.Overlay = map[string]fence.Change{tt.file: {Data: []byte(tt.text)}}
			}
			seen, err := stage.Run(t.Context(), o)
			if err != nil || seen.Box.Exit != tt.exit || len(seen.Session.Tests) == 0 {
				t.Errorf("%s, %s: exit status %d, %v\n%s", argv, tt.name, seen.Box.Exit, err, seen.Output())
			}
		}
	}
}
