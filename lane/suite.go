package lane

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"sync"

	"golang.org/x/mod/modfile"
	"golang.org/x/sync/errgroup"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/lane/worktree"
)

// suite is the suite of a downstream user on its way.
type suite struct {
	*job
	d       spec.Downstream
	planned assurance.PlannedDownstream
	task    *task
	rep     observe.Reporter
	module  string // of the user's go.mod
	trees   []*worktree.Tree
	stages  map[assurance.TreeRole]*runner.Stage

	mu   sync.Mutex
	seen map[string]observed // by id of the run
}

// observed is one run: what the reporter told, and what of it is evidence.
type observed struct {
	session *observe.Session // nil where its reporter could not be made to report
	facts   *assurance.RunObservation
}

// prepare finds the task that the suite borrows its environment from, and its reporter.
func (x *suite) prepare() (err error) {
	x.task = x.tasks[slices.IndexFunc(x.tasks, func(t *task) bool { return t.spec.Name == x.d.Task })]
	if x.rep, _, err = choose(spec.Task{Name: x.d.Name, Run: x.d.Run, Reporter: x.d.Reporter}); err != nil {
		return err
	}
	x.planned.Reporter, x.planned.Class = x.rep.Name(), assurance.Class(x.rep.Class())
	x.stages = map[assurance.TreeRole]*runner.Stage{}
	return nil
}

func (x *suite) close() {
	for _, s := range x.stages {
		s.Close()
	}
	for _, t := range x.trees {
		t.Close()
	}
}

// layOut makes the user's tree, at its commit, with head in it, with base in it, and with what is left of head without the code of the change.
func (x *suite) layOut(ctx context.Context, user *worktree.Repo) error {
	c, err := user.Resolve(ctx, worktree.Ask{Head: x.d.Commit})
	if err != nil {
		return err
	}
	if mod, err := user.ReadFile(c.HeadTree, path.Join(x.d.Dir, "go.mod")); err == nil {
		x.module = modfile.ModulePath(mod)
	}
	gone, all, err := x.gutted(x.d)
	if err != nil {
		return err
	}
	x.planned.Gone, x.planned.All = len(gone), all
	on := map[assurance.TreeRole]*worktree.Tree{assurance.Head: x.head, assurance.Gutted: x.head}
	if x.base != nil {
		on[assurance.Base] = x.base
	}
	for role, library := range on {
		hash, err := user.Graft(ctx, c.HeadTree, x.d.Place, x.repo, library.Hash, func(file string) (string, bool) {
			rel, inside := x.d.Inside(file)
			return rel, inside && !(role == assurance.Gutted && gone[file])
		})
		if err != nil {
			return err
		}
		tree, err := user.Tree(ctx, hash, worktree.Use{Time: x.change.CommitTime})
		if err != nil {
			return err
		}
		x.trees = append(x.trees, tree)
		x.stages[role] = x.stage(tree, library)
	}
	return nil
}

// stage is the suite on a tree, with what the task has on the tree of the library that lies in it.
func (x *suite) stage(tree, library *worktree.Tree) *runner.Stage {
	r := *x.task.runner
	r.Name, r.Argv, r.Dir, r.Build, r.Reporter, r.Timeout, r.Git, r.Services = "downstream "+x.d.Name, x.d.Run, x.d.Dir, nil, x.rep, x.d.Timeout, nil, nil
	r.Env = nil
	for k, v := range x.d.Env {
		r.Env = append(r.Env, k+"="+v)
	}
	slices.Sort(r.Env)
	r.Brought = map[string]runner.Brought{tree.Path: x.task.runner.Brought[library.Path]}
	return r.On(tree.Path, x.task.warmed[library.Path])
}

// runAll carries out the runs, side by side as far as there are slots for boxes. Where head does not show a test passing that base does, base is asked
// again: a test that comes and goes there is nobody's fault.
func (x *suite) runAll(ctx context.Context) error {
	prefix := "downstream/" + x.d.Name + "/"
	runs := []assurance.DownstreamRun{{ID: prefix + "head", On: assurance.Head}, {ID: prefix + "gutted", On: assurance.Gutted}}
	if x.base != nil {
		runs = append(runs, assurance.DownstreamRun{ID: prefix + "base", On: assurance.Base})
	}
	if x.rep.Class() == observe.InProcess {
		runs = append(runs, assurance.DownstreamRun{ID: prefix + "canary", On: assurance.Head, CanariesFailRun: true})
	}
	g, gctx := errgroup.WithContext(ctx)
	for _, r := range runs {
		g.Go(guarded(func() error { return x.run(gctx, r) }))
	}
	if err := g.Wait(); err != nil {
		return err
	}
	x.require()
	if x.base != nil && x.breaks() {
		if err := x.run(ctx, assurance.DownstreamRun{ID: prefix + "base-again", On: assurance.Base}); err != nil {
			return err
		}
		x.require()
	}
	slices.SortFunc(x.planned.Runs, func(a, b assurance.DownstreamRun) int { return compare(a.ID, b.ID) })
	return nil
}

// run carries out one run and keeps what it showed.
func (x *suite) run(ctx context.Context, r assurance.DownstreamRun) error {
	log, err := x.openLog(r.ID)
	if err != nil {
		return err
	}
	o := runner.Order{Log: log}
	if r.CanariesFailRun {
		seed := randomSeed()
		o.Canaries = &seed
	}
	seen, err := x.stages[r.On].Run(ctx, o)
	for _, c := range seen.Plan.Canaries {
		r.Canaries = append(r.Canaries, assurance.Canary{Test: c.ID, Unit: c.Unit})
	}
	facts, err := observedRun(&seen, runner.Talked{}, err)
	if err = errors.Join(err, log.Close()); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.seen[r.ID] = observed{seen.Session, facts}
	x.planned.Runs = append(x.planned.Runs, r)
	x.journal.Event("run", map[string]any{"id": r.ID, "end": facts.End, "exit": facts.Exit, "tests": len(facts.Tests), "ms": facts.WallMS})
	x.say("downstream", r.ID+": "+string(facts.End))
	return nil
}

// require says which tests have to pass on head: those that the spec names, or all that pass in every run with base. Without a base all count that head
// shows.
func (x *suite) require() {
	p := &x.planned
	p.Tests, p.BaseFails, p.BrokenOnBase, p.Named = []string{}, nil, nil, len(x.d.Tests) > 0
	passes, fails := x.onBase()
	names := passes
	if p.Named {
		found := observe.Resolve(x.rep, x.d.Tests, x.known())
		names = slices.Concat(found.IDs, found.Missing)
	}
	for _, id := range names {
		if x.base == nil || slices.Contains(passes, id) {
			p.Tests = append(p.Tests, id)
		} else {
			p.BaseFails = append(p.BaseFails, id)
		}
	}
	if !p.Named {
		p.BaseFails = fails
	}
	for _, list := range []*[]string{&p.Tests, &p.BaseFails, &p.BrokenOnBase} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
}

// onBase sorts the user's tests by whether all runs with base show them passing. A run that did not come to its end shows none. Without a base all of head's
// pass. Tests of the tree under test are none of the user's; where they fail they explain an exit status.
func (x *suite) onBase() (passes, fails []string) {
	runs, times := 0, map[string]int{}
	for _, r := range x.planned.Runs {
		if r.On != assurance.Base && !(x.base == nil && r.On == assurance.Head && !r.CanariesFailRun) {
			continue
		}
		runs++
		o := x.seen[r.ID]
		whole := o.facts.End == assurance.EndExited && !o.facts.Lost && len(o.facts.Problems) == 0
		for _, t := range o.tests() {
			passed := whole && (t.Status == observe.Passed || x.base == nil)
			switch {
			case passed && isPlaced(x.d, x.module, t.ID, t.Unit):
			case passed:
				times[t.ID]++
			default:
				times[t.ID] += 0 // it is known
			}
		}
		for _, u := range o.facts.Units {
			if u.Unbuilt && x.base != nil {
				x.planned.BrokenOnBase = append(x.planned.BrokenOnBase, u.ID)
			}
		}
	}
	for id, n := range times {
		if n == runs {
			passes = append(passes, id)
		} else {
			fails = append(fails, id)
		}
	}
	return passes, fails
}

func (o observed) tests() []observe.Test {
	if o.session == nil {
		return nil
	}
	return o.session.Tests
}

// known are the ids of all tests that some run showed.
func (x *suite) known() (ids []string) {
	for _, o := range x.seen {
		for _, t := range o.tests() {
			ids = append(ids, t.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// breaks reports whether a run on head leaves a test out that has to pass, or shows it not passing.
func (x *suite) breaks() bool {
	for _, r := range x.planned.Runs {
		if r.On != assurance.Head {
			continue
		}
		passed := map[string]bool{}
		for _, t := range x.seen[r.ID].tests() {
			passed[t.ID] = t.Status == observe.Passed
		}
		if slices.ContainsFunc(x.planned.Tests, func(id string) bool { return !passed[id] }) {
			return true
		}
	}
	return false
}

// unchanged measures the trees again: what a box could write to would say nothing of what was given.
func (x *suite) unchanged(ctx context.Context) error {
	for _, t := range x.trees {
		after, differs, err := t.Measure(ctx)
		if err == nil && after != t.SHA256 {
			err = fmt.Errorf("the tree that the suite of %s ran on is not what it was: %v", x.d.Name, differs)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
