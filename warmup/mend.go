package warmup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vallane/lane/internal/flock"
)

// Damaged says that a store path is not what it was when Nix put it there, and
// that it cannot be put there again as long as something keeps it alive.
type Damaged struct {
	Path string
	Msg  string
}

func (d *Damaged) Error() string { return d.Msg }

// Hint says what to do next.
func (d *Damaged) Hint() string {
	return "see what keeps it alive with nix-store --query --roots " + d.Path +
		", remove that (Lane's other closures: lane gc), then run lane warm again"
}

// mend deletes a damaged path, with what refers to it, so that the next build
// brings it back: to Nix it is there, and it would leave it alone. The closure's
// own roots go for that time; nobody can be using it.
func (r *realisation) mend(ctx context.Context, d *Damaged) error {
	r.Log(d.Msg + "; deleting it, to have it made again")
	for _, state := range r.states() {
		use, err := flock.TryExisting(usePath(state, r.key), flock.Exclusive)
		if errors.Is(err, flock.ErrHeld) {
			return d
		}
		if err == nil {
			defer use.Release()
		}
		links, err := filepath.Glob(rootLink(state, r.key) + "*")
		if err != nil {
			return err
		}
		for _, link := range append(links, lockPath(state, r.key)) {
			if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	dead, err := r.nix.Dead(ctx)
	if err != nil {
		return err
	}
	paths, err := r.nix.Referrers(ctx, d.Path)
	if err != nil {
		return err
	}
	for _, p := range paths {
		if !dead[p] {
			return d
		}
	}
	return r.nix.Delete(ctx, paths...)
}
