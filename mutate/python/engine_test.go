//go:build linux

package python_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/internal/testbox"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/python"
)

// project lays a tree where a box's user can read it.
func project(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for p := dir; p != "/" && p != os.TempDir(); p = filepath.Dir(p) {
		os.Chmod(p, 0o755)
	}
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	testbox.Give(t, dir)
	return dir
}

// try runs the engine on all mutants of a project's file, in boxes, as lane does.
func try(t *testing.T, files map[string]string, file string) *mutate.Report {
	t.Helper()
	e, found := engine(t, closure(t, "pytest"), project(t, files), "", file)
	return mutants(t, e, found)
}

// mutants runs an engine on everything that was found.
func mutants(t testing.TB, e mutate.Engine, found *python.Result) *mutate.Report {
	t.Helper()
	rep, err := e.Run(t.Context(), mutate.NewPlan(found.Mutants, mutate.Scope{All: true, Seed: 1}))
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// engine makes an engine for the mutants of some files of a folder, after a clean run and a measured one.
func engine(t testing.TB, task *runner.Task, dir, cache string, file ...string) (mutate.Engine, *python.Result) {
	t.Helper()
	stage := task.On(dir, cache)
	t.Cleanup(stage.Close)
	o := python.Options{Tree: os.DirFS(dir), Run: func(ctx context.Context, j python.Job) ([]byte, error) {
		return stage.Script(ctx, append([]string{"python3"}, j.Args...), j.Files, j.Out)
	}}
	found := find(t, o, file...)
	clean, err := stage.Run(t.Context(), runner.Order{})
	if err != nil {
		t.Fatal(err)
	}
	trials := &runner.Trials{Stage: stage}
	e := mutate.Engine{
		Runner: trials, Select: clean.Plan.Selectable, Canary: python.Canary, Reach: &mutate.Reach{},
		Source: func(p string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, p)) },
	}
	var ids []string
	for _, x := range clean.Session.Tests {
		e.Clean = append(e.Clean, mutate.CleanTest{ID: x.ID, Status: mutate.Status(x.Status), CPU: x.Duration, Wall: x.Duration})
		if x.Parent == "" {
			ids = append(ids, x.ID)
			e.Judge = append(e.Judge, x.ID)
		}
	}
	found.Declare(e.Reach)
	known, err := stage.Cover(t.Context(), ids, 1, nil, func(test string, reach observe.Reach) error {
		e.Reach.Measured(test)
		for file, lines := range reach {
			for _, l := range lines {
				python.AddLines(e.Reach, test, file, l.First, l.Last)
			}
		}
		return nil
	})
	if err != nil || !known {
		t.Fatalf("reach known %v, %v", known, err)
	}
	forking(t, &e, found, stage, trials)
	return e, found
}

// verdicts lists "line operator=verdict" of all mutants that were tried.
func verdicts(rep *mutate.Report) string {
	var out []string
	for _, r := range rep.Results {
		out = append(out, r.Mutant.Func+" "+r.Mutant.Description+" "+string(r.Verdict))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

func TestMutantsOfAProject(t *testing.T) {
	rep := try(t, map[string]string{
		"cart.py": `def total(prices, limit=100):
    result = 0
    for price in prices:
        if price > 0:
            result += price
    return min(result, limit)


def unused(n):
    return n + 1


def count():
    n = 3
    while n > 0:
        n -= 1
    return n
`,
		"tests/test_cart.py": `import sys

sys.path.insert(0, ".")

import pytest

from cart import count, total


@pytest.mark.parametrize("prices, want", [([], 0), ([1, 2], 3)])
def test_total(prices, want):
    assert total(prices) == want


def test_vacuous():
    total([1])


def test_count():
    assert count() == 0
`}, "cart.py")
	got := verdicts(rep)
	for _, want := range []string{
		"total `>` -> `<=` killed", "total `>` -> `>=` survived", "total `+=` -> `-=` killed", "total `100` -> `101` survived",
		"total `min(result, limit)` -> `None` killed", "unused `+` -> `-` uncovered", "count `-=` -> `+=` hung",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("not %s:\n%s", want, got)
		}
	}
	for _, c := range rep.Nulls {
		if !c.OK {
			t.Errorf("null mutant: %+v", c)
		}
	}
	for _, x := range rep.Tests {
		want := mutate.Bites
		if x.Test == "tests/test_cart.py::test_vacuous" { // C30
			want = mutate.Vacuous
		}
		if x.State != want {
			t.Errorf("%s is %s, want %s", x.Test, x.State, want)
		}
	}
}

// C15: a test that passes on anything kills nothing. C29: a test that reads the source fails on the null mutant and cannot
// kill. R12: a file that is not the one under test is found by its canary.
func TestTestsThatShowNothing(t *testing.T) {
	same := "class Same:\n    def __eq__(self, other):\n        return True\n\n\ndef answer(n):\n    x = n + 1\n    return Same()\n"
	rep := try(t, map[string]string{"answer.py": same, "test_answer.py": "from answer import answer\n\n\ndef test_answer():\n    assert answer(1) == 42\n"}, "answer.py")
	if got := verdicts(rep); !strings.Contains(got, "answer `+` -> `-` survived") {
		t.Errorf("a value that equals everything:\n%s", got)
	}
	source := "def answer(n):\n    return n + 1\n"
	reads := fmt.Sprintf("import hashlib\n\n\ndef test_source():\n    with open('answer.py', 'rb') as f:\n"+
		"        assert hashlib.sha256(f.read()).hexdigest() == '%x'\n", sha256.Sum256([]byte(source)))
	rep = try(t, map[string]string{"answer.py": source, "test_source.py": "import answer\n" + reads}, "answer.py")
	for _, r := range rep.Results {
		if r.Verdict == mutate.Killed {
			t.Errorf("%s is killed by a test that reads the source", &r.Mutant)
		}
	}
	copied := map[string]string{
		"answer.py": source, "lib/answer.py": source,
		"test_answer.py": "import sys\n\nsys.path.insert(0, 'lib')\n\nfrom answer import answer\n\n\ndef test_answer():\n    assert answer(1) == 2\n",
	}
	rep = try(t, copied, "answer.py")
	for _, r := range rep.Results {
		if r.Verdict == mutate.Killed {
			t.Errorf("%s of a file that no test loads is killed", &r.Mutant)
		}
	}
}
