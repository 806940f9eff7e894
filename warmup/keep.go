package warmup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// useText is what a person finds in the file whose lock says that a closure is
// in use.
const useText = "held by flock(2) while a closure is in use; its times say when it last was\n"

// hash hashes every path of the lock and seals it. A *Damaged is one that Nix
// knows with another content.
func (r *realisation) hash(ctx context.Context, l *Lock) error {
	r.Log(fmt.Sprintf("hashing %d store paths", len(l.Paths)))
	err := r.verify(ctx, r.closure(l, ""), l, r.level())
	var cold *NotWarm
	if errors.As(err, &cold) {
		return &Damaged{Path: cold.Path, Msg: cold.Msg}
	}
	return err
}

// keep writes the lock where this user, and where asked every user, finds it.
func (r *realisation) keep(ctx context.Context, l *Lock) error {
	data, err := l.Marshal()
	if err != nil {
		return err
	}
	if old, err := readLock(lockPath(r.State, r.key), r.key); err == nil && old.Digest != l.Digest {
		r.Log(fmt.Sprintf("the closure is another than before: %s, it was %s; what it is made from does not build the same each time", l.Digest, old.Digest))
	}
	if err := write(r.State, r.key, data); err != nil {
		return err
	}
	if r.Publish == "" {
		return nil
	}
	return r.publish(ctx, l, data)
}

// publish puts the lock, and a root of its own, where every user reads it,
// whatever this user's umask is.
func (r *realisation) publish(ctx context.Context, l *Lock, data []byte) error {
	link := rootLink(r.Publish, r.key)
	for _, dir := range []string{r.Publish, filepath.Join(r.Publish, "envs"), envDir(r.Publish, r.key), filepath.Dir(link)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("publish the closure: %w", err)
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			return fmt.Errorf("publish the closure: %w", err)
		}
	}
	if err := r.nix.Root(ctx, link, l.Outputs[0]); err != nil {
		return err
	}
	return write(r.Publish, r.key, data)
}

// write writes a lock into a state. The lock comes last: what has one is whole.
func write(state, key string, data []byte) error {
	if err := os.MkdirAll(envDir(state, key), 0o755); err != nil {
		return err
	}
	// The file whose lock says that a closure is in use stays the same one.
	use, err := os.OpenFile(usePath(state, key), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer use.Close()
	if err := use.Chmod(0o644); err != nil {
		return err
	}
	if _, err := use.WriteAt([]byte(useText), 0); err != nil {
		return err
	}
	return replace(lockPath(state, key), data)
}

// replace writes a file that is never seen half.
func replace(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	return err
}
