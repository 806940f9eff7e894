package runner

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/vallane/lane/lane/fence"
)

// Hand is one command that a person runs in a box of a stage.
type Hand struct {
	Argv           []string
	Stdin          io.Reader // nil for an empty one
	Stdout, Stderr io.Writer
	Terminal       *fence.Terminal // see fence.Command; nil for none
	Timeout        time.Duration   // 0 for the task's
}

// ByHand runs a command as the task's own would be run: same box, tree, folder, environment and limits. What the reporter
// lays into its runs, so that they report, is left out.
func (s *Stage) ByHand(ctx context.Context, h Hand) (r fence.Result, err error) {
	cmd := s.command(h.Argv, nil, nil, Order{})
	_, cmd.Env = s.Plain()
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Terminal = h.Stdin, h.Stdout, h.Stderr, h.Terminal
	if h.Timeout > 0 {
		cmd.Timeout = h.Timeout
	}
	if s.task.WASI != nil {
		return s.guest(ctx, nil, Order{}, cmd)
	}
	err = s.use(ctx, func(b *fence.Box) error {
		r, err = b.Run(ctx, cmd)
		return err
	})
	return r, err
}

const filesDir = fence.FilesDir + "/"

// unobserved leaves out what leads to the reporter's files: whole words, such as one of GOFLAGS, and what is then empty.
func unobserved(env []string) (out []string) {
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if name == "LANE_EVENTS" {
			continue
		}
		words := strings.Fields(value)
		mine := func(w string) bool { return strings.HasPrefix(w, filesDir) || strings.Contains(w, "="+filesDir) }
		if !slices.ContainsFunc(words, mine) {
			out = append(out, kv)
		} else if words = slices.DeleteFunc(words, mine); len(words) > 0 {
			out = append(out, name+"="+strings.Join(words, " "))
		}
	}
	return out
}
