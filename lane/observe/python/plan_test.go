//go:build linux

package python_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/internal/testbox"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/observe/python"
	"github.com/vallane/lane/lane/runner"
)

// TestCanariesAreSeenFailing runs projects with a canary among their tests, each with several seeds so that several of its
// forms are met.
func TestCanariesAreSeenFailing(t *testing.T) {
	for _, tt := range []struct{ project, argv string }{
		{"passes", byPytest}, {"passes", byPytest + " -x -k order"}, {"passes", byPytest + " tests"}, {"passes", byUnittest},
		{"no_tests", byPytest}, {"no_tests", byUnittest}, {"passes", byPytest + " -m slow"},
	} {
		task := task(t, strings.Fields(tt.argv)...)
		tree := project(t, tt.project)
		for n := range 4 {
			t.Run(fmt.Sprintf("%s %s %d", tt.project, tt.argv, n), func(t *testing.T) {
				seen := run(t, task, tree, runner.Order{Canaries: &[32]byte{byte(n)}})
				if len(seen.Plan.Canaries) != 1 || len(seen.Session.CanariesUnseen(seen.Plan.Canaries)) > 0 {
					t.Errorf("canaries %v, seen %v", seen.Plan.Canaries, seen.Session.Canaries)
				}
				if seen.Box.Exit != 1 || !seen.Session.Complete() || len(seen.Session.Problems) > 0 {
					t.Errorf("exit status %d, complete %v, problems %q", seen.Box.Exit, seen.Session.Complete(), seen.Session.Problems)
				}
				if got := kinds(&seen); got != "" {
					t.Errorf("contradictions %s", got)
				}
				if t.Failed() {
					t.Log(seen.Output())
				}
			})
		}
	}
}

// C1, C10, C18: what reaches past the hooks, or excuses every test, swallows the canary's failure with that of the test.
func TestCanariesGiveAPatchedRunnerAway(t *testing.T) {
	for _, tt := range []struct{ project, argv string }{
		{"patches_the_runner", byPytest}, {"patches_the_runner", byUnittest}, {"skips_everything", byPytest},
	} {
		seen := run(t, task(t, strings.Fields(tt.argv)...), project(t, tt.project), runner.Order{Canaries: &[32]byte{1}})
		if len(seen.Session.CanariesUnseen(seen.Plan.Canaries)) != 1 {
			t.Errorf("%s: canaries %v\n%s", tt.argv, seen.Session.Canaries, seen.Output())
		}
	}
}

// began lists the tests of a session in the order in which they began, as the output of -v tells.
func began(seen *runner.Seen) (out []string) {
	for _, line := range strings.Split(seen.Box.Stdout.String(), "\n") {
		if name, _, ok := strings.Cut(line, " PASSED"); ok && strings.Contains(name, "::") {
			out = append(out, name)
		}
	}
	return out
}

func TestASeedShufflesWhatSharesNoFixture(t *testing.T) {
	dir := t.TempDir()
	for _, module := range []string{"a", "b", "c"} {
		src := "import pytest\n\n\n@pytest.fixture(scope='module')\ndef shared():\n    yield 1\n\n\n"
		for _, name := range []string{"one", "two", "three"} {
			src += fmt.Sprintf("@pytest.mark.parametrize('n', range(3))\ndef test_%s(n, shared):\n    assert shared\n\n\n", name)
		}
		if err := os.WriteFile(filepath.Join(dir, "test_"+module+".py"), []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	testbox.Give(t, dir)
	task := task(t, "pytest", "-v")
	plain := run(t, task, dir, runner.Order{})
	first, same, other := run(t, task, dir, runner.Order{Seed: 7}), run(t, task, dir, runner.Order{Seed: 7}), run(t, task, dir, runner.Order{Seed: 8})
	if !slices.Equal(began(&first), began(&same)) {
		t.Error("one seed gives two orders")
	}
	if slices.Equal(began(&first), began(&plain)) || slices.Equal(began(&first), began(&other)) {
		t.Errorf("the order is always %v", began(&first))
	}
	seen, last := map[string]bool{}, ""
	for _, name := range began(&first) {
		file, _, _ := strings.Cut(name, "::")
		if file != last && seen[file] {
			t.Errorf("the tests of %s are torn apart: %v", file, began(&first))
		}
		seen[file], last = true, file
	}
	for _, s := range []*runner.Seen{&plain, &first} {
		if len(began(s)) != 27 || len(s.Session.Problems) > 0 || describe(s.Session) != describe(plain.Session) {
			t.Errorf("%d tests, problems %q", len(began(s)), s.Session.Problems)
		}
	}
}

func TestSelectedTestsRunAlone(t *testing.T) {
	for _, tt := range []struct {
		project, argv string
		order         runner.Order
		want          string
	}{
		{"passes", byPytest, runner.Order{Select: []string{"tests/test_total.py::test_total_of[one]"}}, // a part selects the whole
			"tests/test_total.py::test_total_of=passed tests/test_total.py::test_total_of[below]=passed tests/test_total.py::test_total_of[none]=passed tests/test_total.py::test_total_of[one]=passed"},
		{"passes", byPytest + " tests", runner.Order{Select: []string{"tests/test_total.py::TestTotal::test_order"}, Seed: 3}, "tests/test_total.py::TestTotal::test_order=passed"},
		{"passes", byUnittest, runner.Order{Select: []string{"test_total_case.TotalCase.test_total"}}, "test_total_case.TotalCase.test_total=passed"},
		{"outcomes", byPytest, runner.Order{Select: []string{"test_does_not_load.py::test_alone"}}, "test_does_not_load.py::test_alone=failed"},
		{"unittest_outcomes", byUnittest, runner.Order{Select: []string{"test_does_not_load.Alone.test_inner"}}, "test_does_not_load.Alone.test_inner=failed"},
		{"outcomes", byPytest, runner.Order{Select: []string{"test_outcomes.py::test_some", "test_outcomes.py::Case::test_fails"}, FailFast: true},
			"test_outcomes.py::test_some=failed test_outcomes.py::test_some[1]=passed test_outcomes.py::test_some[2]=failed"},
		{"unittest_outcomes", byUnittest, runner.Order{Select: []string{"test_outcomes.Outcomes.test_errors", "test_outcomes.Outcomes.test_exits"}, FailFast: true},
			"test_outcomes.Outcomes.test_errors=failed"},
	} {
		seen := run(t, task(t, strings.Fields(tt.argv)...), project(t, tt.project), tt.order)
		if got := strings.ReplaceAll(describe(seen.Session), "\n", " "); got != tt.want || len(seen.Session.Problems) > 0 || seen.Session.Lost {
			t.Errorf("%s %v:\n got %s\nwant %s\nproblems %q\n%s", tt.argv, tt.order.Select, got, tt.want, seen.Session.Problems, seen.Output())
		}
	}
}

// R3: cached bytecode that came with the tree, or that is as old and as long as a mutant, never runs in place of the source.
func TestCachedBytecodeOfTheTreeDoesNotRun(t *testing.T) {
	task := task(t, "pytest", "test_answer.py")
	dir := project(t, "equals_everything")
	write := func(name string, data []byte) {
		t.Helper()
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("answer.py", []byte("def answer():\n    return 42\n"))
	testbox.Give(t, dir)
	box, err := fence.Open(t.Context(), fence.Config{StorePaths: task.Store, Path: task.Path, Tree: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	compile := "import py_compile; py_compile.compile('answer.py', '/tmp/a.pyc', invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)"
	res, err := box.Run(t.Context(), fence.Command{Argv: []string{"python3", "-c", compile}, Collect: []string{"/tmp/a.pyc"}})
	if err != nil || len(res.Collected["/tmp/a.pyc"]) == 0 {
		t.Fatalf("compile: %v, %s", err, res.Stderr.Head)
	}
	write("__pycache__/answer.cpython-311.pyc", res.Collected["/tmp/a.pyc"])
	write("answer.py", []byte("def answer():\n    return 41\n"))
	testbox.Give(t, dir)
	seen := run(t, task, dir, runner.Order{Canaries: &[32]byte{}})
	if got := describe(seen.Session); got != "test_answer.py::test_answer=failed" {
		t.Errorf("the cached program ran: %s\n%s", got, seen.Output())
	}
	if !slices.ContainsFunc(seen.Plan.Notes, func(n string) bool { return strings.Contains(n, "cached bytecode") }) {
		t.Errorf("notes %q", seen.Plan.Notes)
	}
}

// The reporter itself writes nothing into the tree, and what a suite writes there is gone in the next run (R4).
func TestRunsLeaveNothingBehind(t *testing.T) {
	for _, argv := range []string{byPytest, byUnittest} {
		task := task(t, strings.Fields(argv)...)
		dir := project(t, "writes_into_its_tree")
		list := "import os\n\n\ndef answer():\n    names = sorted(os.listdir('.'))\n    open('golden.txt', 'w').close()\n" +
			"    return 42 if names == ['answer.py', 'test_answer.py', 'test_case.py'] else names\n"
		if err := os.WriteFile(filepath.Join(dir, "answer.py"), []byte(list), 0o644); err != nil {
			t.Fatal(err)
		}
		task.Argv = append(task.Argv, map[string]string{byPytest: "test_answer.py", byUnittest: "test_case"}[argv])
		stage := task.On(dir, "")
		defer stage.Close()
		for range 2 {
			seen, err := stage.Run(t.Context(), runner.Order{Canaries: &[32]byte{2}})
			if err != nil || len(seen.Session.Tests) != 1 || seen.Session.Tests[0].Status != observe.Passed {
				t.Errorf("%s: %v %s\n%s", argv, err, describe(seen.Session), seen.Output())
			}
		}
	}
}

// A session that cannot begin is silent, fails what was asked of it by name, and says why.
func TestASessionThatCannotBegin(t *testing.T) {
	task := task(t, "pytest")
	tree := project(t, "broken_conftest")
	seen := run(t, task, tree, runner.Order{})
	if !seen.Session.Units[0].Silent() || seen.Box.Exit == 0 {
		t.Errorf("units %+v, exit status %d", seen.Session.Units, seen.Box.Exit)
	}
	why := strings.Join(python.Pytest{}.Explain([]byte(seen.Output())), "\n")
	if !strings.Contains(why, "ImportError while loading conftest") || !strings.Contains(why, "a_module_that_is_not_there") {
		t.Errorf("the explanation is %q", why)
	}
	seen = run(t, task, tree, runner.Order{Select: []string{"test_answer.py::test_answer"}})
	if got := describe(seen.Session); got != "test_answer.py::test_answer=failed" || seen.Box.Exit == 0 {
		t.Errorf("asked by name: %s, exit status %d", got, seen.Box.Exit)
	}
}

func TestCommandsThatAreClaimed(t *testing.T) {
	for argv, want := range map[string]string{
		"pytest -q": "pytest", "py.test": "pytest", "/nix/store/x/bin/pytest tests": "pytest", "python -m pytest": "pytest",
		"python3.11 -W error -Xdev -Im pytest": "", "python3 -I -Werror -m pytest -x": "pytest", "python3 -mpytest": "pytest",
		"python3 -m unittest discover -s tests": "unittest", "python3 -u -m unittest": "unittest", "python2 -m unittest": "",
		"python3 tests/run.py": "", "python3 -c 1": "", "make test": "", "sh -c pytest": "", "": "", "python3 -m": "",
	} {
		got := ""
		for _, r := range []observe.Reporter{python.Pytest{}, python.Unittest{}} {
			if r.Claims(strings.Fields(argv)) {
				got = r.Name()
			}
		}
		if got != want {
			t.Errorf("%q is claimed by %q, want %q", argv, got, want)
		}
	}
}

func TestCommandsThatAreNotTheRunnerItself(t *testing.T) {
	dir := project(t, "passes")
	for _, argv := range [][]string{{"make", "test"}, {"python3", "-m", "unittest"}, {"/nix/store/none/bin/pytest"}} {
		_, err := python.Pytest{}.Instrument(observe.Request{Argv: argv, TreeHost: dir})
		if u, ok := err.(*observe.Unparsed); !ok || u.Hint() == "" {
			t.Errorf("%v: %v", argv, err)
		}
	}
}

func TestWhatAPersonTypesForSelectedTests(t *testing.T) {
	for _, tt := range []struct {
		argv, want string
		ids        []string
	}{
		{"pytest -q tests", "pytest -q tests", nil},
		{"pytest -q tests", "pytest -q tests/test_total.py::test_total", []string{"tests/test_total.py::test_total"}},
		{"python3 -m pytest -k order -x", "python3 -m pytest -k order -x tests/test_total.py::test_total", []string{"tests/test_total.py::test_total"}},
		{"python3 -m unittest discover -v -s tests", "python3 -m unittest -v test_a.Case.test_b", []string{"test_a.Case.test_b"}},
	} {
		stage := task(t, strings.Fields(tt.argv)...).On(project(t, "passes"), "")
		defer stage.Close()
		if got := strings.Join(stage.Words(runner.Order{Select: tt.ids}), " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.argv, got, tt.want)
		}
	}
}

func TestPatternsThatPeopleWrite(t *testing.T) {
	node, method := python.Pytest{}, python.Unittest{}
	for _, tt := range []struct {
		r           observe.Reporter
		pattern, id string
		want        bool
	}{
		{node, "tests/test_x.py::test_a", "tests/test_x.py::test_a", true},
		{node, "./tests/test_x.py::test_a", "tests/test_x.py::test_a", true},
		{node, "test_x.py::test_a", "tests/test_x.py::test_a", true},
		{node, "x.py::test_a", "tests/test_x.py::test_a", false},
		{node, "test_a", "tests/test_x.py::test_a", true},
		{node, "TestC::test_a", "tests/test_x.py::TestC::test_a", true},
		{node, "test_a", "tests/test_x.py::TestC::test_a", false},
		{node, "test_a", "tests/test_x.py::test_a[1]", false},
		{node, "test_x.py::test_a[1]", "tests/test_x.py::test_a[1]", true},
		{node, "test_x.py", "tests/test_x.py::test_a", false},
		{method, "pkg.mod.Case.test_a", "pkg.mod.Case.test_a", true},
		{method, "Case.test_a", "pkg.mod.Case.test_a", true},
		{method, "ase.test_a", "pkg.mod.Case.test_a", false},
		{method, "test_a", "pkg.mod.Case.test_a (i=1)", false},
		{method, "", "pkg.mod.Case.test_a", false},
	} {
		if got := tt.r.Match(tt.pattern, tt.id); got != tt.want {
			t.Errorf("%q names %q: %v, want %v", tt.pattern, tt.id, got, tt.want)
		}
	}
}

func TestWhichLinesEachTestReaches(t *testing.T) {
	for _, tt := range []struct {
		argv string
		want map[string]string // test to its lines of total.py; 4 and 5 are run for a price alone
	}{
		{byPytest, map[string]string{
			"tests/test_total.py::test_total": "1-6", "test_total_case.py::TotalCase::test_total": "1-6", "tests/test_empty.py::test_empty": "1-3 6",
		}},
		{byUnittest, map[string]string{"test_total_case.TotalCase.test_total": "1-6"}},
	} {
		dir := project(t, "passes")
		test := "import subprocess\n\nfrom total import total\n\n\ndef test_empty():\n    assert total([]) == 0\n\n\n" +
			"def test_process():\n    subprocess.run(['/bin/sh', '-c', 'true'])\n\n\ndef test_fails():\n    assert False\n"
		if err := os.WriteFile(filepath.Join(dir, "tests", "test_empty.py"), []byte(test), 0o644); err != nil {
			t.Fatal(err)
		}
		testbox.Give(t, dir)
		stage := task(t, strings.Fields(tt.argv)...).On(dir, "")
		defer stage.Close()
		var ids []string
		for id := range tt.want {
			ids = append(ids, id)
		}
		if tt.argv == byPytest { // what other processes do is not seen, and what a test that fails would have done
			ids = append(ids, "tests/test_empty.py::test_process", "tests/test_empty.py::test_fails")
		}
		got := map[string]string{}
		known, err := stage.Cover(t.Context(), ids, 1, nil, func(test string, reach observe.Reach) error {
			var runs []string
			for _, l := range reach["total.py"] {
				text := fmt.Sprint(l.First)
				if l.Last > l.First {
					text += fmt.Sprintf("-%d", l.Last)
				}
				runs = append(runs, text)
			}
			got[test] = strings.Join(runs, " ")
			return nil
		})
		if err != nil || !known {
			t.Fatalf("known %v, %v", known, err)
		}
		if len(got) != len(tt.want) {
			t.Errorf("reach of %v", got)
		}
		for id, want := range tt.want {
			if got[id] != want {
				t.Errorf("%s reaches %q, want %q; all: %v", id, got[id], want, got)
			}
		}
	}
}
