package lane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/vallane/lane/lane/signing"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/warmup"
	"github.com/vallane/lane/warmup/bincache"
)

// Warmed is one closure that Warm made or found.
type Warmed struct {
	Spec    string `json:"spec"`
	Flake   string `json:"flake"`
	Key     string `json:"key"`
	Digest  string `json:"digest"`
	Lock    string `json:"lock"`
	Paths   int    `json:"paths"`
	Bytes   int64  `json:"bytes"`
	Sandbox string `json:"sandbox"`
	// Fresh says that it was not there before.
	Fresh bool `json:"fresh"`
	// Pushed is how many of its paths a binary cache did not have.
	Pushed int `json:"pushed,omitempty"`
	// Image is the digest of the image that holds it, where one was written.
	Image string `json:"image,omitempty"`
	// Pins are the files of pins that were written, as slash paths in the working tree.
	Pins []string `json:"pins,omitempty"`
}

// WarmOptions says how Warm works.
type WarmOptions struct {
	// Verify is how thoroughly a closure is checked: lstat, sealed or full.
	Verify string
	// Pin writes the files of pins of the flakes anew, beside them in the working tree, with the versions
	// that the clients serve now.
	Pin bool
	// Repair looks at every byte, whatever Verify says, and replaces what has changed.
	Repair bool
	// Push is the URL of a binary cache that gets the closures, signed by the key in the file Key; "" for none.
	Push, Key string
	// Flake is a folder with a flake.nix: each of its packages for this system is a closure to warm, besides those of the specs. "" is
	// none. Extras are further files that it reads, as slash paths below the folder.
	Flake  string
	Extras []string
	// Image is a file that gets a container image of this Lane and the closures, as an OCI layout and for docker load; "" for none.
	Image string
}

// cacheKey reads the key for Push.
func (w WarmOptions) cacheKey() (key bincache.SecretKey, err error) {
	if w.Push == "" {
		return key, nil
	}
	if w.Key == "" {
		return key, errors.New("fill a cache: name the file of its key by --key; lane keygen --cache NAME makes one")
	}
	data, err := signing.ReadKey(w.Key)
	if err != nil {
		return key, fmt.Errorf("fill a cache: %w", err)
	}
	return warmup.ParseCacheKey(string(data))
}

// Warm makes the closures of the specs, so that checks find them without Nix. As root it also writes
// their locks to Options.Shared, for the other users of the machine.
func Warm(ctx context.Context, o Options, paths []string, w WarmOptions) ([]Warmed, error) {
	level, err := levelOf(w.Verify)
	if err != nil {
		return nil, err
	}
	if w.Repair {
		level = warmup.LevelFull
	}
	key, err := w.cacheKey()
	if err != nil {
		return nil, err
	}
	specs, err := loadAll(paths)
	if err != nil {
		return nil, err
	}
	var out []Warmed
	var held []*warmup.Closure
	defer func() {
		for _, c := range held {
			c.Close()
		}
	}()
	for _, s := range specs {
		one, closures, err := warmSpec(ctx, o, s, level, w, key)
		held = append(held, closures...)
		out = append(out, one...)
		if err != nil {
			return out, fmt.Errorf("warm %s: %w", s.Name, withExit(err))
		}
	}
	if w.Flake != "" {
		one, closures, err := warmFlake(ctx, o, level, w, key)
		held = append(held, closures...)
		out = append(out, one...)
		if err != nil {
			return out, fmt.Errorf("warm %s: %w", w.Flake, withExit(err))
		}
	}
	if w.Image == "" {
		return out, nil
	}
	digest, err := o.writeImage(ctx, w.Image, held)
	for i := range out {
		out[i].Image = digest
	}
	return out, err
}

func levelOf(verify string) (warmup.Level, error) {
	for _, l := range []warmup.Level{warmup.LevelLstat, warmup.LevelSealed, warmup.LevelFull} {
		if verify == l.String() {
			return l, nil
		}
	}
	return warmup.LevelNone, fmt.Errorf("read --verify: %q is no level; use lstat, sealed or full", verify)
}

func warmSpec(ctx context.Context, o Options, s *spec.Spec, level warmup.Level, opts WarmOptions, key bincache.SecretKey) (out []Warmed, held []*warmup.Closure, err error) {
	j, err := o.planOnly(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	defer j.close()
	j.repin = opts.Pin
	done := map[string]bool{}
	for _, t := range s.Tasks {
		if done[t.Flake] || j.guests() && t.Module() {
			continue
		}
		done[t.Flake] = true
		src, _, err := j.environment(t)
		if err != nil {
			return out, held, err
		}
		w := o.warming(func(text string) { j.say("closure", text) }, opts)
		var pins []string
		if opts.Pin {
			if src, pins, err = j.pin(ctx, w, t, src); err != nil {
				return out, held, err
			}
		}
		w.Log("look for the closure " + t.Flake)
		one, c, err := warmOne(ctx, w, src, level, opts, key)
		if c != nil {
			held = append(held, c)
		}
		if err != nil {
			return out, held, err
		}
		one.Spec, one.Flake, one.Pins = s.ID, t.Flake, pins
		out = append(out, one)
	}
	return out, held, nil
}

// warming is how closures are made by Warm: as root with the machine's store, for others too.
func (o Options) warming(log func(string), opts WarmOptions) warmup.Options {
	w := o.closures(log)
	w.Repair = opts.Repair
	if os.Geteuid() == 0 && o.Shared != "" && w.Private == "" {
		w.Publish = o.Shared
	}
	return w
}

// warmOne makes one closure, or finds it, and pushes it where that is asked for. The closure is in use until it is closed; it may be
// returned with an error.
func warmOne(ctx context.Context, w warmup.Options, src warmup.Source, level warmup.Level, opts WarmOptions, key bincache.SecretKey) (one Warmed, c *warmup.Closure, err error) {
	c, err = w.Load(ctx, src, level)
	fresh := errors.As(err, new(*warmup.NotWarm))
	if fresh || err == nil && w.Publish != "" {
		if err == nil {
			c.Close()
		}
		c, err = w.Warm(ctx, src)
		if err == nil {
			c.Close()
			c, err = w.Load(ctx, src, level)
		}
	}
	if err != nil {
		return one, nil, err
	}
	one = Warmed{Key: c.Key, Digest: c.Digest, Lock: c.Lock, Paths: len(c.Paths), Bytes: c.Size(), Sandbox: string(c.Sandbox), Fresh: fresh}
	if opts.Push != "" {
		one.Pushed, err = w.Push(ctx, c, opts.Push, key)
	}
	return one, c, err
}

// pin writes the files of pins of a task's flake anew.
func (j *job) pin(ctx context.Context, w warmup.Options, t spec.Task, src warmup.Source) (warmup.Source, []string, error) {
	root := j.repo.Root()
	if root == "" {
		return src, nil, errors.New("pin the environment: the repository has no working tree to write pins to")
	}
	src, names, err := w.Pin(ctx, src)
	if err != nil {
		return src, nil, err
	}
	folder, _ := t.FlakeRef()
	var written []string
	for _, name := range names {
		at := path.Join(folder, name)
		if !slices.ContainsFunc(j.spec.Env.Extras, func(g string) bool { return spec.Match(g, at) }) {
			return src, nil, j.spec.Problem("env.extras", "the flake reads "+at+", and no extra covers it", "extras = [\""+at+"\"] in [env]")
		}
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(at)), src.Files[name].Data, 0o644); err != nil {
			return src, nil, fmt.Errorf("pin the environment: %w", err)
		}
		written = append(written, at)
	}
	return src, written, nil
}
