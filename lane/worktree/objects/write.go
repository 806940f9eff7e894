package objects

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// Write stores an object in Lane's own folder and returns its name. It does so also where a
// borrowed folder has the object: nothing there keeps it from being pruned. An object that is
// there already gets a new time, so that it is not collected as an old one.
func (s *Store) Write(ctx context.Context, kind Type, data []byte) (ID, error) {
	if err := ctx.Err(); err != nil {
		return ID{}, context.Cause(ctx)
	}
	id := plumbing.ComputeHash(kind, data)
	name := id.String()
	path := filepath.Join(s.own, name[:2], name[2:])
	own := filesystem.NewObjectStorage(dotgit.New(newFolder(s.own)), cache.NewObjectLRU(0))
	if _, err := os.Lstat(path); err == nil {
		if obj, err := own.EncodedObject(kind, id); err == nil && obj.Hash() == id {
			now := time.Now()
			if err := os.Chtimes(path, now, now); err != nil && !os.IsNotExist(err) {
				return id, fmt.Errorf("write object %s: %v", id, err)
			}
			return id, nil
		}
		os.Remove(path)
	}
	obj := &plumbing.MemoryObject{}
	obj.SetType(kind)
	if _, err := obj.Write(data); err != nil {
		return id, fmt.Errorf("write object %s: %v", id, err)
	}
	if _, err := own.SetEncodedObject(obj); err != nil {
		return id, fmt.Errorf("write object %s: %v", id, err)
	}
	return id, nil
}

// maxKeep is the largest object, in bytes, that Keep copies.
const maxKeep = 64 << 20

// Keep copies an object from a borrowed folder into Lane's own, unless it is there already. One of more
// than 64 MiB stays where it is.
func (s *Store) Keep(ctx context.Context, id ID, kind Type) error {
	name := id.String()
	if _, err := os.Lstat(filepath.Join(s.own, name[:2], name[2:])); err == nil {
		return nil
	}
	var data []byte
	err := s.Visit(ctx, id, kind, func(size int64, content io.Reader) (err error) {
		data = nil
		if size <= maxKeep {
			data, err = io.ReadAll(content)
		} else {
			_, err = io.CopyN(io.Discard, content, size)
		}
		return err
	})
	if err != nil || data == nil {
		return err
	}
	_, err = s.Write(ctx, kind, data)
	return err
}
