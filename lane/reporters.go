package lane

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/observe/exit"
	"github.com/vallane/lane/lane/observe/gotest"
	"github.com/vallane/lane/lane/observe/jsrunner"
	"github.com/vallane/lane/lane/observe/junit"
	"github.com/vallane/lane/lane/observe/nodetest"
	"github.com/vallane/lane/lane/observe/python"
	"github.com/vallane/lane/lane/observe/tap"
	"github.com/vallane/lane/lane/spec"
)

// reporters lists the test runners that Lane can make report, in the order in which "auto" asks them. The first that claims a
// command has it.
func reporters() []observe.Reporter {
	return []observe.Reporter{gotest.Reporter{}, python.Pytest{}, python.Unittest{}, nodetest.Reporter{}, jsrunner.Vitest(), jsrunner.Jest(), jsrunner.Mocha(), tap.Reporter{}, exit.Reporter{}}
}

// choose finds the reporter that a task names, or for "auto" the one that claims its command. A command that nobody claims
// is judged by its exit status alone: that is true of every command, says least, and is said. why is empty where the task
// names its reporter.
func choose(t spec.Task) (r observe.Reporter, why string, err error) {
	if path := t.Report(); path != "" {
		return junit.Reporter{Path: path}, "", nil
	}
	for _, r := range reporters() {
		switch {
		case t.Reporter == r.Name():
			return r, "", nil
		case t.Reporter == "auto" && r.Claims(t.Run):
			return r, fmt.Sprintf("chosen because the command is one of its runner; class %s", r.Class()), nil
		}
	}
	if t.Reporter == "auto" {
		return exit.Reporter{}, "chosen because no reporter claims the command: its exit status is its only test; class " +
			string(observe.Forgeable) + "; name a reporter for more", nil
	}
	return nil, "", fmt.Errorf("the reporter %s is not there", t.Reporter)
}

// noteChoice says in the verdict which reporter a task has, where the spec left it open.
func (j *job) noteChoice(t spec.Task, r observe.Reporter, why string) {
	if why != "" && r.Class() == observe.Forgeable {
		j.note(fmt.Sprintf("task %s (%s): the reporter is %s, %s", t.Name, strings.Join(t.Run, " "), r.Name(), why))
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
