package warmup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/vallane/lane/internal/flock"
	"github.com/vallane/lane/warmup/nar"
	"github.com/vallane/lane/warmup/store"
)

// NotWarm says that a closure cannot be used as it is: it was never warmed
// here, or something of it is gone or changed.
type NotWarm struct {
	Key  string
	Msg  string
	Path string // the store path that is gone or changed, or ""
	// Changed is set where the path is there with another content: no sign of a
	// machine that is cold, but of one that something has gone wrong on.
	Changed bool
}

func (n *NotWarm) Error() string { return "find the closure: " + n.Msg }

// Hint says what to do next.
func (n *NotWarm) Hint() string { return "run lane warm" }

// Load finds the closure of an environment that was warmed before, in this
// user's state or a shared one, and checks every path at the level. It starts
// no process. The closure is in use until it is closed. The error is a
// *NotWarm where lane warm would help.
func (o Options) Load(ctx context.Context, src Source, level Level) (*Closure, error) {
	o, err := o.check()
	if err != nil {
		return nil, err
	}
	if err := src.Validate(); err != nil {
		return nil, err
	}
	return o.find(ctx, src, level)
}

// find loads the closure of an environment, and refuses it where the closure.lock beside the flake names another.
func (o Options) find(ctx context.Context, src Source, level Level) (*Closure, error) {
	c, err := o.load(ctx, src.Key(), level)
	if err != nil {
		return nil, err
	}
	if err := agree(src, c.lock); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (o Options) load(ctx context.Context, key string, level Level) (*Closure, error) {
	worst := &NotWarm{Key: key, Msg: "the environment has not been warmed on this machine"}
	for _, state := range append([]string{o.State}, o.Shared...) {
		c, err := o.loadFrom(ctx, state, key, level)
		var cold *NotWarm
		switch {
		case err == nil:
			return c, nil
		case errors.Is(err, fs.ErrNotExist):
		case errors.As(err, &cold):
			worst = cold
		default:
			return nil, err
		}
	}
	return nil, worst
}

// loadFrom loads from one state. Where that knows nothing of the key the error
// is fs.ErrNotExist.
func (o Options) loadFrom(ctx context.Context, state, key string, level Level) (*Closure, error) {
	use, err := takeUse(state, key)
	if err != nil {
		return nil, err
	}
	c, err := o.open(ctx, state, key, level)
	if err != nil {
		use.Release()
		return nil, err
	}
	c.use = use
	return c, nil
}

// takeUse marks the closure as in use, so that no gc removes it from here on.
func takeUse(state, key string) (*flock.Lock, error) {
	path := usePath(state, key)
	use, err := flock.TryExisting(path, flock.Shared)
	switch {
	case errors.Is(err, flock.ErrHeld):
		return nil, &NotWarm{Key: key, Msg: "a gc is removing it at this moment"}
	case errors.Is(err, fs.ErrNotExist):
		return nil, fs.ErrNotExist
	case err != nil:
		return nil, &NotWarm{Key: key, Msg: err.Error()}
	}
	// When it was last used is the file's mtime where it is ours, and else its
	// atime, which the kernel keeps to the day.
	now := time.Now()
	if os.Chtimes(path, now, now) != nil {
		_, _ = os.ReadFile(path)
	}
	return use, nil
}

func (o Options) open(ctx context.Context, state, key string, level Level) (*Closure, error) {
	l, err := readLock(lockPath(state, key), key)
	if err != nil {
		return nil, err
	}
	if l.StoreDir != o.StoreDir {
		return nil, &NotWarm{Key: key, Msg: fmt.Sprintf("its paths are in %s, and the store is %s", l.StoreDir, o.StoreDir)}
	}
	if msg := o.rootHolds(rootLink(state, key), l); msg != "" {
		return nil, &NotWarm{Key: key, Msg: msg}
	}
	c := o.closure(l, lockPath(state, key))
	if err := o.verify(ctx, c, l, level); err != nil {
		return nil, err
	}
	return c, nil
}

// readLock reads a closure.lock that this user or root wrote, for this key.
func readLock(path, key string) (*Lock, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, &NotWarm{Key: key, Msg: err.Error()}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, &NotWarm{Key: key, Msg: err.Error()}
	}
	if !trustworthy(info) {
		return nil, &NotWarm{Key: key, Msg: path + " could have been written by another user than you or root"}
	}
	data := make([]byte, info.Size())
	if n, err := f.ReadAt(data, 0); n != len(data) {
		return nil, &NotWarm{Key: key, Msg: err.Error()}
	}
	l, err := ParseLock(data)
	if err != nil {
		return nil, &NotWarm{Key: key, Msg: path + ": " + err.Error()}
	}
	if l.Key != key {
		return nil, &NotWarm{Key: key, Msg: path + " is for another environment, " + l.Key}
	}
	return l, nil
}

// closure puts a lock's facts in the form that runs use.
func (o Options) closure(l *Lock, path string) *Closure {
	c := &Closure{
		Key: l.Key, Digest: l.Digest, Root: l.Outputs[0], Outputs: l.Outputs,
		Sandbox: l.Sandbox, StoreDir: l.StoreDir, Lock: path, lock: l,
	}
	for _, p := range l.Paths {
		c.Paths = append(c.Paths, Path{
			StorePath: p.Path, Host: o.host(p.Path), NarHash: p.NarHash, NarSize: p.NarSize, References: p.References,
		})
	}
	return c
}

// verify checks the closure's paths and notes the level.
func (o Options) verify(ctx context.Context, c *Closure, l *Lock, level Level) error {
	paths := make([]store.Path, len(c.Paths))
	for i, p := range c.Paths {
		sum, err := nar.ParseHash(p.NarHash)
		if err != nil {
			return err
		}
		paths[i] = store.Path{StorePath: p.StorePath, Host: p.Host, Type: l.Paths[i].Type, SHA256: sum, NarSize: p.NarSize}
	}
	err := o.checker().Check(ctx, level, paths)
	var changed *store.Changed
	if errors.As(err, &changed) {
		return &NotWarm{Key: c.Key, Msg: changed.Error(), Path: changed.StorePath, Changed: !changed.Absent}
	}
	if err != nil {
		return err
	}
	c.Verified = level
	return nil
}
