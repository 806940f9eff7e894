package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/vallane/lane/lane/fence"
)

// Hand is one command that a person runs in a fetch box.
type Hand struct {
	Argv           []string
	Stdin          io.Reader // nil for an empty one
	Stdout, Stderr io.Writer
	Terminal       *fence.Terminal // see fence.Command; nil for none
	Timeout        time.Duration   // 0 for that of the phase's own commands, 30 minutes
}

// ByHand runs a command as the phase's own would be run: same box, manifests, environment, proxy and bounds. Nothing that it
// fetches is kept. The hosts that it had to do with are returned with an error too.
func (p *Phase) ByHand(ctx context.Context, h Hand) (r fence.Result, hosts []Host, err error) {
	if err := os.MkdirAll(p.Scratch, 0o755); p.Scratch != "" && err != nil {
		return r, nil, fmt.Errorf("make a fetch box: %w", err)
	}
	dir, err := os.MkdirTemp(p.Scratch, ".hand-")
	if err != nil {
		return r, nil, fmt.Errorf("make a fetch box: %w", err)
	}
	defer func() {
		err = errors.Join(err, openUp(dir), os.RemoveAll(dir))
	}()
	if err := os.Chmod(dir, 0o755); err != nil {
		return r, nil, fmt.Errorf("make a fetch box: %w", err)
	}
	manifests, err := p.lay()
	if err != nil {
		return r, nil, err
	}
	defer os.RemoveAll(manifests)
	overlays, err := p.overlays(dir, manifests)
	if err != nil {
		return r, nil, err
	}
	watched, stop := p.watch(ctx, dir)
	defer stop()
	b, err := p.open(watched, overlays)
	if err != nil {
		return r, nil, err
	}
	cmd := p.command(h.Argv)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Terminal = h.Stdin, h.Stdout, h.Stderr, h.Terminal
	if h.Timeout > 0 {
		cmd.Timeout = h.Timeout
	}
	r, err = b.box.Run(watched, cmd)
	if errors.Is(context.Cause(watched), errTooMuch) {
		err = tooMuch()
	}
	err = errors.Join(err, b.close())
	return r, b.hosts.all(), err
}

// overlays are the writable folders of a fetch box, whose contents come to lie in dir.
func (p *Phase) overlays(dir, manifests string) ([]fence.Overlay, error) {
	work := filepath.Join(dir, workIn)
	for _, d := range []string{filepath.Join(dir, broughtIn), CachesOf(dir), TreeOf(dir), work} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return nil, fmt.Errorf("make folders of the fetch phase: %w", err)
		}
		if err := p.hand(d); err != nil {
			return nil, fmt.Errorf("make folders of the fetch phase: %w", err)
		}
	}
	return []fence.Overlay{{Lower: manifests, At: fence.TreeDir, Upper: work}, {At: CachesDir, Upper: CachesOf(dir)}}, nil
}

// command is a command of the phase, with the environment that all have.
func (p *Phase) command(argv []string) fence.Command {
	env := network()
	for _, c := range Caches() {
		env = append(append(env, c.Both...), c.Fetch...)
	}
	return fence.Command{Argv: argv, Env: append(env, p.Env...), Dir: p.Dir, Timeout: CommandTime}
}
