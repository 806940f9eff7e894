package runner

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"time"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/mutate"
)

// Switched is a stage whose test programs are run without the command that builds or starts them, and of whose mutants each run selects
// one. Close it.
type Switched struct {
	stage *Stage
	plan  observe.SwitchPlan
	lay   func(value string) (map[string]mutate.Content, error) // nil where the programs hold the mutants
}

// Switch builds the programs of the tests, with files of the tree replaced, into the empty host folder dir, which has to belong to
// fence.HostID and is left to the caller. The error is for a program that does not build, and for a reporter that builds none.
func (s *Stage) Switch(ctx context.Context, tests []string, files map[string][]byte, dir string) (*Switched, error) {
	switcher, ok := s.task.Reporter.(observe.Switcher)
	if !ok {
		return nil, fmt.Errorf("build a switched program: the reporter %s makes none", s.task.Reporter.Name())
	}
	plan, err := switcher.Switch(s.request(Order{Select: tests}), files)
	if err != nil {
		return nil, err
	}
	x := &Switched{stage: s.task.On(s.tree, s.cache), plan: plan}
	if len(plan.Build) == 0 && plan.Keep == nil {
		return x, nil
	}
	config := s.config()
	config.Overlays = append(config.Overlays, fence.Overlay{At: plan.Dir, Upper: dir})
	box, err := fence.Open(ctx, config)
	if err != nil {
		return nil, err
	}
	defer box.Close()
	if plan.Keep != nil {
		x.stage = s.built(filepath.Join(dir, "tree"))
		err = s.buildTree(ctx, box, *plan.Keep, files)
	} else {
		x.stage.programs = []fence.Mount{{Host: dir, Box: plan.Dir}}
		x.stage.files = asFiles(plan.Files)
		err = s.buildPrograms(ctx, box, plan.Build)
	}
	if err != nil {
		return nil, err
	}
	return x, nil
}

// buildPrograms carries out the steps of a build in a box.
func (s *Stage) buildPrograms(ctx context.Context, box *fence.Box, steps []observe.Step) error {
	for i, step := range steps {
		if err := s.must(ctx, box, step, i > 0); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stage) must(ctx context.Context, box *fence.Box, step observe.Step, keep bool) error {
	res, err := s.step(ctx, box, step, keep)
	if err == nil && (res.End != fence.Exited || res.Exit != 0) {
		seen := Seen{Box: res}
		err = fmt.Errorf("%s: %s\n%s", step.Name, res.End, seen.Output())
	}
	return err
}

// An Unbuilt error says that a task's own command does not build a tree with many mutants in it.
type Unbuilt struct{ Output string }

func (e *Unbuilt) Error() string {
	return "build many mutants at once: the build command fails\n" + e.Output
}

// buildTree has the task's own command build the tree with files of it replaced, and keeps what came of it.
func (s *Stage) buildTree(ctx context.Context, box *fence.Box, keep observe.Step, files map[string][]byte) error {
	overlay := map[string]fence.Change{}
	for name, data := range files {
		overlay[name] = fence.Change{Data: data}
	}
	res, err := box.Run(ctx, s.command(s.task.Build, nil, keep.Files, Order{Overlay: overlay}))
	if err != nil {
		return err
	}
	if res.End != fence.Exited || res.Exit != 0 {
		seen := Seen{Box: res}
		return &Unbuilt{seen.Output()}
	}
	return s.must(ctx, box, keep, true)
}

// built is the stage of the task on a tree that its own command has built from the stage's.
func (s *Stage) built(tree string) *Stage {
	t := *s.task
	t.Build = nil
	t.Git, t.Brought = map[string]string{}, map[string]Brought{}
	if git := s.task.Git[s.tree]; git != "" {
		t.Git[tree] = git
	}
	brought := s.brought()
	brought.Below = "" // it was there when the tree was built, and is part of it now
	t.Brought[tree] = brought
	return t.On(tree, s.cache)
}

// Lay lays the file of each mutant over the tree, as in a run of its own, for programs of which nothing is built.
func (x *Switched) Lay(ms []*mutate.Mutant, source func(file string) ([]byte, error)) *mutate.Switched {
	sw := &mutate.Switched{Value: map[string]string{}, Null: map[string]string{}}
	mutants, files := map[string]mutate.Mutant{}, map[string]string{}
	for i, m := range ms {
		value, null := strconv.Itoa(i), m.File+" as it is"
		sw.Value[m.ID], sw.Null[m.File] = value, null
		mutants[value], files[value], files[null] = *m, m.File, m.File
	}
	x.lay = func(value string) (map[string]mutate.Content, error) {
		file := files[value]
		src, err := source(file)
		if err != nil {
			return nil, err
		}
		if m, ok := mutants[value]; ok {
			return m.Overlay(src)
		}
		null, _ := mutate.Null(file, src)
		return map[string]mutate.Content{file: {Data: null}}, nil
	}
	return sw
}

// Close ends the idle boxes.
func (x *Switched) Close() { x.stage.Close() }

// Run runs one trial: each program that holds one of its tests, until one fails where that is enough.
func (x *Switched) Run(ctx context.Context, trial mutate.Trial) (mutate.TrialResult, error) {
	value := trial.Switch
	var overlay map[string]fence.Change
	if x.lay != nil {
		laid, err := x.lay(value)
		if err != nil {
			return mutate.TrialResult{}, err
		}
		value, overlay = "", changes(laid)
	}
	plans, err := x.plan.Run(value, trial.Tests, trial.FailFast)
	if err != nil {
		return mutate.TrialResult{}, err
	}
	sum := mutate.TrialResult{Tests: map[string]mutate.Status{}, End: mutate.EndExited}
	for _, p := range plans {
		p.Collect = append(p.Collect, trial.Records...)
		if len(trial.Lay) > 0 {
			p.Files = maps.Clone(p.Files)
			maps.Copy(p.Files, trial.Lay)
		}
		seen, err := x.stage.run(ctx, p, Order{Overlay: overlay, CPU: left(trial.CPU, sum.CPU), Wall: left(trial.Wall, sum.Wall)})
		if err != nil {
			return mutate.TrialResult{}, err
		}
		r := seen.Trial()
		maps.Copy(sum.Tests, r.Tests)
		if trial.Records != nil {
			sum.Records = append(sum.Records, record(seen, r, trial.Records))
		}
		sum.End, sum.CPU, sum.Wall, sum.Left, sum.Output = r.End, sum.CPU+r.CPU, sum.Wall+r.Wall, sum.Left+r.Left, r.Output
		if sum.Exit == 0 {
			sum.Exit = r.Exit
		}
		if r.End != mutate.EndExited || trial.FailFast && r.Exit != 0 {
			break
		}
	}
	return sum, nil
}

// record is what one program left of the files that a trial names.
func record(seen Seen, r mutate.TrialResult, names []string) mutate.Record {
	rec := mutate.Record{Files: map[string][]byte{}}
	for id := range r.Tests {
		rec.Tests = append(rec.Tests, id)
	}
	for _, name := range names {
		if data, ok := seen.Box.Collected[name]; ok {
			rec.Files[name] = data
		}
	}
	return rec
}

// left is what remains of a budget; 0 is no budget.
func left(budget, used time.Duration) time.Duration {
	if budget == 0 {
		return 0
	}
	return max(budget-used, time.Millisecond)
}
