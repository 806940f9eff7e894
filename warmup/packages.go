package warmup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/vallane/lane/warmup/nix"
	"github.com/vallane/lane/warmup/stage"
)

// Packages returns the attributes of a flake's packages for the system of src, in order; src.Attr is not looked at. Nix is asked, and
// where there is none the closure.lock beside the flake.
//
// The error is a *Refusal where the flake is at fault: also where it has no package.
func (o Options) Packages(ctx context.Context, src Source) ([]string, error) {
	o, err := o.check()
	if err != nil {
		return nil, err
	}
	src.Attr = ""
	if err := stage.Check(src); err != nil {
		return nil, err
	}
	var names []string
	if r := (&realisation{Options: o, src: src}); r.hasNix() {
		names, err = r.packages(ctx)
	} else {
		names, err = lockedPackages(src)
	}
	if err != nil {
		return nil, fmt.Errorf("list the packages of the flake: %w", err)
	}
	if len(names) == 0 {
		return nil, &Refusal{Code: stage.BrokenFlake, Msg: "the flake has no package for " + src.System}
	}
	return names, nil
}

func (r *realisation) packages(ctx context.Context) ([]string, error) {
	if err := os.MkdirAll(r.State, 0o755); err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp(r.State, ".packages-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	if err := r.stage(tmp, filepath.Join(tmp, "flake")); err != nil {
		return nil, err
	}
	if err := r.compareOutline(ctx); err != nil {
		return nil, err
	}
	names, err := r.nix.Names(ctx, r.flake, "packages."+r.src.System)
	if errors.Is(err, nix.ErrNoAttribute) {
		return nil, nil
	}
	if err != nil {
		return nil, r.refusalOf(ctx, err)
	}
	return names, nil
}

// lockedPackages are those that a committed closure.lock has.
func lockedPackages(src Source) (names []string, err error) {
	if src.Lock == nil {
		return nil, &nix.Missing{Program: "nix"}
	}
	c, err := ParseCommitted(src.Lock)
	if err != nil {
		return nil, err
	}
	for _, l := range c.Closures {
		if l.System == src.System {
			names = append(names, l.Attr)
		}
	}
	return names, nil
}
