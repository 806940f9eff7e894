package runner

import (
	"context"
	"slices"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
)

// compile runs the task's build command in a fresh box, with an order's files laid over the tree; what it leaves behind is there for the
// command that follows. ok is false where it did not build, or did not get that far: then seen says so, and nothing else is run.
func (s *Stage) compile(ctx context.Context, b *fence.Box, plan observe.Plan, o Order, seen *Seen) (ok bool, err error) {
	cmd := s.command(s.task.Build, unobserved(plan.Env), nil, o)
	cmd.Overlay = absent(cmd.Overlay, plan.Absent)
	if seen.Box, err = b.Run(ctx, cmd); err != nil {
		return false, err
	}
	// A build that met a limit of the box says nothing of the code.
	seen.Unbuilt = seen.Box.End == fence.Exited && seen.Box.Exit != 0 && len(seen.Box.Exhausted) == 0
	return seen.Box.End == fence.Exited && seen.Box.Exit == 0, nil
}

// afterBuild makes a command start from what a build left behind.
func afterBuild(cmd *fence.Command) { cmd.Keep, cmd.Overlay = true, nil }

// withBuild adds to what a command used and left what its build did.
func withBuild(run, build fence.Result) fence.Result {
	run.CPU, run.Wall = run.CPU+build.CPU, run.Wall+build.Wall
	run.Census.Left = slices.Concat(build.Census.Left, run.Census.Left)
	run.Census.Peak = max(run.Census.Peak, build.Census.Peak)
	run.PeakMemory = max(run.PeakMemory, build.PeakMemory)
	run.Leaky = slices.Concat(build.Leaky, run.Leaky)
	return run
}
