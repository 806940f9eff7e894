package lane

import (
	"fmt"
	"strings"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/runner"
)

// crossDevice are the words for EXDEV of the C library, of Go and of Node.
var crossDevice = []string{"cross-device link", "EXDEV"}

// hintAtCopy says in the verdict what may stand behind a run that failed with EXDEV: an overlay renames no folder of the
// tree, which is no fault of the code. Nothing is decided by it.
func (j *job) hintAtCopy(t *task, seen *runner.Seen) {
	if t.runner.TreeCopy || seen.Box.End == fence.Exited && seen.Box.Exit == 0 || !speaksOf(seen, crossDevice) {
		return
	}
	j.note(fmt.Sprintf("task %s: a run failed and speaks of a cross-device link (EXDEV): the tree is an overlay, in which its folders "+
		"cannot be renamed; tree = \"copy\" in [env] of the spec gives the runs a copy", t.spec.Name))
}

// speaksOf looks for words in what a run printed and in what its failed tests said.
func speaksOf(seen *runner.Seen, words []string) bool {
	in := func(text string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	if in(seen.Output()) {
		return true
	}
	for _, t := range seen.Session.Tests {
		if t.Status != observe.Passed && in(t.Message) {
			return true
		}
	}
	return false
}
