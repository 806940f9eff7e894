package runner

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/observe/exit"
	"github.com/vallane/lane/lane/observe/junit"
	"github.com/vallane/lane/lane/observe/tap"
	"github.com/vallane/lane/mutate"
)

const goodReport = `<testsuite name="cart"><testcase classname="cart" name="total"/></testsuite>`

// writeReport is a command that writes a JUnit report and ends with a status.
func writeReport(report, status string) string {
	return "mkdir -p out && cat >out/report.xml <<'EOF'\n" + report + "\nEOF\nexit " + status
}

// What a command leaves behind is read once its last process is gone.
func TestForgeableReporters(t *testing.T) {
	red := strings.Replace(goodReport, "/></testsuite>", "><failure/></testcase></testsuite>", 1)
	for _, x := range []struct {
		name     string
		reporter observe.Reporter
		script   string
		tree     map[string]string

		tests  string
		exit   int
		detail string // of the observation
		lost   bool   // the counts are not known
	}{
		{name: "exit 0", reporter: exit.Reporter{}, script: "echo '0 passed, 3 failed'", tests: "unit=passed"},
		{name: "exit 4", reporter: exit.Reporter{}, script: "echo '3 passed'; exit 4", tests: "unit=failed", exit: 4}, // C12
		{name: "TAP", reporter: tap.Reporter{}, script: "printf '1..2\\nok 1 - a\\nnot ok 2 - b\\n'; exit 1", tests: "a=passed b=failed", exit: 1},
		{name: "TAP on standard error is none", reporter: tap.Reporter{}, script: "printf '1..1\\nok 1 - a\\n' >&2", detail: "no TAP"},
		{name: "more TAP than a tail holds", reporter: tap.Reporter{}, script: "echo 1..40000; i=0; while [ $i -lt 40000 ]; do i=$((i+1)); echo ok; done",
			tests: "40000 tests"},
		{name: "no TAP", reporter: tap.Reporter{}, script: "echo '3 passed'", detail: "nothing that the command printed is TAP", lost: true},
		{name: "a report", reporter: junit.Reporter{Path: "out/report.xml"}, script: writeReport(goodReport, "0"), tests: "cart.total=passed"},
		{name: "a report that says no", reporter: junit.Reporter{Path: "out/report.xml"}, script: writeReport(red, "1"), tests: "cart.total=failed", exit: 1},
		{name: "no report", reporter: junit.Reporter{Path: "out/report.xml"}, script: "true", detail: "wrote no report out/report.xml"},
		{name: "a broken report", reporter: junit.Reporter{Path: "out/report.xml"}, script: writeReport("<testsuite>", "0"), detail: "breaks off", lost: true},
		// C13: the change brings the report along.
		{name: "a report of the tree's", reporter: junit.Reporter{Path: "out/report.xml"}, script: "true",
			tree: map[string]string{"out/report.xml": goodReport, "out/keep": ""}, detail: "wrote no report out/report.xml"},
		{name: "a link in its place", reporter: junit.Reporter{Path: "out/report.xml"},
			script: "mkdir out; echo '" + goodReport + "' >x; ln -s ../x out/report.xml", detail: "wrote no report out/report.xml"},
		// C14: a process that waits for the command's end to make it green.
		{name: "a report that is rewritten later", reporter: junit.Reporter{Path: "out/report.xml"},
			script: "(sleep 1; echo '" + goodReport + "' >out/report.xml) >/dev/null 2>&1 & " + writeReport(red, "1"), tests: "cart.total=failed", exit: 1},
	} {
		t.Run(x.name, func(t *testing.T) {
			files := map[string]string{"readme": ""}
			maps.Copy(files, x.tree)
			task := shellTask(t, x.script)
			task.Reporter = x.reporter
			stage := task.On(tree(t, files), "")
			defer stage.Close()
			seen, err := stage.Run(t.Context(), Order{})
			if err != nil {
				t.Fatal(err)
			}
			var list []string
			for _, test := range seen.Session.Tests {
				list = append(list, test.ID+"="+string(test.Status))
			}
			got := strings.Join(list, " ")
			if len(list) > 10 {
				got = fmt.Sprintf("%d tests", len(list))
			}
			if got != x.tests || seen.Box.Exit != x.exit {
				t.Errorf("%s, exit status %d; want %s, %d\n%s", got, seen.Box.Exit, x.tests, x.exit, seen.Output())
			}
			o := seen.Observation()
			if !strings.Contains(o.Detail, x.detail) || o.Lost != x.lost || len(o.Problems) > 0 {
				t.Errorf("detail %q, lost %v, problems %q; want %q, %v", o.Detail, o.Lost, o.Problems, x.detail, x.lost)
			}
			if o.End != assurance.EndExited {
				t.Errorf("ended as %s", o.End)
			}
		})
	}
}

// A mutant that a command of one test notices is killed at T0; one that leaves no readable report is no kill.
func TestForgeableTrials(t *testing.T) {
	task := shellTask(t, `grep -q right answer.txt`)
	task.Reporter = exit.Reporter{}
	stage := task.On(tree(t, map[string]string{"answer.txt": "right\n"}), "")
	defer stage.Close()
	run := func(text string) mutate.TrialResult {
		res, err := (&Trials{Stage: stage}).Run(t.Context(), mutate.Trial{FailFast: true,
			Overlay: map[string]mutate.Content{"answer.txt": {Data: []byte(text)}}})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	if res := run("right\n\n"); res.Tests["unit"] != mutate.Passed {
		t.Errorf("null mutant: %+v", res)
	}
	if res := run("wrong\n"); res.Tests["unit"] != mutate.Failed || res.End != mutate.EndExited {
		t.Errorf("mutant: %+v", res)
	}
}

// shellTask is a task that runs a script by the closure's shell.
func shellTask(t *testing.T, script string) *Task {
	c := testclosure.Node(t)
	task := &Task{
		Name: "unit", Argv: []string{"sh", "-c", script}, Timeout: time.Minute,
		Path: c.PathDirs(), Time: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC), Zones: filepath.Join(os.TempDir(), "lane-test-zones"),
	}
	for _, p := range c.Paths {
		task.Store = append(task.Store, fence.Mount{Host: p.Host, Box: p.StorePath})
	}
	return task
}
