package warmup

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/vallane/lane/warmup/sources"
	"github.com/vallane/lane/warmup/stage"
)

// ParsePins reads a file of pins, which Pin writes.
func ParsePins(data []byte) (sources.Pins, error) { return sources.ParsePins(data) }

// Pin fetches what the laneSources of an environment leave open, in the versions
// that this machine's clients serve now, and returns the environment with its
// files of pins written anew, and the names of those. Where nothing is open,
// there are none. What was fetched is in the store: a Warm of the result does
// not fetch it again.
//
// The error is a *Refusal where the flake is at fault.
func (o Options) Pin(ctx context.Context, src Source) (Source, []string, error) {
	o, err := o.check()
	if err != nil {
		return src, nil, err
	}
	if err := os.MkdirAll(o.State, 0o755); err != nil {
		return src, nil, fmt.Errorf("pin the environment: %w", err)
	}
	tmp, err := os.MkdirTemp(o.State, ".pin-")
	if err != nil {
		return src, nil, fmt.Errorf("pin the environment: %w", err)
	}
	defer os.RemoveAll(tmp)
	r := &realisation{Options: o, src: src}
	list, err := r.openSources(ctx, tmp)
	if err != nil {
		return src, nil, fmt.Errorf("pin the environment: %w", err)
	}
	files := map[string]sources.Pins{}
	for _, s := range list {
		if s.Pins == "" {
			continue
		}
		p, err := r.pin(ctx, tmp, s)
		if err != nil {
			return src, nil, fmt.Errorf("pin the environment: %w", err)
		}
		if files[s.Pins] == nil {
			files[s.Pins] = sources.Pins{src.System: {}}
		}
		files[s.Pins][src.System][s.Name] = p
	}
	src.Files = maps.Clone(src.Files)
	var names []string
	for name, p := range files {
		src.Files[name] = File{Data: p.Bytes()}
		names = append(names, name)
	}
	return src, names, nil
}

// openSources evaluates laneSources as they are without any file of pins.
func (r *realisation) openSources(ctx context.Context, tmp string) ([]sources.Source, error) {
	first, err := r.sourcesOf(ctx, tmp)
	if err != nil {
		return nil, err
	}
	r.src.Files = maps.Clone(r.src.Files)
	for _, s := range first {
		delete(r.src.Files, s.Pins)
	}
	return r.sourcesOf(ctx, tmp)
}

func (r *realisation) sourcesOf(ctx context.Context, tmp string) ([]sources.Source, error) {
	if err := stage.Check(r.src); err != nil {
		return nil, err
	}
	if err := r.stage(tmp, filepath.Join(tmp, "flake")); err != nil {
		return nil, err
	}
	if err := r.compareOutline(ctx); err != nil {
		return nil, err
	}
	raw, err := r.listSources(ctx)
	if err != nil || raw == nil {
		return nil, err
	}
	return sources.ParseOpen(raw)
}

// pin fetches one source and adds it to the store.
func (r *realisation) pin(ctx context.Context, tmp string, s sources.Source) (sources.Pinned, error) {
	dir, p, err := sources.Fetcher{Environ: r.Environ, Log: r.Log}.Pin(ctx, tmp, s)
	if err != nil {
		return p, err
	}
	r.Log("adding " + s.Name + " to the store")
	_, err = r.nix.AddFixed(ctx, dir)
	return p, err
}
