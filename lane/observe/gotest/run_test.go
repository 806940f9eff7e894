//go:build linux

package gotest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/observe"
)

// A story is one run of one miniature project, and what it must show.
type story struct {
	project string
	argv    string // after "go test"; default "./..."
	minor   int    // the oldest release of Go that can run it

	tests  string // "name=status" of every test, sorted by id, without "example.org/project."
	exit   int    // -1: it did not exit
	units  string // "id=state" where a unit is not plainly ended: silent, open, exit N
	kinds  string // kinds of contradictions
	faults bool   // the records have problems
	said   map[string]string
}

var stories = []story{
	{project: "passes", tests: "TestTotal=passed TestTotalNegative=passed /till.TestPay=passed"},
	{project: "parallel_subtests", exit: 1,
		tests: "TestSum=failed TestSum/first=passed TestSum/second=failed TestSum/third=skipped TestSumAlone=passed",
		said:  map[string]string{"TestSum/second": "sum_test.go:11: Sum is 3", "TestSum/third": "sum_test.go:14: not today", "TestSumAlone": ""}},

	// C6: an exit before or after the tests.
	{project: "exits_zero_in_init", units: "=silent", kinds: "zero-but-silent"},
	{project: "exits_zero_in_testmain", tests: "TestAnswer=failed", kinds: "zero-but-failed zero-but-unit-failed"},
	// C8: go test itself says ok here.
	{project: "syscall_exit_in_test", tests: "TestAnswer=unfinished", units: "=open",
		kinds: "zero-but-unfinished zero-but-no-end zero-but-not-run"},
	{project: "fails_and_exits_zero_in_cleanup", tests: "TestAnswer=failed", units: "=open", kinds: "zero-but-failed zero-but-no-end",
		said: map[string]string{"TestAnswer": "a_test.go:10: wrong"}},
	// C9
	{project: "forges_test2json", units: "=silent", kinds: "zero-but-silent"},
	{project: "drops_a_test", tests: "TestAnswer=passed", kinds: "zero-but-unlisted"},
	// Only a canary tells these from the truth. C10: the second rewrites the machine code of package testing.
	{project: "forges_records", tests: "TestAnswer=passed"},
	{project: "patches_the_failure_method", tests: "TestAnswer=passed"},
	{project: "writes_garbage_to_fd3", tests: "TestAnswer=failed", exit: 1, faults: true, units: "ANY"},
	// R10
	{project: "prints_without_newline", tests: "TestFirst=passed TestSecond=failed", exit: 1},
	// C18
	{project: "skips_everything", tests: "TestAnswer=skipped TestParts=passed TestParts/one=skipped TestParts/two=skipped",
		said: map[string]string{"TestParts/two": "a_test.go:9: 2 is too many"}},

	{project: "panics", exit: 1, units: "=open",
		tests: "TestBefore=passed TestFirst=failed TestFirst/empty=failed TestFirst/other=unfinished",
		said:  map[string]string{"TestFirst/empty": "a.go:4: panic: runtime error: index out of range [0] with length 0"}},
	{project: "panics_in_a_goroutine", exit: 1, units: "=open", tests: "TestAnswer=unfinished"},
	{project: "times_out", argv: "-timeout=1s ./...", exit: 1, units: "=open timed out", tests: "TestQuick=passed TestStuck=unfinished",
		said: map[string]string{"TestStuck": "test timed out after 1s"}},
	// R6
	{project: "hangs_after_summary", exit: -1, tests: "TestAnswer=passed"},

	{project: "fuzz_seeds", exit: 1,
		tests: "FuzzAnswer=failed FuzzAnswer/found=passed FuzzAnswer/seed#0=passed FuzzAnswer/seed#1=failed " +
			"FuzzFine=passed FuzzFine/seed#0=passed FuzzFine/seed#0/inner=passed"},
	{project: "examples", exit: 1, tests: "Example=passed Example_unordered=passed Example_wrong=failed",
		said: map[string]string{"Example_wrong": "got:\nhello\nwant:\ngood bye"}},
	{project: "example_panics", exit: 1, units: "=open", tests: "Example=failed",
		said: map[string]string{"Example": "a_test.go:7: panic: assignment to entry in nil map"}},
	{project: "external_tests", tests: "TestAnswer=passed"},
	{project: "testmain", tests: "TestReady=passed"},
	{project: "fails_in_testmain", exit: 1, tests: "TestAnswer=passed", kinds: "red-but-green"},
	{project: "clears_environment", tests: "TestAnswer=passed"},
	{project: "runs_itself", tests: "TestAnswer=passed TestHelperProcess=passed"},
	{project: "uses_low_descriptors", exit: 1, tests: "TestAnswer=failed"},
	{project: "fails_from_elsewhere", exit: 1,
		tests: "TestCleanup=failed TestGoexit=failed TestHelper=failed TestParentFromChild=failed TestParentFromChild/child=failed",
		said: map[string]string{
			"TestCleanup": "a_test.go:16: late", "TestGoexit": "a_test.go:11: from a goroutine", "TestHelper": "a_test.go:21: in TestHelper",
		}},
	{project: "tests_the_testing_package", tests: "TestInner=passed TestMock=passed"},
	{project: "says_too_much", minor: 22, exit: 1, tests: "ANY"},
	{project: "stops_the_clock", minor: 25, exit: 1, tests: "TestBubble=failed", said: map[string]string{"TestBubble": "slept 1h0m0s"}},

	{project: "fails_to_build", exit: 1, units: "=silent", tests: "/fine.TestFine=passed"},
	// R9
	{project: "no_tests", units: ""},
	{project: "nested_module", tests: "TestOuter=passed /sub/deep.TestDeep=passed"},
	{project: "nested_module", argv: "-C inner", tests: "example.org/inner.TestInner=passed"},
	{project: "embeds_files", tests: "TestText=passed"},

	{project: "passes", argv: "-count=2 -cpu=1,2 -v -json -short ./... -args more", tests: "TestTotal=passed×4 TestTotalNegative=passed×4 /till.TestPay=passed×4"},
	{project: "passes", argv: "-run TotalN ./...", tests: "TestTotalNegative=passed"},
	{project: "passes", argv: ". -skip=Negative", tests: "TestTotal=passed"},
	{project: "passes", argv: "-list=. ./...", units: "ANY", kinds: "zero-but-silent zero-but-silent"},
}

func TestStories(t *testing.T) {
	for _, s := range stories {
		t.Run(strings.TrimSpace(s.project+" "+s.argv), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, s.project)
			if release(t, b.goroot) >= s.minor {
				s.check(t, b)
			}
		})
	}
}

func (s story) check(t *testing.T, b *bench) {
	argv := append([]string{"go", "test"}, strings.Fields(orDefault(s.argv, "./..."))...)
	r := b.request(argv...)
	r.NoVet = true
	p := b.instrument(t, r)
	o := b.run(t, p)
	defer func() {
		if t.Failed() {
			t.Logf("argv %q\noutput:\n%s\nproblems: %q", p.Argv, o.output[:min(len(o.output), 2000)], o.session.Problems)
		}
	}()
	exit := o.end.Code
	if !o.end.Exited {
		exit = -1
	}
	if exit != s.exit {
		t.Errorf("exit status %d, want %d", exit, s.exit)
	}
	prefix := "example.org/" + s.project
	if got := describeTests(o.session, prefix); s.tests != "ANY" && got != s.tests {
		t.Errorf("tests:\n got %s\nwant %s", got, s.tests)
	}
	if got := describeUnits(o.session, prefix); s.units != "ANY" && got != s.units {
		t.Errorf("units %q, want %q", got, s.units)
	}
	var kinds []string
	for _, c := range o.session.Contradictions(o.end) {
		kinds = append(kinds, string(c.Kind))
	}
	if got := strings.Join(kinds, " "); got != s.kinds {
		t.Errorf("contradictions %q, want %q", got, s.kinds)
	}
	if faults := len(o.session.Problems) > 0 || o.session.Lost; faults != s.faults {
		t.Errorf("problems %q, lost %v; want any: %v", o.session.Problems, o.session.Lost, s.faults)
	}
	for _, name := range slices.Sorted(maps.Keys(s.said)) {
		test := o.session.Find(prefix + "." + name)
		if test == nil || !strings.Contains(test.Message, s.said[name]) || s.said[name] == "" && test.Message != "" {
			t.Errorf("%s said %+v, want %q", name, test, s.said[name])
		}
	}
}

func describeTests(s *observe.Session, prefix string) string {
	var list []string
	for _, test := range s.Tests {
		name := strings.TrimPrefix(strings.TrimPrefix(test.ID, prefix), ".")
		text := name + "=" + string(test.Status)
		if test.Runs != 1 {
			text += fmt.Sprintf("×%d", test.Runs)
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

func describeUnits(s *observe.Session, prefix string) string {
	var list []string
	for _, u := range s.Units {
		state := ""
		switch {
		case u.Silent():
			state = "silent"
		case !u.Ended:
			state = "open"
		case u.Exit > 1 || u.Exit == 1 && !slices.ContainsFunc(s.Tests, func(t observe.Test) bool { return t.Unit == u.ID && t.Status == observe.Failed }):
			state = fmt.Sprintf("exit %d", u.Exit)
		}
		if u.TimedOut {
			state += " timed out"
		}
		if state != "" {
			list = append(list, strings.TrimPrefix(u.ID, prefix)+"="+state)
		}
	}
	return strings.Join(list, " ")
}
