package runner

import (
	"context"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
)

// builds reports whether the tree builds with a trial's files laid over it, by the reporter's own way of building without running
// anything. Code can print the words of a failed build as its process ends, and would so excuse the faults that it hides; nothing
// of it runs here. Where the reporter has no such way, the words are believed.
func (s *Stage) builds(ctx context.Context, overlay map[string]fence.Change) (bool, error) {
	warmer, ok := s.task.Reporter.(observe.Warmer)
	if !ok {
		return false, nil
	}
	steps, err := warmer.Warm(s.request(Order{NoVet: true}))
	if err != nil || len(steps) == 0 {
		return false, err
	}
	built := true
	err = s.use(ctx, func(b *fence.Box) error {
		for i, step := range steps {
			cmd := s.command(step.Argv, step.Env, step.Files, Order{Overlay: overlay})
			cmd.Dir, cmd.Keep, cmd.Timeout = step.Dir, i > 0, warming
			if i > 0 {
				cmd.Overlay = nil
			}
			res, err := b.Run(ctx, cmd)
			if err != nil {
				return err
			}
			built = built && res.End == fence.Exited && res.Exit == 0
		}
		return nil
	})
	return built, err
}
