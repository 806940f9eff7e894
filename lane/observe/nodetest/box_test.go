//go:build linux

package nodetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/internal/testbox"
	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/runner"
)

func TestMain(m *testing.M) {
	fence.Init()
	os.Exit(m.Run())
}

// stage lays a project of testdata where boxes of the closure of examples/node see it.
func stage(t *testing.T, project string, argv []string) *runner.Stage {
	t.Helper()
	tree := filepath.Join(t.TempDir(), "tree")
	if err := os.CopyFS(tree, os.DirFS(filepath.Join("testdata", project))); err != nil {
		t.Fatal(err)
	}
	testbox.Give(t, tree)
	task := testbox.Task(testclosure.Node(t), Reporter{}, argv...)
	task.Env = []string{"NODE_OPTIONS=--no-warnings"}
	s := task.On(tree, "")
	t.Cleanup(s.Close)
	return s
}

// Every story is the same in a real box, with the closure's Node.js.
func TestStoriesInBoxes(t *testing.T) {
	for _, s := range stories {
		if strings.HasPrefix(s.argv, "npm") {
			continue // the closure has Node.js alone
		}
		t.Run(strings.TrimSpace(s.project+" "+s.argv), func(t *testing.T) {
			seen, err := stage(t, s.project, s.command()).Run(t.Context(), runner.Order{})
			if err != nil {
				t.Fatal(err)
			}
			b := &seen.Box
			s.judge(t, outcome{seen.Session, observe.End{Exited: b.End == fence.Exited, Code: max(b.Exit, 0)}, seen.Output()})
			if s.exit == -1 && b.End != fence.DidNotExit {
				t.Errorf("ended as %s, want %s", b.End, fence.DidNotExit) // R6
			}
			if held := len(b.Leaky) > 0; held != (s.project == "child_holds_stdout") {
				t.Errorf("leaky: %v", b.Leaky) // R7
			}
		})
	}
}

// C29, and canaries in a real box.
func TestControlsInABox(t *testing.T) {
	seed := [32]byte{3}
	seen, err := stage(t, "passes", []string{"node", "--test"}).Run(t.Context(), runner.Order{Canaries: &seed})
	if err != nil {
		t.Fatal(err)
	}
	if unseen := seen.Session.CanariesUnseen(seen.Plan.Canaries); len(unseen) > 0 || len(seen.Plan.Canaries) != 4 || seen.Box.Exit == 0 {
		t.Errorf("%d canaries, unseen %v, exit status %d", len(seen.Plan.Canaries), unseen, seen.Box.Exit)
	}
	pinned := stage(t, "hashes_its_source", []string{"node", "--test"})
	seen, err = pinned.Run(t.Context(), runner.Order{Overlay: map[string]fence.Change{
		"answer.js": {Data: []byte("exports.answer = () => 42;\n\n")}}})
	if err != nil {
		t.Fatal(err)
	}
	if test := seen.Session.Find("answer.test.js > source is as it was"); test == nil || test.Status != observe.Failed {
		t.Errorf("a test that hashes the source saw %+v of an edit that changes nothing", test)
	}
}
