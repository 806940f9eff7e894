package runner

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/mutate"
)

// Switched is a stage whose test programs were built once and hold many mutants, of which each run selects one. Close it.
type Switched struct {
	stage *Stage
	plan  observe.SwitchPlan
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
	config := s.config()
	config.Overlays = append(config.Overlays, fence.Overlay{At: plan.Dir, Upper: dir})
	box, err := fence.Open(ctx, config)
	if err != nil {
		return nil, err
	}
	defer box.Close()
	for i, step := range plan.Build {
		res, err := s.step(ctx, box, step, i > 0)
		if err != nil {
			return nil, err
		}
		if res.End != fence.Exited || res.Exit != 0 {
			seen := Seen{Box: res}
			return nil, fmt.Errorf("%s: %s\n%s", step.Name, res.End, seen.Output())
		}
	}
	stage := s.task.On(s.tree, s.cache)
	stage.programs = []fence.Mount{{Host: dir, Box: plan.Dir}}
	return &Switched{stage, plan}, nil
}

// Close ends the idle boxes.
func (x *Switched) Close() { x.stage.Close() }

// Run runs one trial: each program that holds one of its tests, until one fails where that is enough.
func (x *Switched) Run(ctx context.Context, trial mutate.Trial) (mutate.TrialResult, error) {
	plans, err := x.plan.Run(trial.Switch, trial.Tests, trial.FailFast)
	if err != nil {
		return mutate.TrialResult{}, err
	}
	sum := mutate.TrialResult{Tests: map[string]mutate.Status{}, End: mutate.EndExited}
	for _, p := range plans {
		p.Collect = append(p.Collect, trial.Records...)
		seen, err := x.stage.run(ctx, p, Order{CPU: left(trial.CPU, sum.CPU), Wall: left(trial.Wall, sum.Wall)})
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
