package lane

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vallane/lane/warmup"
	"github.com/vallane/lane/warmup/bincache"
)

// warmFlake makes the closure of each package of a flake. It stands in no spec, so that its files are those on the disk.
func warmFlake(ctx context.Context, o Options, level warmup.Level, opts WarmOptions, key bincache.SecretKey) (out []Warmed, held []*warmup.Closure, err error) {
	say := func(string) {}
	if o.Events != nil {
		say = func(text string) { o.Events(Event{Spec: opts.Flake, Phase: "closure", Text: text}) }
	}
	w := o.warming(say, opts)
	src, err := readFlake(opts.Flake, opts.Extras)
	if err != nil {
		return nil, nil, err
	}
	var pins []string
	if opts.Pin {
		if src, pins, err = w.Pin(ctx, src); err != nil {
			return nil, nil, err
		}
		for _, name := range pins {
			if err := os.WriteFile(filepath.Join(opts.Flake, filepath.FromSlash(name)), src.Files[name].Data, 0o644); err != nil {
				return nil, nil, fmt.Errorf("pin the flake: %w", err)
			}
		}
	}
	names, err := w.Packages(ctx, src)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		src.Attr = name
		say("look for the closure " + opts.Flake + "#" + name)
		one, c, err := warmOne(ctx, w, src, level, opts, key)
		if c != nil {
			held = append(held, c)
		}
		if err != nil {
			return out, held, fmt.Errorf("%s: %w", name, err)
		}
		one.Spec, one.Flake, one.Pins = opts.Flake, opts.Flake+"#"+name, pins
		out, pins = append(out, one), nil
	}
	return out, held, nil
}

// readFlake reads a flake from a folder: flake.nix, flake.lock and a closure.lock where they are there, and the extras.
func readFlake(dir string, extras []string) (warmup.Source, error) {
	src := warmup.Source{Files: map[string]warmup.File{}, System: system()}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return src, fmt.Errorf("read the flake: %w", err)
	}
	defer root.Close()
	for i, name := range append([]string{"flake.nix", "flake.lock", warmup.LockName}, extras...) {
		data, err := root.ReadFile(filepath.FromSlash(name))
		switch {
		case errors.Is(err, fs.ErrNotExist) && i < 3: // a flake.nix that is missing has a refusal of its own
		case err != nil:
			return src, fmt.Errorf("read the flake: %w", err)
		case name == warmup.LockName:
			src.Lock = data
		default:
			src.Files[name] = warmup.File{Data: data}
		}
	}
	return src, nil
}
