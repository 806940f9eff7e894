//go:build linux

package python_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vallane/lane/internal/testbox"
	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/lane/fence"
	observe "github.com/vallane/lane/lane/observe/python"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/python"
)

func TestMain(m *testing.M) {
	fence.Init()
	os.Exit(m.Run())
}

// closure is a task in the real closure: the sources of the tests are read by its interpreter, in a box.
func closure(t testing.TB, argv ...string) *runner.Task {
	t.Helper()
	return testbox.Task(testclosure.Python(t), observe.Pytest{}, argv...)
}

// options reads a tree of files with the real closure.
func options(t testing.TB, files map[string]string) python.Options {
	t.Helper()
	stage := closure(t, "pytest").On("", "")
	t.Cleanup(stage.Close)
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return python.Options{Tree: tree, Run: func(ctx context.Context, j python.Job) ([]byte, error) {
		return stage.Script(ctx, append([]string{"python3"}, j.Args...), j.Files, j.Out)
	}}
}

func find(t testing.TB, o python.Options, files ...string) *python.Result {
	t.Helper()
	res, err := python.Find(t.Context(), o, files)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// faults returns what each mutant of a source turns its line into, after the name of its operator; unviable ones are marked
// with "!", equivalent ones with "=", arid ones with "~".
func faults(t *testing.T, src string, operators ...string) []string {
	t.Helper()
	o := options(t, map[string]string{"f.py": src})
	o.Operators = operators
	res := find(t, o, "f.py")
	if len(res.Unparsed) > 0 {
		t.Fatalf("unparsed %v", res.Unparsed)
	}
	var out []string
	for _, m := range res.Mutants {
		mutated, err := m.Apply([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		mark := map[mutate.Verdict]string{mutate.Unviable: "!", mutate.Equivalent: "="}[m.Known]
		if m.Arid != "" {
			mark += "~"
		}
		out = append(out, fmt.Sprintf("%s%s: %s", mark, m.Operator, differing(src, string(mutated))))
	}
	return out
}

// differing returns the line of b in which it differs from a.
func differing(a, b string) string {
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range lb {
		if i >= len(la) || la[i] != lb[i] {
			return strings.TrimSpace(lb[i])
		}
	}
	return "(nothing)"
}
