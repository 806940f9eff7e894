package warmup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vallane/lane/internal/flock"
)

// forget removes a closure from the states that this user writes to, while it
// holds every lock of it. It returns flock.ErrHeld where it does not get one.
func (o Options) forget(ctx context.Context, e Entry) error {
	var held []*flock.Lock
	defer func() {
		for _, f := range held {
			f.Release()
		}
	}()
	for _, state := range o.states() {
		for _, path := range []string{filepath.Join(envDir(state, e.Key), "warming"), usePath(state, e.Key)} {
			f, err := flock.TryExisting(path, flock.Exclusive)
			switch {
			case errors.Is(err, fs.ErrNotExist):
			case err != nil:
				return err
			default:
				held = append(held, f)
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, state := range o.states() {
		if err := o.forgetIn(state, e); err != nil {
			return fmt.Errorf("remove the closure %s: %w", e.Key, err)
		}
	}
	return nil
}

// forgetIn takes the lock first: what has none is cold, whatever else of it is
// left when this is interrupted.
func (o Options) forgetIn(state string, e Entry) error {
	if err := os.Remove(lockPath(state, e.Key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	links, err := filepath.Glob(rootLink(state, e.Key) + "*")
	if err != nil {
		return err
	}
	for _, link := range links {
		if err := os.Remove(link); err != nil {
			return err
		}
	}
	return os.RemoveAll(envDir(state, e.Key))
}

// deletePaths has Nix delete the paths that nothing else keeps alive, and
// returns the bytes that went. Where there is no Nix, or it will not now, they
// stay for its own collector.
func (o Options) deletePaths(ctx context.Context, paths []LockPath) int64 {
	for _, p := range paths {
		_ = os.Remove(filepath.Join(o.State, "seals", filepath.Base(p.Path)))
	}
	if o.Private != "" && !o.hasNix() {
		bytes, err := o.sweep(paths)
		if err != nil {
			o.Log("deleting store paths: " + err.Error())
		}
		return bytes
	}
	tmp, err := os.MkdirTemp("", "lane-gc-")
	if err != nil {
		return 0
	}
	defer os.RemoveAll(tmp)
	client := o.nix(tmp)
	dead, err := client.Dead(ctx)
	if err != nil {
		o.Log("asking Nix what nothing keeps alive: " + err.Error())
		return 0
	}
	var bytes int64
	var gone []string
	for _, p := range paths {
		if dead[p.Path] {
			gone = append(gone, p.Path)
			bytes += p.NarSize
		}
	}
	if len(gone) == 0 {
		return 0
	}
	if err := client.Delete(ctx, gone...); err != nil {
		o.Log("deleting store paths: " + err.Error())
		return 0
	}
	return bytes
}
