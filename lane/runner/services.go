package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/service"
)

// addresses are the variables that tell where the services are.
func (t *Task) addresses() (env []string) {
	for i := range t.Services {
		env = append(env, t.Services[i].Variable()+"="+t.Services[i].Address().String())
	}
	return env
}

// listen lists where Lane listens in the stage's boxes: in place of the services first.
func (s *Stage) listen() (at []string) {
	for i := range s.task.Services {
		at = append(at, s.task.Services[i].Address().String())
	}
	if s.serve != nil {
		at = append(at, s.served)
	}
	return at
}

// serviceBox is what the boxes of services are made of: the closure, and nothing of the tree.
func (t *Task) serviceBox() fence.Config {
	return fence.Config{StorePaths: t.Store, Path: t.Path, Limits: t.Limits, Time: t.Time, Cache: t.Zones}
}

// beside calls f with a box, as use does, while the task's services run beside it, each from its start. Where one does not get ready, f is
// not called.
func (s *Stage) beside(ctx context.Context, spoil string, f func(*fence.Box) error) (seen []service.Seen, err error) {
	if len(s.task.Services) == 0 {
		return nil, s.use(ctx, f)
	}
	err = s.useOpened(ctx, func(b *opened) error {
		var running []*service.Running
		defer func() {
			for _, r := range running {
				seen = append(seen, r.Stop())
			}
		}()
		for i, x := range s.task.Services {
			r, err := service.Start(ctx, x, s.task.serviceBox(), b.doors[i])
			if err != nil {
				return err
			}
			running = append(running, r)
		}
		ask := func(ctx context.Context, argv []string, most time.Duration) (fence.Result, error) {
			return b.Run(ctx, fence.Command{Argv: argv, Env: join(s.env(), s.task.addresses()), Timeout: most})
		}
		for _, r := range running {
			if ready, err := r.Ready(ctx, ask); err != nil || !ready {
				return err
			}
		}
		for i, r := range running {
			r.Open(ctx, s.task.Services[i].Name == spoil)
		}
		err := f(b.Box)
		for _, r := range running {
			r.Look(ctx)
		}
		return err
	})
	return seen, err
}

// Unserved says which service the run did without, "" where there is none: one that did not get ready, or that ended during a run that did
// not end well. Then nobody knows what the tests would have said.
func (s *Seen) Unserved() string {
	for _, x := range s.Services {
		switch {
		case !x.Healthy && !s.ran:
			return sentenceOf(x, "did not get ready, so that nothing was run")
		case s.ran && !x.Alive && (s.Box.End != fence.Exited || s.Box.Exit != 0):
			return sentenceOf(x, "ended while the tests ran")
		}
	}
	return ""
}

func sentenceOf(x service.Seen, what string) string {
	s := fmt.Sprintf("the service %s %s", x.Name, what)
	if x.Detail != "" {
		s += ": " + x.Detail
	}
	return s
}
