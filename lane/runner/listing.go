package runner

import (
	"bytes"
	"context"
	"fmt"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
)

// Listing returns what the compiler lists of the code that it makes of the packages in some folders, with files of the tree replaced.
// Nothing of the tree is run.
func (s *Stage) Listing(ctx context.Context, folders []string, files map[string][]byte) ([]byte, error) {
	lister, ok := s.task.Reporter.(observe.Lister)
	if !ok {
		return nil, fmt.Errorf("list compiled code: the reporter %s cannot", s.task.Reporter.Name())
	}
	step, err := lister.Listing(s.request(Order{}), folders, files)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = s.use(ctx, func(b *fence.Box) error {
		cmd := s.command(step.Argv, step.Env, step.Files, Order{Log: &out, Wall: warming})
		res, err := b.Run(ctx, cmd)
		if err == nil && (res.End != fence.Exited || res.Exit != 0) {
			seen := Seen{Box: res}
			err = fmt.Errorf("%s: %s\n%s", step.Name, res.End, bounded(seen.Output(), 1<<10))
		}
		return err
	})
	return out.Bytes(), err
}
