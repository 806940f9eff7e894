//go:build linux

package python_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/internal/testbox"
	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/observe/python"
	"github.com/vallane/lane/lane/runner"
)

func TestMain(m *testing.M) {
	fence.Init()
	os.Exit(m.Run())
}

// project copies a project of testdata to where a box's user can read it.
func project(t testing.TB, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	testbox.Give(t, dir)
	return dir
}

// task is a command in the real closure.
func task(t testing.TB, argv ...string) *runner.Task {
	t.Helper()
	c := testclosure.Python(t)
	var reporter observe.Reporter = python.Pytest{}
	if (python.Unittest{}).Claims(argv) {
		reporter = python.Unittest{}
	}
	return testbox.Task(c, reporter, argv...)
}

// run runs one order of a task on a tree in a box.
func run(t testing.TB, task *runner.Task, tree string, o runner.Order) runner.Seen {
	t.Helper()
	stage := task.On(tree, "")
	defer stage.Close()
	seen, err := stage.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

// describe is "id=status" of every test.
func describe(s *observe.Session) string {
	var list []string
	for _, x := range s.Tests {
		text := x.ID + "=" + string(x.Status)
		if x.Runs != 1 {
			text += fmt.Sprintf("×%d", x.Runs)
		}
		list = append(list, text)
	}
	return strings.Join(list, "\n")
}

func end(seen *runner.Seen) observe.End {
	return observe.End{Exited: seen.Box.End == fence.Exited, Code: seen.Box.Exit}
}

// kinds lists the kinds of contradictions, each once.
func kinds(seen *runner.Seen) string {
	var list []string
	for _, c := range seen.Session.Contradictions(end(seen)) {
		if k := string(c.Kind); len(list) == 0 || list[len(list)-1] != k {
			list = append(list, k)
		}
	}
	return strings.Join(list, " ")
}
