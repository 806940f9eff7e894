package lane

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/buildcache"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/lane/worktree"
)

// trees checks out what the runs see, and makes the boxes' settings.
func (j *job) trees(ctx context.Context) error {
	if err := j.checkOut(ctx); err != nil {
		return err
	}
	for i := range j.spec.Tasks {
		if j.spec.Tasks[i].OnTarget() && j.byHand {
			continue // lane mutate puts no target up
		}
		if err := j.addTask(j.spec.Tasks[i]); err != nil {
			return err
		}
	}
	return nil
}

// caches warms the build caches.
func (j *job) caches(ctx context.Context) error {
	for _, t := range j.every() {
		if err := j.stages(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

func (j *job) checkOut(ctx context.Context) (err error) {
	c := &j.change
	if j.head, err = j.tree(ctx, c.HeadTree, assurance.Head); err != nil {
		return err
	}
	j.evidence.Plan.Subject.TreeSHA256 = j.head.SHA256
	if c.BaseTree == "" || j.whole() {
		return j.agreesOnBase(ctx)
	}
	if j.base, err = j.tree(ctx, c.BaseTree, assurance.Base); err != nil {
		return err
	}
	if err := j.agreesOnBase(ctx); err != nil {
		return err
	}
	tests := map[string]worktree.Blob{}
	for _, f := range c.Files {
		if kindOf(f.Path) == assurance.FileTest {
			tests[f.Path] = f.New // the zero Blob takes the path away
		}
	}
	hash, err := j.repo.Compose(ctx, c.BaseTree, tests)
	if err != nil {
		return err
	}
	j.hybrid, err = j.tree(ctx, hash, assurance.Hybrid)
	return err
}

func (j *job) tree(ctx context.Context, hash string, role assurance.TreeRole) (*worktree.Tree, error) {
	j.say("trees", "check out "+string(role))
	t, err := j.repo.Tree(ctx, hash, worktree.Use{Spec: j.spec.ID + "." + string(role), Time: j.change.CommitTime, Git: j.spec.Source.Git})
	if err != nil {
		return nil, err
	}
	p := &j.evidence.Plan
	p.Trees = append(p.Trees, assurance.PlannedTree{ID: "tree/" + string(role), Role: role, SHA256: t.SHA256, GitTree: hash})
	return t, nil
}

func (j *job) addTask(s spec.Task) error {
	rep, why, err := choose(s)
	if err != nil {
		return err
	}
	j.noteChoice(s, rep, why)
	c := j.closure[s.Flake]
	t := &task{spec: s, closure: c}
	t.runner = &runner.Task{
		Name: s.Name, Argv: s.Run, Build: s.Build, Dir: s.Dir, Timeout: s.Timeout, Reporter: rep, Path: c.PathDirs(),
		// A limit on one file would tell a test that its code is wrong where the disk is full; the bound on
		// everything that a run writes holds without it, and is named when it is met.
		Limits: fence.Limits{Memory: j.spec.Limits.Memory, Processes: j.spec.Limits.Processes, CPUs: j.spec.Limits.CPUs, FileSize: -1},
		Time:   j.change.CommitTime, Zones: filepath.Join(j.o.Cache, "zones"), Slots: j.slots,
		TreeCopy: j.spec.Env.Tree == spec.TreeCopy, Git: map[string]string{},
	}
	for _, tree := range []*worktree.Tree{j.head, j.base, j.hybrid} {
		if tree != nil && tree.Git != "" {
			t.runner.Git[tree.Path] = tree.Git
		}
	}
	for k, v := range s.Env {
		t.runner.Env = append(t.runner.Env, k+"="+v)
	}
	slices.Sort(t.runner.Env)
	if err := j.asGuest(t.runner); err != nil {
		return err
	}
	for _, p := range c.Paths {
		t.runner.Store = append(t.runner.Store, fence.Mount{Host: p.Host, Box: p.StorePath})
	}
	if s.OnTarget() {
		return j.addAsking(t)
	}
	j.planServices(t)
	j.tasks = append(j.tasks, t)
	j.evidence.Plan.Tasks = append(j.evidence.Plan.Tasks, assurance.Task{
		Name: s.Name, Command: s.Run, Build: s.Build, From: "spec", Closure: "closure/" + s.Flake, Reporter: rep.Name(), Class: assurance.Class(rep.Class()),
	})
	return nil
}

// stages warms the task's build caches and makes its stages. The caches lie above each other: what
// every tree needs of the toolchain, base, head.
func (j *job) stages(ctx context.Context, t *task) error {
	j.say("caches", "warm the build cache of "+t.spec.Name)
	below, err := j.seed(ctx, t)
	if err != nil {
		return err
	}
	if j.base != nil && !t.spec.OnTarget() {
		if below, err = j.warm(ctx, t, j.base.Path, j.base.Hash, below); err != nil {
			return err
		}
		t.warmed = map[string]string{j.base.Path: below}
		t.base = t.runner.On(j.base.Path, below)
		t.hybrid = t.runner.On(j.hybrid.Path, below)
	}
	if below, err = j.warm(ctx, t, j.head.Path, j.head.Hash, below); err != nil {
		return err
	}
	if t.warmed == nil {
		t.warmed = map[string]string{}
	}
	t.warmed[j.head.Path] = below
	t.head = t.runner.On(j.head.Path, below)
	return nil
}

// seed warms what most trees need of the closure's toolchain, once per closure.
func (j *job) seed(ctx context.Context, t *task) (string, error) {
	seeder, ok := t.runner.Reporter.(observe.Seeder)
	if !ok {
		return "", nil
	}
	dir, err := os.MkdirTemp(j.o.Cache, ".seed-")
	if err != nil {
		return "", fmt.Errorf("make seed tree: %w", err)
	}
	defer os.RemoveAll(dir)
	files := seeder.Seed()
	what := []string{"seed"}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		what = append(what, name, files[name])
		if err := os.WriteFile(filepath.Join(dir, name), []byte(files[name]), 0o644); err != nil {
			return "", fmt.Errorf("make seed tree: %w", err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", fmt.Errorf("make seed tree: %w", err)
	}
	plain := *t.runner
	plain.Argv, plain.Dir, plain.Env = []string{"go", "test", "./..."}, "", systemOf(t.runner.Env)
	seed := &task{spec: t.spec, closure: t.closure, runner: &plain}
	seed.spec.Run, seed.spec.Dir = plain.Argv, ""
	return j.warm(ctx, seed, dir, buildcache.Key(what...), "")
}

// warm leases the build cache of a task and a tree, made above the one that is below.
func (j *job) warm(ctx context.Context, t *task, tree, hash, below string) (string, error) {
	key := buildcache.Key("3", t.closure.Digest, hash, filepath.Base(below), fmt.Sprint(t.spec.Run, t.spec.Dir, t.runner.Env)+t.broughtKey(tree), t.runner.Reporter.Name(), j.o.engine())
	lease, err := j.o.builds().Get(ctx, key, below, func(ctx context.Context, dir string) error {
		stage := t.runner.On(tree, below)
		defer stage.Close()
		err := stage.Warm(ctx, dir)
		if absent := (*observe.Missing)(nil); errors.As(err, &absent) {
			return nil // its runs will say so
		}
		return err
	})
	if err != nil {
		return "", err
	}
	j.leases = append(j.leases, lease)
	return lease.Dir, nil
}

// measure looks at trees and closures again, after everything that was hostile has run.
func (j *job) measure(ctx context.Context) error {
	j.say("judge", "measure trees and closures again")
	g, ctx := errgroup.WithContext(ctx)
	for role, t := range map[assurance.TreeRole]*worktree.Tree{assurance.Head: j.head, assurance.Base: j.base, assurance.Hybrid: j.hybrid} {
		if t == nil {
			continue
		}
		g.Go(guarded(func() error {
			after, differs, err := t.Measure(ctx)
			if err != nil {
				return err
			}
			j.observe("tree/"+string(role), assurance.Observation{Tree: &assurance.TreeObservation{Before: t.SHA256, After: after, Differs: differs}})
			return nil
		}))
	}
	for flake, c := range j.closure {
		j.observe("closure/"+flake, assurance.Observation{Closure: &assurance.ClosureObservation{
			Digest: c.Digest, Verified: string(c.Verified.String()), Sandbox: sandboxWord(string(c.Sandbox)), Paths: len(c.Paths),
		}})
	}
	return g.Wait()
}

func sandboxWord(s string) string {
	if s == "not-built" {
		return assurance.SandboxUnneeded
	}
	return s
}
