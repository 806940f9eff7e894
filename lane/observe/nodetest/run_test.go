//go:build linux

package nodetest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/observe"
)

// A story is one run of one miniature project, and what it must show.
type story struct {
	project string
	argv    string // default "node --test"

	tests  string // "id=status" of every test, sorted by id, joined by "; "
	exit   int    // -1: it did not exit; -2: whichever the release says
	units  string // "id=state" where a unit is not plainly ended: silent, open, exit N
	kinds  string // kinds of contradictions; "ANY" for whichever
	faults bool   // the records have problems
	said   map[string]string
}

var stories = []story{
	{project: "passes", tests: "lib/shop.test.mjs > shop=passed; lib/shop.test.mjs > shop > sells=passed; " +
		"test/cart.test.js > adds up=passed; test/cart.test.js > nothing is zero=passed"},
	{project: "passes", argv: "node --test test/cart.test.js", tests: "test/cart.test.js > adds up=passed; test/cart.test.js > nothing is zero=passed"},
	{project: "passes", argv: "node --test-name-pattern=zero --test --no-warnings test/cart.test.js", tests: "test/cart.test.js > nothing is zero=passed"},
	{project: "nested", exit: 1, tests: "sum.test.js > alone=passed; sum.test.js > sum=failed; sum.test.js > sum > adds=passed; " +
		"sum.test.js > sum > deep=passed; sum.test.js > sum > deep > adds=passed; sum.test.js > sum > subtracts=failed; " +
		"sum.test.js > sum > subtracts > below zero=failed; sum.test.js > sum > subtracts > later=skipped",
		said: map[string]string{"sum.test.js > sum > subtracts > below zero": "sum.test.js:8: AssertionError", "sum.test.js > sum > subtracts > later": "skipped: not today"}},
	{project: "runs_at_once", exit: 1, tests: "a.test.js > slow=failed; a.test.js > slow > first=passed; a.test.js > slow > second=failed; a.test.js > slow > second > part=failed"},
	{project: "same_name_twice", exit: 1, tests: "a.test.js > twin=passed; a.test.js > twin #2=failed; a.test.js > twin #3=passed"},
	{project: "hooks_fail", exit: 1, tests: "a.test.js > after=failed; a.test.js > after > writes=failed; a.test.js > before=failed; a.test.js > before > reads=failed"},
	{project: "times_out", exit: 1, tests: "a.test.js > last=passed; a.test.js > quick=passed; a.test.js > stuck=failed"},
	{project: "mocks_time", tests: "a.test.js > stands still=passed"},
	{project: "starts_node_itself", tests: "a.test.js > a child may run tests of its own=passed; " +
		"a.test.js > a child sees nothing of the observer=passed; a.test.js > a worker is no test file=passed"},
	// A script that is run without the runner, and what npm runs: the observer is passed on.
	{project: "in_its_process", argv: "node test.js", tests: "test.js > adds up=passed"},
	{project: "in_its_process", argv: "npm test", tests: "test.js > adds up=passed"},
	{project: "in_its_process", argv: "npm run direct", tests: "test.js > adds up=passed"},

	// C3, C5, C8: an exit before, in and instead of the tests.
	{project: "exits_zero_at_import", tests: ""},
	{project: "really_exits_at_import", units: "answer.test.js=open", kinds: "zero-but-no-end"},
	{project: "exits_zero_when_called", tests: "answer.test.js > answer=unfinished", units: "answer.test.js=open", kinds: "zero-but-unfinished zero-but-no-end"},
	{project: "really_exits_when_called", tests: "answer.test.js > answer=unfinished; answer.test.js > before=passed", units: "answer.test.js=open",
		kinds: "zero-but-unfinished zero-but-no-end zero-but-not-run"},
	// C4
	{project: "exits_zero_at_exit", exit: -2, tests: "answer.test.js > answer=failed", kinds: "ANY"},
	{project: "clears_the_exit_code", exit: -2, tests: "answer.test.js > answer=failed", kinds: "ANY"},
	// C9, C12: standard output is never evidence.
	{project: "prints_passed", exit: 1, tests: "answer.test.js > answer=failed"},
	{project: "forges_the_runners_stream", exit: -2, tests: "", units: "ANY"},
	// Only a canary tells these from the truth.
	{project: "bends_assert", tests: "answer.test.js > answer=passed"},
	{project: "forges_records", tests: "answer.test.js > answer=passed"},
	// C15: only a mutant tells this one.
	{project: "equals_everything", tests: "answer.test.js > answer=passed"},
	{project: "hashes_its_source", tests: "answer.test.js > source is as it was=passed"},
	{project: "writes_garbage_to_fd3", exit: 1, tests: "answer.test.js > answer=failed", faults: true},
	{project: "bends_json", exit: 1, tests: "answer.test.js > answer=failed"},
	// C18, C27
	{project: "skips_everything", tests: "a.test.js > all of it=skipped; a.test.js > all of it > one=skipped; a.test.js > all of it > two=skipped; " +
		"a.test.js > empty=skipped; a.test.js > never entered=skipped; a.test.js > skipped=skipped; a.test.js > skips itself=skipped; a.test.js > todo=skipped",
		said: map[string]string{"a.test.js > skips itself": "skipped: no network", "a.test.js > todo": "todo: one day", "a.test.js > empty": "no test in it"}},
	{project: "skips_from_within", tests: "answer.test.js > answer=skipped"},

	{project: "fails_to_load", exit: 1, tests: "a.test.js=failed; a.test.js > cart=failed; a.test.js > cart > adds=failed; a.test.js > never=failed; b.test.js > fine=passed", said: map[string]string{"a.test.js": "Cannot find module './missing.js'"}},
	{project: "throws_after_its_tests", exit: 1, tests: "a.test.js=failed; a.test.js > fine=passed", said: map[string]string{"a.test.js": "late"}},
	// R9
	{project: "no_tests", exit: -2, kinds: "ANY"},
	{project: "registers_none", exit: -2, kinds: "ANY"},
	{project: "plain_script", exit: 1, tests: "test/check.js=passed; test/wrong.js=failed"},
	// R6, R7
	{project: "never_exits", exit: -1, tests: "a.test.js > fine=passed"},
	{project: "child_holds_stdout", exit: -2, tests: "a.test.js > starts a server=passed"},
	// R17
	{project: "odd_names", tests: "a.test.js > </script><b>\x1b[31m=passed; a.test.js > <anonymous>=passed; a.test.js > a › b=passed; a.test.js > closes #12=passed; a.test.js > half \uFFFD pair=passed; " +
		"a.test.js > nothing \x00 here=passed; a.test.js > two lines=passed; a.test.js > " + strings.Repeat("x", 500) + "…=passed"},
}

func TestStories(t *testing.T) {
	for _, s := range stories {
		t.Run(strings.TrimSpace(s.project+" "+s.argv), func(t *testing.T) {
			t.Parallel()
			s.check(t, newBench(t, s.project))
		})
	}
}

func (s story) check(t *testing.T, b *bench) {
	b.env = []string{"NODE_TEST_CONTEXT=child"} // R11: of the caller
	p := b.instrument(t, b.request(s.command()...))
	s.judge(t, b.run(t, p))
}

func (s story) command() []string { return strings.Fields(orDefault(s.argv, "node --test")) }

func (s story) judge(t *testing.T, o outcome) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("output:\n%s\nproblems: %q", o.output[:min(len(o.output), 3000)], o.session.Problems)
		}
	}()
	exit := o.end.Code
	if !o.end.Exited {
		exit = -1
	}
	if exit != s.exit && s.exit != -2 {
		t.Errorf("exit status %d, want %d", exit, s.exit)
	}
	if got := describeTests(o.session); s.tests != "ANY" && got != s.tests {
		t.Errorf("tests:\n got %s\nwant %s", got, s.tests)
	}
	if got := describeUnits(o.session); s.units != "ANY" && got != s.units {
		t.Errorf("units %q, want %q", got, s.units)
	}
	var kinds []string
	for _, c := range o.session.Contradictions(o.end) {
		kinds = append(kinds, string(c.Kind))
	}
	if got := strings.Join(kinds, " "); s.kinds != "ANY" && got != s.kinds {
		t.Errorf("contradictions %q, want %q", got, s.kinds)
	}
	if faults := len(o.session.Problems) > 0 || o.session.Lost; faults != s.faults {
		t.Errorf("problems %q, lost %v; want any: %v", o.session.Problems, o.session.Lost, s.faults)
	}
	for _, id := range slices.Sorted(maps.Keys(s.said)) {
		if test := o.session.Find(id); test == nil || !strings.Contains(test.Message, s.said[id]) {
			t.Errorf("%s said %+v, want %q", id, test, s.said[id])
		}
	}
}

func describeTests(s *observe.Session) string {
	var list []string
	for _, test := range s.Tests {
		list = append(list, test.ID+"="+string(test.Status))
	}
	return strings.Join(list, "; ")
}

func describeUnits(s *observe.Session) string {
	var list []string
	for _, u := range s.Units {
		switch {
		case u.Silent():
			list = append(list, u.ID+"=silent")
		case !u.Ended:
			list = append(list, u.ID+"=open")
		}
	}
	return strings.Join(list, " ")
}
