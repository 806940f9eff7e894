//go:build linux

package python_test

import (
	"strings"
	"testing"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/runner"
)

const (
	byPytest   = "pytest"
	byUnittest = "python3 -m unittest"
)

// A story is one run of one miniature project, and what it must show.
type story struct {
	project string
	argv    string
	env     []string

	tests string // "id=status" of every test, sorted by id
	exit  int    // -1: it did not exit
	units string // silent, open, or empty where the unit ended
	kinds string // kinds of contradictions
	said  string // part of what the output says
}

var stories = []story{
	{project: "passes", argv: byPytest, tests: `
		test_total_case.py::TotalCase::test_parts=passed
		test_total_case.py::TotalCase::test_total=passed
		tests/test_total.py::TestTotal::test_order=passed
		tests/test_total.py::test_total=passed
		tests/test_total.py::test_total_of=passed
		tests/test_total.py::test_total_of[below]=passed
		tests/test_total.py::test_total_of[none]=passed
		tests/test_total.py::test_total_of[one]=passed`},
	{project: "passes", argv: "python3 -m pytest -q -k order tests", tests: "tests/test_total.py::TestTotal::test_order=passed"},
	{project: "passes", argv: byUnittest, tests: `
		test_total_case.TotalCase.test_parts=passed
		test_total_case.TotalCase.test_parts (n=1)=passed
		test_total_case.TotalCase.test_parts (n=2)=passed
		test_total_case.TotalCase.test_total=passed`},
	{project: "passes", argv: byUnittest + " -v test_total_case.TotalCase.test_total", tests: "test_total_case.TotalCase.test_total=passed"},
	{project: "outcomes", argv: byPytest, exit: 1, tests: `
		test_does_not_load.py=failed
		test_does_not_load.py::TestMore::test_one=failed
		test_does_not_load.py::test_alone=failed
		test_module_skip.py::test_inner=skipped
		test_outcomes.py::Case::test_expected=skipped
		test_outcomes.py::Case::test_fails=failed
		test_outcomes.py::Case::test_passes=passed
		test_outcomes.py::Case::test_skips=skipped
		test_outcomes.py::test_another_error=failed
		test_outcomes.py::test_breaks_down=failed
		test_outcomes.py::test_calls_xfail=skipped
		test_outcomes.py::test_errors=failed
		test_outcomes.py::test_exits=failed
		test_outcomes.py::test_expected=skipped
		test_outcomes.py::test_fails=failed
		test_outcomes.py::test_none=skipped
		test_outcomes.py::test_none[1]=skipped
		test_outcomes.py::test_none[2]=skipped
		test_outcomes.py::test_skipped=skipped
		test_outcomes.py::test_skips=skipped
		test_outcomes.py::test_some=failed
		test_outcomes.py::test_some[1]=passed
		test_outcomes.py::test_some[2]=failed
		test_outcomes.py::test_some[3]=passed
		test_outcomes.py::test_strict=failed
		test_outcomes.py::test_unexpected=passed`},
	{project: "unittest_outcomes", argv: byUnittest, exit: 1, tests: `
		test_does_not_load=failed
		test_does_not_load.Alone.test_inner=failed
		test_outcomes.BrokenClass.test_inner=failed
		test_outcomes.LeavesClass.test_inner=failed
		test_outcomes.Outcomes.test_errors=failed
		test_outcomes.Outcomes.test_exits=failed
		test_outcomes.Outcomes.test_expected=skipped
		test_outcomes.Outcomes.test_fails=failed
		test_outcomes.Outcomes.test_parts=failed
		test_outcomes.Outcomes.test_parts (n=1)=passed
		test_outcomes.Outcomes.test_parts (n=2)=failed
		test_outcomes.Outcomes.test_parts (n=3)=skipped
		test_outcomes.Outcomes.test_passes=passed
		test_outcomes.Outcomes.test_skips=skipped
		test_outcomes.Outcomes.test_unexpected=failed
		test_outcomes.SkippedClass.test_inner=skipped`},

	// C1: a hook rewrites the reports, and the exit status with them.
	{project: "rewrites_reports", argv: byPytest, kinds: "zero-but-failed unit-zero-but-failed", tests: `
		test_answer.py::test_answer=failed
		test_case.py::AnswerCase::test_answer=failed`},
	{project: "replaces_the_loop", argv: byPytest, kinds: "zero-but-not-run"},
	{project: "replaces_the_session", argv: byPytest, units: "silent", kinds: "zero-but-silent"},
	{project: "replaces_the_call", argv: byPytest, tests: `
		test_answer.py::test_answer=skipped
		test_case.py::AnswerCase::test_answer=skipped`},
	// Only a canary tells these from the truth.
	{project: "patches_the_runner", argv: byPytest, tests: `
		test_answer.py::test_answer=passed
		test_case.py::AnswerCase::test_answer=passed`},
	{project: "patches_the_runner", argv: byUnittest, tests: "test_case.AnswerCase.test_answer=passed"},
	// C3
	{project: "exits_zero_at_import", argv: byPytest, units: "silent", kinds: "zero-but-silent"},
	{project: "exits_zero_at_import", argv: byUnittest, units: "silent", kinds: "zero-but-silent"},
	{project: "exits_zero_when_called", argv: byPytest, units: "open", tests: "test_answer.py::test_answer=unfinished",
		kinds: "zero-but-unfinished zero-but-no-end zero-but-not-run"},
	{project: "exits_zero_when_called", argv: byUnittest, units: "open", tests: "test_case.AnswerCase.test_answer=unfinished",
		kinds: "zero-but-unfinished zero-but-no-end"},
	{project: "fails_and_exits_zero", argv: byPytest, units: "open", tests: "test_answer.py::test_answer=failed", kinds: "zero-but-failed zero-but-no-end"},
	// C4
	{project: "exits_zero_at_exit", argv: byPytest, kinds: "zero-but-failed zero-but-unit-failed", tests: `
		test_answer.py::test_answer=failed
		test_case.py::AnswerCase::test_answer=failed`},
	{project: "exits_zero_at_exit", argv: byUnittest, kinds: "zero-but-failed zero-but-unit-failed", tests: "test_case.AnswerCase.test_answer=failed"},
	// C5
	{project: "sys_exit_when_called", argv: byPytest, exit: 1, tests: `
		test_answer.py::test_answer=failed
		test_case.py::AnswerCase::test_answer=failed`},
	{project: "sys_exit_when_called", argv: byUnittest, exit: 1, tests: "test_case.AnswerCase.test_answer=failed"},
	{project: "pytest_exit_when_called", argv: byPytest, tests: "test_answer.py::test_answer=failed",
		kinds: "zero-but-failed unit-zero-but-failed zero-but-not-run"},
	// C13, C14
	{project: "writes_its_own_report", argv: byPytest + " --junitxml=report.xml", exit: 1, tests: `
		test_answer.py::test_answer=failed
		test_case.py::AnswerCase::test_answer=failed`},
	// C15, C29: mutants and controls tell.
	{project: "equals_everything", argv: byPytest, tests: `
		test_answer.py::test_answer=passed
		test_case.py::AnswerCase::test_answer=passed`},
	{project: "hashes_the_source", argv: byPytest + " test_answer.py", tests: `
		test_answer.py::test_answer=passed
		test_answer.py::test_source=passed`},
	// C18, C27
	{project: "skips_everything", argv: byPytest, tests: `
		test_answer.py::test_answer=skipped
		test_case.py::AnswerCase::test_answer=skipped`},
	{project: "raises_skip", argv: byPytest, tests: `
		test_answer.py::test_answer=skipped
		test_case.py::AnswerCase::test_answer=skipped`},
	{project: "raises_skip", argv: byUnittest, tests: "test_case.AnswerCase.test_answer=skipped"},
	// C19
	{project: "collects_only", argv: byPytest, exit: 1, said: "for the command of the spec to say: --collect-only -k none --deselect", tests: `
		test_answer.py::test_answer=failed
		test_case.py::AnswerCase::test_answer=failed`},
	// C22, C23, C24
	{project: "has_a_pytest_of_its_own", argv: "python3 -m pytest", exit: 1, tests: `
		test_answer.py::test_answer=failed
		test_case.py::AnswerCase::test_answer=failed`},
	{project: "has_a_pytest_of_its_own", argv: byUnittest, exit: 1, tests: "test_case.AnswerCase.test_answer=failed"},
	{project: "has_a_sitecustomize", argv: "python3 -m pytest", exit: 1, env: []string{"PYTHONPATH=.", "PYTEST_ADDOPTS=--collect-only"}, tests: `
		test_answer.py::test_answer=failed
		test_case.py::AnswerCase::test_answer=failed`},
	{project: "has_a_sitecustomize", argv: byUnittest, exit: 1, env: []string{"PYTHONPATH=."}, tests: "test_case.AnswerCase.test_answer=failed"},
	// C28
	{project: "retries", argv: byPytest + " test_answer.py", kinds: "zero-but-failed unit-zero-but-failed", tests: "test_answer.py::test_answer=failed"},

	// R4
	{project: "writes_into_its_tree", argv: byPytest, tests: `
		test_answer.py::test_answer=passed
		test_case.py::AnswerCase::test_answer=passed`},
	// Names that are cut for the records stay parts of their tests.
	{project: "long_names", argv: byPytest, tests: `
		test_words.py::WordCase::test_words=passed
		test_words.py::test_word=passed
		test_words.py::test_word[` + strings.Repeat("a", 955) + `~08a1f66578a808a9]=passed
		test_words.py::test_word[` + strings.Repeat("a", 955) + `~804a62206c4d3421]=passed`},
	{project: "long_names", argv: byUnittest, tests: `
		test_words.WordCase.test_words=passed
		test_words.WordCase.test_words (word='` + strings.Repeat("a", 942) + `~04a5e3b4dd4f003e)=passed
		test_words.WordCase.test_words (word='` + strings.Repeat("a", 942) + `~66aa09e610fe763e)=passed`},
	// R6
	{project: "never_exits", argv: byPytest + " test_answer.py", exit: -1, tests: "test_answer.py::test_answer=passed"},
	{project: "never_exits", argv: byUnittest, exit: -1, tests: "test_case.AnswerCase.test_answer=passed"},
	// R9
	{project: "no_tests", argv: byPytest, exit: 5, kinds: "unit-red-but-green"},
	{project: "no_tests", argv: byUnittest, exit: 5, kinds: "unit-red-but-green"},
	// R13
	{project: "needs_permissions", argv: byPytest + " test_answer.py", tests: "test_answer.py::test_answer=passed"},
}

func TestStories(t *testing.T) {
	for _, s := range stories {
		t.Run(s.project+" "+s.argv, func(t *testing.T) { s.check(t) })
	}
}

func (s story) check(t *testing.T) {
	task := task(t, strings.Fields(s.argv)...)
	task.Env = s.env
	seen := run(t, task, project(t, s.project), runner.Order{})
	defer func() {
		if t.Failed() {
			t.Logf("output:\n%s", seen.Output())
		}
	}()
	if got, want := describe(seen.Session), strings.ReplaceAll(strings.TrimSpace(s.tests), "\t", ""); got != want {
		t.Errorf("tests:\n%s\nwant:\n%s", got, want)
	}
	exit := seen.Box.Exit
	if seen.Box.End == fence.DidNotExit {
		exit = -1
	} else if seen.Box.End != fence.Exited {
		t.Errorf("it ended as %s", seen.Box.End)
	}
	if exit != s.exit {
		t.Errorf("exit status %d, want %d", exit, s.exit)
	}
	state := ""
	if u := seen.Session.Units[0]; u.Silent() {
		state = "silent"
	} else if !u.Ended {
		state = "open"
	}
	if state != s.units {
		t.Errorf("the unit is %q, want %q", state, s.units)
	}
	if got := kinds(&seen); got != s.kinds {
		t.Errorf("contradictions %q, want %q", got, s.kinds)
	}
	if len(seen.Session.Problems) > 0 || seen.Session.Lost {
		t.Errorf("problems %q, lost %v", seen.Session.Problems, seen.Session.Lost)
	}
	if !strings.Contains(seen.Output(), s.said) {
		t.Errorf("the output does not say %q", s.said)
	}
}
