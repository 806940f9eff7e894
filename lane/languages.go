package lane

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/golang"
	"github.com/vallane/lane/mutate/javascript"
	"github.com/vallane/lane/mutate/python"
)

// findMutants makes the candidates of every language that Lane has operators for.
func (j *job) findMutants(ctx context.Context, head fs.FS, files []string) ([]mutate.Mutant, error) {
	found, err := golang.Find(ctx, j.goOptions(head), files)
	if err != nil {
		return nil, err
	}
	j.found = found
	if j.foundJavaScript, err = javascript.Find(ctx, javascript.Options{Tree: head}, files); err != nil {
		return nil, err
	}
	for _, name := range keys(j.foundJavaScript.Unparsed) {
		j.note(fmt.Sprintf("%s has no mutants but hunks put back to base: %s", name, j.foundJavaScript.Unparsed[name]))
	}
	all := append(found.Mutants, j.foundJavaScript.Mutants...)
	more, err := j.findUntyped(ctx, head, j.holding(head, files))
	if err != nil {
		return nil, err
	}
	all = append(all, more...)
	o, ok := j.pythonOptions(head)
	if !ok {
		return all, nil
	}
	if j.foundPython, err = python.Find(ctx, o, files); err != nil {
		return nil, err
	}
	for _, name := range keys(j.foundPython.Unparsed) {
		j.note(fmt.Sprintf("%s has no mutants but hunks put back to base: %s", name, j.foundPython.Unparsed[name]))
	}
	return append(all, j.foundPython.Mutants...), nil
}

// prove finds out which mutants are worth a run, where that costs time.
func (j *job) prove(ctx context.Context, ms []*mutate.Mutant) error {
	if err := j.found.Prove(ctx, ms); err != nil {
		return err
	}
	if err := j.foundJavaScript.Prove(ctx, ms); err != nil {
		return err
	}
	return j.untyped.prove(ctx, ms)
}

// speaks says which languages the code has that the tests of a reporter run.
var speaks = map[string][]string{
	"go": {".go"}, "pytest": {".py"}, "unittest": {".py"}, "node": javascript.Extensions(),
	"vitest": javascript.Extensions(), "jest": javascript.Extensions(), "mocha": javascript.Extensions(),
}

// asks reports whether a task's tests can notice what is done to a file: not where its language is that of another task. Files of no
// task's language (data, configuration) are everybody's.
func (j *job) asks(t *task, file string) bool {
	runs := func(t *task) bool { return slices.Contains(speaks[t.runner.Reporter.Name()], path.Ext(file)) }
	return runs(t) || speaks[t.runner.Reporter.Name()] == nil || !slices.ContainsFunc(j.tasks, runs)
}

// annotate tells the reverts what their languages know about them.
func (j *job) annotate(ctx context.Context, head fs.FS, reverts []mutate.Mutant) error {
	setCommentsApart(reverts)
	if err := golang.Annotate(ctx, j.goOptions(head), reverts); err != nil {
		return err
	}
	if err := javascript.Annotate(ctx, javascript.Options{Tree: head}, reverts); err != nil {
		return err
	}
	if err := annotateUntyped(ctx, head, reverts); err != nil {
		return err
	}
	if o, ok := j.pythonOptions(head); ok {
		return python.Annotate(ctx, o, reverts)
	}
	return nil
}

// canary is a form of a file that no program survives.
func canary(path string, src []byte) ([]byte, bool) {
	if out, ok := golang.Canary(path, src); ok {
		return out, true
	}
	if out, ok := javascript.Canary(path, src); ok {
		return out, true
	}
	if out, ok := python.Canary(path, src); ok {
		return out, true
	}
	return untypedCanary(path, src)
}

// goOptions tells the Go operators where types are found.
func (j *job) goOptions(head fs.FS) golang.Options {
	o := golang.Options{Tree: head, Operators: j.operators}
	if j.guests() {
		o.GOOS, o.GOARCH = "wasip1", "wasm"
	}
	if modules := j.moduleCache(); modules != nil {
		o.Dependency = golang.ModuleCache(modules, head)
	}
	for _, t := range j.tasks {
		for _, p := range t.closure.Paths {
			for _, sub := range []string{"", "/share/go", "/lib/go"} {
				if st, err := os.Stat(p.Host + sub + "/src/runtime"); err == nil && st.IsDir() {
					o.GOROOT = os.DirFS(p.Host + sub)
					return o
				}
			}
		}
	}
	return o
}

// pythonOptions tells the Python operators how to read sources: by the interpreter of a task that runs Python, in a box of its. ok is
// false where no task does.
func (j *job) pythonOptions(head fs.FS) (o python.Options, ok bool) {
	for _, t := range j.tasks {
		if name := t.runner.Reporter.Name(); name != "pytest" && name != "unittest" {
			continue
		}
		return python.Options{Tree: head, Operators: j.usual(python.Operators()), Run: func(ctx context.Context, job python.Job) ([]byte, error) {
			return t.head.Script(ctx, append([]string{"python3"}, job.Args...), job.Files, job.Out)
		}}, true
	}
	return o, false
}

// unusual is the operator of Python that is used only where it is named, as that of Go is: a number that is one more is seldom a fault
// that anybody makes, and often one that nobody can tell.
const unusual = "constant"

func (j *job) usual(all []python.OperatorDoc) (names []string) {
	if j.operators != nil {
		return j.operators
	}
	for _, o := range all {
		if o.Name != unusual {
			names = append(names, o.Name)
		}
	}
	return names
}

// addLines puts what one test reaches into the map of all.
func addLines(reach *mutate.Reach, test string, lines observe.Reach) {
	for file, spans := range lines {
		for _, l := range spans {
			python.AddLines(reach, test, file, l.First, l.Last)
		}
	}
	reach.Measured(test)
}
