package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// settle is how far a change must lie back before a seal is made. A change in
// the same tick of the kernel's clock as the hash would carry the same ctime.
const settle = 50 * time.Millisecond

func (c Checker) sealFile(p Path) string { return filepath.Join(c.Seals, filepath.Base(p.StorePath)) }

// sealed passes a path whose seal holds, and hashes and seals one that has none
// or whose files have changed: hard links that Nix makes, or a copy of the same
// content, change them too.
func (c Checker) sealed(ctx context.Context, p Path) error {
	broken := "it has no seal"
	if seal, err := readOwn(c.sealFile(p)); err == nil {
		if broken = holds(p, seal); broken == "" {
			return nil
		}
	}
	err := c.seal(ctx, p)
	var changed *Changed
	if errors.As(err, &changed) && !changed.Absent {
		changed.Msg += " (" + broken + ")"
	}
	return err
}

// seal hashes the path and keeps what its files look like, provided that they
// looked the same before and after.
func (c Checker) seal(ctx context.Context, p Path) error {
	before, newest, err := snapshot(p)
	if err != nil {
		return &Changed{StorePath: p.StorePath, Msg: err.Error()}
	}
	if wait := time.Until(newest.Add(settle)); wait > 0 && wait <= settle {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := hash(ctx, p); err != nil {
		return err
	}
	after, _, err := snapshot(p)
	if err != nil || !bytes.Equal(before, after) {
		return &Changed{StorePath: p.StorePath, Msg: "it changed while it was hashed"}
	}
	if time.Until(newest.Add(settle)) > 0 {
		// A ctime in the future proves nothing about what comes after it. The hash
		// was right, so the path passes; it is only not remembered.
		return nil
	}
	if err := writeOwn(c.sealFile(p), after); err != nil {
		return fmt.Errorf("seal %s: %w", p.StorePath, err)
	}
	return nil
}

// readOwn reads a file that only this user can have written.
func readOwn(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !ownedBy(info, os.Geteuid()) || info.Mode()&0o022 != 0 {
		return nil, fmt.Errorf("%s could have been written by another user", name)
	}
	b := make([]byte, info.Size())
	n, err := f.ReadAt(b, 0)
	if n != len(b) {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return b, nil
}

// writeOwn replaces name by a file with the given content, never seen half.
func writeOwn(name string, data []byte) error {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".seal-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	return err
}
