package warmup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/vallane/lane/internal/flock"
	"github.com/vallane/lane/warmup/stage"
)

// Warm makes sure that the closure of an environment is there, locked, rooted
// and sealed, and returns it as Load at LevelSealed does. What was warmed
// before costs one check and no process; the rest needs Nix. Several calls for
// one environment, in one process or in many, realise it once: the others wait.
//
//  1. Refuse what can be seen to be unlocked in the bytes.
//  2. Take the environment's lock; look again whether another has warmed it.
//  3. Stage the bytes, and compare the flake's own outline with its lock.
//  4. Fetch what laneSources lists and the store lacks.
//  5. Build, with a root; ask for all paths; measure the sandbox if anything was built.
//  6. Hash every path and seal it, compare it with the closure.lock beside the flake, write closure.lock, publish.
//
// Without Nix the closure.lock beside the flake says what 3 to 5 would come to, and binary caches have it.
//
// The error is a *Refusal where the flake is at fault.
func (o Options) Warm(ctx context.Context, src Source) (*Closure, error) {
	o, err := o.check()
	if err != nil {
		return nil, err
	}
	if err := stage.Check(src); err != nil {
		return nil, err
	}
	if _, err := committed(src); err != nil {
		return nil, err
	}
	key := src.Key()
	if c, ok, err := o.already(ctx, src); ok || err != nil {
		return c, err
	}
	warming, err := flock.Take(ctx, filepath.Join(envDir(o.State, key), "warming"), flock.Exclusive, func() {
		o.Log("waiting for another warm-up of the same environment")
	})
	if err != nil {
		return nil, fmt.Errorf("warm the environment: %w", err)
	}
	defer warming.Release()
	if c, ok, err := o.already(ctx, src); ok || err != nil {
		return c, err
	}
	r := &realisation{Options: o, src: src, key: key}
	if err := r.run(ctx); err != nil {
		return nil, fmt.Errorf("warm the environment: %w", err)
	}
	return o.find(ctx, src, o.level())
}

// level is how thoroughly Warm looks at what is there.
func (o Options) level() Level {
	if o.Repair {
		return LevelFull
	}
	return LevelSealed
}

// already loads what is warm. A closure that is not as it should be is warmed
// again; only where it cannot be told does an error end the call.
func (o Options) already(ctx context.Context, src Source) (*Closure, bool, error) {
	c, err := o.find(ctx, src, o.level())
	var cold *NotWarm
	if errors.As(err, &cold) {
		return nil, false, nil
	}
	if err == nil && o.Publish != "" && !exists(lockPath(o.Publish, src.Key())) {
		// It was warmed without being published.
		c.Close()
		return nil, false, nil
	}
	return c, err == nil, err
}
