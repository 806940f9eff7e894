package runner

import (
	"context"
	"fmt"

	"github.com/vallane/lane/lane/fence"
)

// Script runs a program of the closure on files that Lane lays into a box, and returns what it wrote to the file out, an absolute
// path in the box. It is for Lane's own scripts, which read sources of the tree and execute none of them.
func (s *Stage) Script(ctx context.Context, argv []string, files map[string][]byte, out string) ([]byte, error) {
	var res fence.Result
	err := s.use(ctx, func(b *fence.Box) (err error) {
		res, err = b.Run(ctx, fence.Command{Argv: argv, Files: asFiles(files), Collect: []string{out}, Timeout: warming})
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case res.End != fence.Exited || res.Exit != 0:
		seen := Seen{Box: res}
		return nil, fmt.Errorf("run %s in a box: %s, exit status %d\n%s", argv[0], res.End, res.Exit, seen.Output())
	}
	data, ok := res.Collected[out]
	if !ok {
		return nil, fmt.Errorf("run %s in a box: it left no %s", argv[0], out)
	}
	return data, nil
}
