package lane

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/lane/target"
	"github.com/vallane/lane/warmup"
)

// browserVariable names the browser of the closure in the boxes of a task of kind browser.
const browserVariable = "LANE_BROWSER"

// browsers are commands by which closures have a browser, in the order in which they are looked for.
func browsers() []string {
	return []string{"chromium", "chromium-browser", "google-chrome", "firefox", "firefox-esr"}
}

// browserOf finds the browser of a closure; "" where it has none.
func browserOf(c *warmup.Closure) string {
	for _, name := range browsers() {
		for _, out := range c.Outputs {
			// A link may lead to another path of the closure, which lies elsewhere on this machine.
			if host := c.Host(out); host != "" {
				if _, err := os.Lstat(filepath.Join(host, "bin", name)); err == nil {
					return name
				}
			}
		}
	}
	return ""
}

// addAsking plans a task that tests the target: its runs are known before anything of it is.
func (j *job) addAsking(t *task) error {
	p := assurance.TargetTask{
		Name: t.spec.Name, Kind: t.spec.Kind, Command: t.spec.Run, Build: t.spec.Build, Closure: "closure/" + t.spec.Flake,
		Reporter: t.runner.Reporter.Name(), Class: assurance.Class(t.runner.Reporter.Class()), Tests: []string{},
	}
	if t.spec.Kind == spec.TaskBrowser {
		if p.Browser = browserOf(t.closure); p.Browser == "" {
			return &declined{assurance.Refusal{Code: "no-browser",
				Msg:  fmt.Sprintf("task %s is of kind browser, and its closure (%s) has no command of a browser: %s", t.spec.Name, t.spec.Flake, strings.Join(browsers(), ", ")),
				Hint: `add a browser to what the flake puts on PATH, or write kind = "api"`}}
		}
	}
	id := func(what string) string { return targetID + "/" + t.spec.Name + "/" + what }
	p.Runs = []assurance.TargetRun{{ID: id("stub"), On: assurance.OnStub}, {ID: id("live"), On: assurance.OnTarget}}
	if t.runner.Reporter.Class() == observe.InProcess {
		p.Runs = append(p.Runs, assurance.TargetRun{ID: id("canary"), On: assurance.OnTarget, CanariesFailRun: true})
	}
	planned := j.evidence.Plan.Target
	planned.Tasks = append(planned.Tasks, p)
	j.asking = append(j.asking, t)
	return nil
}

// every is all tasks, those that test the target last.
func (j *job) every() []*task { return slices.Concat(j.tasks, j.asking) }

// targetRuns are the runs of all tasks on the target. Those of one task on the target itself come one after the other, the one with canaries last: it may
// find what the first left.
func (j *job) targetRuns() (out []target.Run) {
	for i, t := range j.asking {
		p := &j.evidence.Plan.Target.Tasks[i]
		// The target holds a slot for all of this, and what waits for another one could wait for ever.
		r := *t.runner
		r.Slots = nil
		stage := r.On(j.head.Path, t.warmed[j.head.Path])
		for k := range p.Runs {
			x := &p.Runs[k]
			out = append(out, target.Run{ID: x.ID, Stub: x.On == assurance.OnStub, Do: func(ctx context.Context, serve func(net.Listener)) (fence.Result, error) {
				return j.ask(ctx, t, stage, p, x, serve)
			}})
		}
	}
	return out
}

// ask carries out one run of a task on the target, or on the stub.
func (j *job) ask(ctx context.Context, t *task, stage *runner.Stage, p *assurance.TargetTask, x *assurance.TargetRun, serve func(net.Listener)) (fence.Result, error) {
	at := j.evidence.Plan.Target
	o := runner.Order{Env: []string{target.NameVariable + "=" + at.Name, target.LabelVariable + "=" + at.Label, target.URLVariable + "=http://" + at.Address}}
	if p.Browser != "" {
		o.Env = append(o.Env, browserVariable+"="+p.Browser)
	}
	if x.CanariesFailRun {
		seed := randomSeed()
		o.Canaries = &seed
	}
	seen, canaries, err := j.execute(x.ID, "target", t, o, func(o runner.Order) (runner.Seen, error) {
		return stage.RunServed(ctx, o, at.Address, serve, nil)
	})
	x.Canaries = canaries
	t.seen = append(t.seen, seenRun{id: x.ID, canary: x.CanariesFailRun, seen: seen})
	return seen.Box, err
}

// planTargetTests says which tests of the target have to pass: those that a task or a criterion names, or else all that a run of the task showed.
func (j *job) planTargetTests() {
	if len(j.asking) == 0 {
		return
	}
	known, whole := map[*task][]string{}, map[*task][]string{}
	for _, t := range j.asking {
		known[t], whole[t] = t.idsOnTarget()
	}
	named := map[*task][]string{}
	for i := range j.evidence.Plan.Criteria {
		c := &j.evidence.Plan.Criteria[i]
		if c.Kind != spec.KindTarget {
			continue
		}
		c.Tests = j.resolveTests(c.Tests, known, j.asking, "criterion "+c.ID)
		for _, id := range c.Tests {
			t := j.asking[0] // a named test that nobody has seen is required all the same
			if i := slices.IndexFunc(j.asking, func(t *task) bool { return slices.Contains(known[t], id) }); i >= 0 {
				t = j.asking[i]
			}
			named[t] = append(named[t], id)
		}
	}
	for i, t := range j.asking {
		tests := append(named[t], j.resolveTests(t.spec.Tests, known, []*task{t}, "task "+t.spec.Name)...)
		if len(tests) == 0 {
			tests = whole[t]
		}
		slices.Sort(tests)
		j.evidence.Plan.Target.Tasks[i].Tests = append([]string{}, slices.Compact(tests)...)
		j.hintAtKind(t, known[t])
	}
}

// idsOnTarget lists the tests that any run of the task showed, or was going to, and those of them that are no parts of others.
func (t *task) idsOnTarget() (all, whole []string) {
	for _, r := range t.seen {
		if r.seen.Session == nil { // its reporter could not be made to report
			continue
		}
		for _, x := range r.seen.Session.Tests {
			all = append(all, x.ID)
			if x.Parent == "" {
				whole = append(whole, x.ID)
			}
		}
		for _, u := range r.seen.Session.Units {
			all, whole = append(all, u.Hidden...), append(whole, u.Hidden...)
		}
	}
	slices.Sort(all)
	slices.Sort(whole)
	return slices.Compact(all), slices.Compact(whole)
}

// hintAtKind says what to write where tests of the target are named among those of the tree, of which none has such a name.
func (j *job) hintAtKind(t *task, known []string) {
	for _, c := range j.spec.Criteria {
		if c.Kind != spec.KindTest {
			continue
		}
		for _, name := range c.Tests {
			if found := observe.Resolve(t.runner.Reporter, []string{name}, known); len(found.IDs) > 0 {
				j.note(fmt.Sprintf("criterion %s names %s, which is a test of task %s: a criterion that tests of the target meet has kind = %q", c.ID, name, t.spec.Name, spec.KindTarget))
			}
		}
	}
}
