package objects

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// ID names an object by the SHA-1 of its content.
type ID = plumbing.Hash

// Type is the kind of an object.
type Type = plumbing.ObjectType

// The kinds of object that are read.
const (
	Commit = plumbing.CommitObject
	Tree   = plumbing.TreeObject
	Blob   = plumbing.BlobObject
	Tag    = plumbing.TagObject
)

const (
	// streamAbove is the size in bytes from which an object is not held in memory.
	streamAbove = 1 << 20
	// maxRead is the largest object, in bytes, that is held in memory as a whole.
	maxRead = 512 << 20
	// cacheSize is what one reader keeps of trees and delta bases.
	cacheSize = 16 << 20
)

// Missing is the error for an object that none of the folders has.
type Missing struct {
	ID    ID
	Cause error // what reading it said, where that is more than "not found"
}

func (e *Missing) Error() string {
	if e.Cause == nil || errors.Is(e.Cause, plumbing.ErrObjectNotFound) {
		return fmt.Sprintf("read object %s: not found", e.ID)
	}
	return fmt.Sprintf("read object %s: %v", e.ID, e.Cause)
}

// Corrupt is the error for an object whose content is not what its name says.
type Corrupt struct{ ID ID }

func (e *Corrupt) Error() string {
	return fmt.Sprintf("read object %s: its content does not have this name", e.ID)
}

// WrongType is the error for an object of another kind than was asked for.
type WrongType struct {
	ID        ID
	Got, Want Type
}

func (e *WrongType) Error() string {
	return fmt.Sprintf("read object %s: is a %s, not a %s", e.ID, e.Got, e.Want)
}

// Store reads from its own object folder and from borrowed ones, and writes to its own.
// Its methods may be called from many goroutines.
type Store struct {
	own      string
	borrowed []string
	packs    packs

	mu     sync.Mutex
	idle   []*reader
	closed bool
}

// Open returns a store that writes to the object folder own and borrows from others, all absolute
// paths. It opens nothing yet, so it cannot fail.
func Open(own string, borrowed ...string) *Store {
	return &Store{own: own, borrowed: borrowed, packs: packs{folders: borrowed}}
}

// Close releases the open packs. Reads still under way release theirs when they end.
func (s *Store) Close() {
	s.mu.Lock()
	idle := s.idle
	s.idle, s.closed = nil, true
	s.mu.Unlock()
	for _, r := range idle {
		r.close()
	}
	s.packs.close()
}

// Visit hands the content of an object to visit, as a stream. Where reading fails in the middle,
// visit is called again and gets the object from its first byte, so it must start afresh each time.
// An error of visit's own is returned as it is. Otherwise the error is *Missing, *Corrupt or
// *WrongType, or the context's.
func (s *Store) Visit(ctx context.Context, id ID, want Type, visit func(size int64, content io.Reader) error) error {
	r := s.take()
	defer s.give(r)
	var err error
	// Between the first and the last try lies more time than a repack needs to put its pack in place
	// of those that it removes.
	for try, wait := range []time.Duration{0, 0, 2 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond, 300 * time.Millisecond} {
		if try > 0 {
			r.close()
			s.packs.refresh()
			*r = *s.newReader()
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
		var final bool
		if final, err = r.visit(id, want, visit); final {
			return err
		}
	}
	var corrupt *Corrupt
	if errors.As(err, &corrupt) {
		s.dropOwn(id)
		return err
	}
	return &Missing{ID: id, Cause: err}
}

func sleep(ctx context.Context, d time.Duration) error {
	if d == 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// Read returns the whole content of an object, which may have 512 MiB. Its errors are those of Visit.
func (s *Store) Read(ctx context.Context, id ID, want Type) ([]byte, error) {
	var buf bytes.Buffer
	err := s.Visit(ctx, id, want, func(size int64, content io.Reader) error {
		if size > maxRead {
			return &Malformed{ID: id, Why: fmt.Sprintf("has %d bytes, more than are held in memory", size)}
		}
		buf.Reset()
		buf.Grow(int(min(size, 64<<20)) + bytes.MinRead)
		_, err := buf.ReadFrom(content)
		return err
	})
	return buf.Bytes(), err
}

// TypeOf tells what kind of object id is.
func (s *Store) TypeOf(ctx context.Context, id ID) (Type, error) {
	err := s.Visit(ctx, id, plumbing.AnyObject, func(int64, io.Reader) error { return nil })
	var wrong *WrongType
	if errors.As(err, &wrong) {
		return wrong.Got, nil
	}
	return plumbing.InvalidObject, err
}

// WithPrefix returns the objects whose name begins with the bytes of prefix, in any folder.
func (s *Store) WithPrefix(prefix []byte) (ids []ID, err error) {
	// A fresh look, since packs come and go, and once more where one went while it was looked at.
	for range 3 {
		if ids, err = s.withPrefix(prefix); err == nil {
			return ids, nil
		}
	}
	return nil, fmt.Errorf("look for objects by prefix: %v", err)
}

func (s *Store) withPrefix(prefix []byte) ([]ID, error) {
	r := s.newReader()
	defer r.close()
	seen := map[ID]bool{}
	var ids []ID
	for _, st := range r.stores {
		found, err := st.HashesWithPrefix(prefix)
		if err != nil {
			return nil, err
		}
		for _, id := range found {
			if !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids, nil
}

// dropOwn removes a loose object of Lane's own that a crash left half written; it is made anew by
// whoever needs it next. Borrowed folders are never touched.
func (s *Store) dropOwn(id ID) {
	name := id.String()
	os.Remove(filepath.Join(s.own, name[:2], name[2:]))
}

func (s *Store) take() *reader {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.idle); n > 0 {
		r := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return r
	}
	return s.newReader()
}

func (s *Store) give(r *reader) {
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.idle = append(s.idle, r)
	}
	s.mu.Unlock()
	if closed {
		r.close()
	}
}

// reader is one goroutine's view of the folders: go-git's storages are not safe for more than one.
type reader struct {
	packs  *packs
	in     inflater
	bases  baseCache
	stores []*filesystem.ObjectStorage
}

func (s *Store) newReader() *reader {
	lru := cache.NewObjectLRU(cacheSize)
	options := filesystem.Options{KeepDescriptors: true, LargeObjectThreshold: streamAbove}
	r := &reader{packs: &s.packs, in: inflater{buffer: bufio.NewReaderSize(nil, 16<<10)}}
	// Most objects are the user's, and to find that a folder has none costs a system call each time.
	for _, dir := range s.borrowed {
		r.stores = append(r.stores, filesystem.NewObjectStorageWithOptions(dotgit.New(ReadOnly(newFolder(dir))), lru, options))
	}
	r.stores = append(r.stores, filesystem.NewObjectStorageWithOptions(dotgit.New(newFolder(s.own)), lru, options))
	return r
}

func (r *reader) close() {
	for _, st := range r.stores {
		st.Close()
	}
}

// visit reads an object once. final says that no second try would change the answer.
func (r *reader) visit(id ID, want Type, visit func(int64, io.Reader) error) (final bool, err error) {
	check := func(kind Type, size int64, content io.Reader) error {
		final, err = checked(id, want, kind, size, content, visit)
		return err
	}
	if p, at, ok := r.packs.find(id); ok {
		if err := p.read(&r.in, at, &r.bases, check); !errors.Is(err, errNotHere) {
			return final, err
		}
	}
	obj, err := r.find(id)
	if err != nil {
		return false, err
	}
	content, err := obj.Reader()
	if err != nil {
		return false, err
	}
	defer content.Close()
	return checked(id, want, obj.Type(), obj.Size(), content, visit)
}

// checked hashes an object while visit reads it.
func checked(id ID, want, kind Type, size int64, content io.Reader, visit func(int64, io.Reader) error) (final bool, err error) {
	if kind != want {
		return true, &WrongType{ID: id, Got: kind, Want: want}
	}
	hash := sha1.New()
	fmt.Fprintf(hash, "%s %d\x00", kind, size)
	tee := &tee{from: content, to: hash}
	if err := visit(size, tee); err != nil && tee.err == nil {
		return true, err
	}
	if _, err := io.Copy(io.Discard, tee); err != nil {
		return false, err
	}
	if ID(hash.Sum(nil)) != id {
		return false, &Corrupt{ID: id}
	}
	return true, nil
}

func (r *reader) find(id ID) (plumbing.EncodedObject, error) {
	var failed error = plumbing.ErrObjectNotFound
	for _, st := range r.stores {
		obj, err := st.EncodedObject(plumbing.AnyObject, id)
		if err == nil {
			return obj, nil
		}
		if !errors.Is(err, plumbing.ErrObjectNotFound) {
			failed = err
		}
	}
	return nil, failed
}

// tee hashes what is read and remembers whether reading failed.
type tee struct {
	from io.Reader
	to   io.Writer
	err  error
}

func (t *tee) Read(p []byte) (int, error) {
	if t.err != nil {
		return 0, t.err
	}
	n, err := t.from.Read(p)
	t.to.Write(p[:n])
	if err != nil && err != io.EOF {
		t.err = err
	}
	return n, err
}
