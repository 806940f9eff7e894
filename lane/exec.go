package lane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/lane/spec"
)

// ExecOptions say what a person runs in a task's box.
type ExecOptions struct {
	// Task is the name of the task; "" is the only one.
	Task string
	// Tree is "head", the default, or "base".
	Tree string
	// Phase is "test", the default, or FetchPhase.
	Phase string
	// Argv is the command; empty is the closure's shell, or the module of a task of the fence wasi.
	Argv []string
	// Stdin is the command's standard input; nil is an empty one.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Terminal gives the command a terminal of its own, whose other side Stdin and Stdout are; nil for none.
	Terminal *fence.Terminal
	// Interactive bounds the command by a day in place of the timeout of the task, or of the fetch phase's commands.
	Interactive bool
}

// ExecResult is how the command ended.
type ExecResult struct {
	// Exit is the command's exit status, 128 and the number of the signal that ended it, or the code of what Lane ended it for.
	Exit int
	// Note says for a person why Lane ended the command, or which limit it met; "" where neither is so.
	Note string
}

// shellPath is where a box has the closure's shell.
const shellPath = "/bin/sh"

// Exec runs one command in a box of a task as its test phase would: closure, tree, environment, limits, no network; or as its fetch
// phase would. It makes no verdict and writes nothing but caches. The error says that the command could not be run.
func Exec(ctx context.Context, o Options, file string, e ExecOptions) (ExecResult, error) {
	s, err := spec.Load(file)
	if err != nil {
		return ExecResult{}, err
	}
	if err := supported(s); err != nil {
		return ExecResult{}, err
	}
	if err := only(s, e.Task); err != nil {
		return ExecResult{}, err
	}
	if s.Env.Fence == spec.FenceWASI {
		if err := e.forGuest(s); err != nil {
			return ExecResult{}, err
		}
	}
	j, err := o.planOnly(ctx, s)
	if err != nil {
		return ExecResult{}, err
	}
	defer j.close()
	if err := e.check(); err != nil {
		return ExecResult{}, err
	}
	for _, step := range j.ahead()[1:] { // it is planned already
		if e.Phase == FetchPhase && step.name == "fetch" {
			return e.inFetchPhase(ctx, j)
		}
		if err := step.do(ctx); err != nil {
			return ExecResult{}, withExit(err)
		}
	}
	t := j.tasks[0]
	stage := t.head
	if e.Tree == "base" {
		if stage = t.base; stage == nil {
			return ExecResult{}, noBase(s)
		}
	}
	return e.run(ctx, stage, t)
}

// forGuest settles what runs under WASI: one module of the tree, and the task's own where none is named.
func (e *ExecOptions) forGuest(s *spec.Spec) error {
	if len(e.Argv) == 0 && s.Tasks[0].Module() {
		e.Argv = s.Tasks[0].Run
	}
	switch {
	case e.Phase == FetchPhase:
		return s.Problem("env.fence", "the fence wasi has no fetch phase: a guest is one module", "leave --phase out")
	case len(e.Argv) == 0 || path.Ext(e.Argv[0]) != ".wasm":
		return s.Problem("env.fence", "the fence wasi has no shell and no programs: a guest is one module", `name a module of the tree, as in lane exec SPEC -- PATH.wasm ARGS; or set env.fence = "local"`)
	}
	return nil
}

func (e ExecOptions) check() error {
	if e.Tree != "" && e.Tree != "head" && e.Tree != "base" {
		return fmt.Errorf("read --tree: %q is neither head nor base", e.Tree)
	}
	if e.Phase != "" && e.Phase != "test" && e.Phase != FetchPhase {
		return fmt.Errorf("read --phase: %q is neither test nor fetch", e.Phase)
	}
	return nil
}

func noBase(s *spec.Spec) error {
	return s.Problem("source.base", "there is no base to run in: the spec verifies a whole tree", "leave --tree out")
}

// only leaves one task in the spec.
func only(s *spec.Spec, name string) error {
	var names []string
	for i, t := range s.Tasks {
		if t.Name == name || name == "" && len(s.Tasks) == 1 {
			t.Kind = "" // of a command by hand there is no target
			s.Tasks = []spec.Task{t}
			for key := range s.Defaults { // what is known of the task goes with it
				if rest, ok := strings.CutPrefix(key, "task["+itoa(i)+"]."); ok {
					s.Defaults["task[0]."+rest] = true
				}
			}
			return nil
		}
		names = append(names, t.Name)
	}
	if name == "" {
		return fmt.Errorf("choose a task of %s: it has %s; name one with --task", s.ID, strings.Join(names, ", "))
	}
	return fmt.Errorf("choose a task of %s: it has no task %q, but %s", s.ID, name, strings.Join(names, ", "))
}

func (e ExecOptions) run(ctx context.Context, stage *runner.Stage, t *task) (ExecResult, error) {
	h := runner.Hand{Argv: e.argv(), Stdin: e.Stdin, Stdout: e.Stdout, Stderr: e.Stderr, Terminal: e.Terminal}
	if e.Interactive {
		h.Timeout = interactiveTime
	}
	r, err := stage.ByHand(ctx, h)
	if err != nil {
		return ExecResult{}, withExit(err)
	}
	return e.result(r, t, t.spec.Timeout)
}

// interactiveTime bounds what a person types into.
const interactiveTime = 24 * time.Hour

func (e ExecOptions) argv() []string {
	if len(e.Argv) == 0 {
		return []string{shellPath}
	}
	return e.Argv
}

// result is that of a command that was bounded by timeout.
func (e ExecOptions) result(r fence.Result, t *task, timeout time.Duration) (ExecResult, error) {
	if r.End == fence.NotFound && len(e.Argv) == 0 {
		return ExecResult{}, &coded{fmt.Errorf("start a shell: the closure of task %s (%s) has none; give a command after --", t.spec.Name, t.spec.Flake), assurance.ExitLane}
	}
	if r.End == fence.NotFound || r.End == fence.NotStarted {
		return ExecResult{}, &coded{errors.New(r.Note), assurance.ExitLane}
	}
	return execResult(r, timeout), nil
}

// execResult passes the exit status on, and names a limit that was met.
func execResult(r fence.Result, timeout time.Duration) ExecResult {
	out := ExecResult{Exit: r.Exit}
	if r.Signal != 0 {
		out.Exit = 128 + r.Signal
		out.Note = "the command was ended by " + syscall.Signal(r.Signal).String()
	}
	switch r.End {
	case fence.Exited, fence.Signaled:
	case fence.TimedOut, fence.DidNotExit:
		out.Exit, out.Note = int(assurance.ExitBudget), fmt.Sprintf("the command did not end within its timeout, %s", timeout)
	case fence.BoxDied:
		out.Exit, out.Note = int(assurance.ExitLane), "the box died: "+r.Note
	default:
		if r.Exit <= 0 {
			out.Exit = int(assurance.ExitLane)
		}
		out.Note = fmt.Sprintf("the command met the limit on %s", r.End)
	}
	if n := len(r.Census.Left); n > 0 {
		out.Note = joined(out.Note, fmt.Sprintf("%d processes that it left were ended, the first of them %s", n, r.Census.Left[0].Name))
	}
	return out
}

func joined(notes, next string) string { return strings.TrimPrefix(notes+"; "+next, "; ") }
