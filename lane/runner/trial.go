package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
	"github.com/vallane/lane/mutate"
)

// Trials runs the trials of a mutation engine on a stage, and those with a switch on the one whose programs hold it.
type Trials struct {
	Stage    *Stage
	Switched *Switched // nil where no trial is of T2
	Forked   *Forked   // nil where no trial is of T3
}

// Run runs one trial: the task with the trial's files laid over the tree.
func (t *Trials) Run(ctx context.Context, trial mutate.Trial) (mutate.TrialResult, error) {
	switch {
	case trial.Tier == mutate.T3:
		return t.Forked.Run(ctx, trial)
	case trial.Switch != "":
		return t.Switched.Run(ctx, trial)
	}
	order := Order{
		Select: trial.Tests, FailFast: trial.FailFast, NoVet: true,
		Overlay: changes(trial.Overlay), CPU: trial.CPU, Wall: trial.Wall,
	}
	seen, err := t.Stage.Run(ctx, order)
	if err == nil && seen.Unbuilt {
		seen, err = t.Stage.Run(ctx, order) // a linker that gave out on a busy machine says nothing of the code
	}
	if err != nil {
		return mutate.TrialResult{}, err
	}
	if why := seen.Unserved(); why != "" && !seen.ran {
		return mutate.TrialResult{}, errors.New(why)
	}
	if seen.Box.End == fence.NotFound || seen.Box.End == fence.NotStarted {
		return mutate.TrialResult{}, fmt.Errorf("start %s: %s", t.Stage.task.Name, seen.Box.Note)
	}
	res := seen.Trial()
	if res.BuildFailed && !seen.Unbuilt {
		built, err := t.Stage.builds(ctx, changes(trial.Overlay))
		if err != nil {
			return mutate.TrialResult{}, err
		}
		res.BuildFailed, res.Excused = !built, built
	}
	return res, nil
}

func changes(overlay map[string]mutate.Content) map[string]fence.Change {
	out := make(map[string]fence.Change, len(overlay))
	for path, c := range overlay {
		out[path] = fence.Change{Data: c.Data, Delete: c.Delete, Mode: c.Mode}
	}
	return out
}

var trialEnds = map[fence.End]mutate.End{
	fence.Exited: mutate.EndExited, fence.Signaled: mutate.EndSignaled, fence.TimedOut: mutate.EndTimeout,
	fence.OutOfCPU: mutate.EndCPU, fence.OutOfMem: mutate.EndMemory, fence.TooMany: mutate.EndProcesses,
	fence.ManyFiles: mutate.EndFiles, fence.DiskFull: mutate.EndDisk, fence.TooMuchOut: mutate.EndDisk, fence.DidNotExit: mutate.EndNoExit,
	fence.BoxDied: mutate.EndLost, fence.NotFound: mutate.EndLost, fence.NotStarted: mutate.EndLost,
}

// Trial puts what was seen into the form that a mutation engine asks for.
func (s *Seen) Trial() mutate.TrialResult {
	b := &s.Box
	r := mutate.TrialResult{
		Tests: make(map[string]mutate.Status, len(s.Session.Tests)), BuildFailed: s.unbuilt(), End: trialEnds[b.End],
		Exit: b.Exit, CPU: b.CPU, Wall: b.Wall, Left: len(b.Census.Left) + len(b.Leaky), Output: s.Output(),
	}
	if b.Exit != 0 && len(b.Exhausted) > 0 && (b.End == fence.Exited || b.End == fence.Signaled) {
		r.End = trialEnds[b.Exhausted[0]]
	}
	for _, u := range s.Session.Units {
		if u.TimedOut {
			r.End = mutate.EndTimeout
		}
	}
	if s.Session.Lost || s.Unserved() != "" {
		r.End = mutate.EndLost
	}
	for _, t := range s.Session.Tests {
		r.Tests[t.ID] = mutate.Status(t.Status)
	}
	return r
}

// Cover runs each test alone with coverage and hands its raw profile to read; where the reporter measures
// several tests in one run, it hands over the lines of each to lines instead. known is false where the
// reporter cannot tell what tests reach, which is no error. A test whose profile is missing is not handed
// over: it may reach anything. Tests that are run one by one are spread over so many boxes at once, each of which builds
// for itself. The functions are called one at a time.
func (s *Stage) Cover(ctx context.Context, tests []string, boxes int, read func(test string, profile []byte) error,
	lines func(test string, reach observe.Reach) error) (known bool, err error) {
	coverer, ok := s.task.Reporter.(observe.Coverer)
	if !ok || len(tests) == 0 {
		return false, nil
	}
	req := s.request(Order{Select: tests})
	plan, err := coverer.Cover(req)
	if err != nil {
		return false, err
	}
	var one sync.Mutex
	take := func(step observe.Step, profile []byte) error {
		one.Lock()
		defer one.Unlock()
		if plan.ParseEach != nil {
			return each(plan, profile, lines)
		}
		if len(step.Tests) != 1 {
			return nil
		}
		return read(step.Tests[0], profile)
	}
	if len(s.task.Services) > 0 {
		boxes = 1 // each of which would start them
	}
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range max(1, min(boxes, len(plan.Measure))) {
		g.Go(func() error {
			_, err := s.beside(ctx, "", func(b *fence.Box) error { return s.measure(ctx, b, plan, &next, take) })
			return err
		})
	}
	err = g.Wait()
	return err == nil, err
}

// each hands over the lines of each test of a profile. A test may have written it: one that cannot be read tells
// nothing about any.
func each(plan observe.CoverPlan, profile []byte, lines func(string, observe.Reach) error) error {
	tests, err := plan.ParseEach(profile)
	if err != nil {
		return nil
	}
	for test, reach := range tests {
		if err := lines(test, reach); err != nil {
			return err
		}
	}
	return nil
}

// measure runs steps of a plan in one box without a reset between them: those from next on that no other box takes.
func (s *Stage) measure(ctx context.Context, b *fence.Box, plan observe.CoverPlan, next *atomic.Int64, take func(observe.Step, []byte) error) error {
	if next.Load() >= int64(len(plan.Measure)) {
		return nil // others were through before this box was had
	}
	built := map[string]bool{}
	keep := len(s.task.Build) > 0
	if keep {
		var seen Seen
		if ok, err := s.compile(ctx, b, observe.Plan{}, Order{}, &seen); err != nil || !ok {
			return err
		}
	}
	for i, step := range plan.Build {
		res, err := s.step(ctx, b, step, keep || i > 0)
		if err != nil {
			return err
		}
		for _, u := range step.Units {
			built[u] = res.End == fence.Exited && res.Exit == 0
		}
	}
	for first := true; ; first = false {
		i := int(next.Add(1)) - 1
		if i >= len(plan.Measure) {
			return nil
		}
		step := plan.Measure[i]
		if len(step.Units) == 1 && !built[step.Units[0]] {
			continue
		}
		res, err := s.step(ctx, b, step, keep || !first || len(plan.Build) > 0)
		if err != nil {
			return err
		}
		// A profile of several tests leaves out those that failed.
		if len(step.Collect) == 0 || res.End != fence.Exited || res.Exit != 0 && plan.ParseEach == nil {
			continue
		}
		if err := take(step, res.Collected[step.Collect[0]]); err != nil {
			return err
		}
	}
}

func (s *Stage) step(ctx context.Context, b *fence.Box, step observe.Step, keep bool) (fence.Result, error) {
	cmd := s.command(step.Argv, step.Env, step.Files, Order{})
	cmd.Dir, cmd.Collect, cmd.Keep, cmd.Timeout = step.Dir, step.Collect, keep, warming
	return b.Run(ctx, cmd)
}

// Warm runs the reporter's commands that fill a build cache with what the tree compiles to, in a box
// of its own whose cache is written to the host folder dir. Nothing of the tree is executed. A tree
// that does not compile fills what it can.
func (s *Stage) Warm(ctx context.Context, dir string) error {
	warmer, ok := s.task.Reporter.(observe.Warmer)
	if !ok {
		return nil
	}
	steps, err := warmer.Warm(s.request(Order{}))
	if err != nil {
		return err
	}
	box, err := fence.Open(ctx, s.configOver(fence.Overlay{Lower: s.cache, At: CacheDir, Upper: dir}))
	if err != nil {
		return err
	}
	defer box.Close()
	for i, step := range steps {
		res, err := s.step(ctx, box, step, i > 0)
		if err == nil && res.End != fence.Exited {
			err = fmt.Errorf("%s ended as %s: %s", step.Name, res.End, res.Note) // half a cache must not be kept
		}
		if err != nil {
			return fmt.Errorf("warm the build cache of task %s: %w", s.task.Name, err)
		}
	}
	return nil
}

// warming is the time that one step of a warm-up or of a coverage plan may take: it may have to
// compile a whole standard library on a busy machine.
const warming = 30 * time.Minute
