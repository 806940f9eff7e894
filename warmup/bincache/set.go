package bincache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"sync"
)

// Set is several caches that are asked in the order of their priorities.
type Set struct {
	caches []*Cache
	keys   []PublicKey
}

// Open takes the URLs of caches and the keys that may speak for them, and asks each what it is. One that does not answer in time is
// passed over from here on; that is no error.
func Open(ctx context.Context, urls, keys []string, o Options) (*Set, error) {
	o = o.withDefaults()
	s := &Set{}
	var err error
	if s.keys, err = ParsePublicKeys(keys); err != nil {
		return nil, err
	}
	for _, u := range urls {
		c, err := open(u, o)
		if err != nil {
			return nil, err
		}
		s.caches = append(s.caches, c)
	}
	var wait sync.WaitGroup
	for _, c := range s.caches {
		wait.Go(func() { c.greet(ctx) })
	}
	wait.Wait()
	slices.SortStableFunc(s.caches, func(a, b *Cache) int { return cmp.Compare(a.priority, b.priority) })
	return s, ctx.Err()
}

// Missing says that no cache gave a path, and what each of them had to say.
type Missing struct {
	StorePath string
	Reasons   []string // one for each cache that was asked
}

func (m *Missing) Error() string {
	if len(m.Reasons) == 0 {
		return m.StorePath + " is not here, and no binary cache is configured"
	}
	return "no cache gave " + m.StorePath + ": " + strings.Join(m.Reasons, "; ")
}

// Hint says what to do next.
func (m *Missing) Hint() string {
	return "name caches in LANE_SUBSTITUTERS and their keys in LANE_TRUSTED_KEYS, or run lane warm where Nix is installed"
}

// Found is a path that a cache has, and that a trusted key speaks for.
type Found struct {
	*Info
	Cache string // its URL

	cache  *Cache
	reject func(error)
}

// Reject notes why this one was not taken, for the error that tells of all of them.
func (f *Found) Reject(why error) { f.reject(why) }

// Find goes through the caches that have a path. The caller takes the next where it is not content with one, and says why by
// Reject; the last value is a *Missing with all the reasons.
func (s *Set) Find(ctx context.Context, storePath string) iter.Seq2[*Found, error] {
	return func(yield func(*Found, error) bool) {
		gone := &Missing{StorePath: storePath}
		for _, c := range s.caches {
			f, err := s.ask(ctx, c, storePath)
			if err == nil {
				f.reject = func(why error) { gone.Reasons = append(gone.Reasons, c.URL+": "+why.Error()) }
				if !yield(f, nil) {
					return
				}
				continue
			}
			if ctx.Err() != nil {
				yield(nil, context.Cause(ctx))
				return
			}
			if errors.Is(err, fs.ErrNotExist) {
				err = errors.New("it has not got it")
			}
			gone.Reasons = append(gone.Reasons, c.URL+": "+err.Error())
		}
		yield(nil, gone)
	}
}

func (s *Set) ask(ctx context.Context, c *Cache, storePath string) (*Found, error) {
	if err := c.aside(); err != nil {
		return nil, err
	}
	i, err := c.info(ctx, storePath)
	if err != nil {
		var silent *silence
		if errors.As(err, &silent) {
			c.putAside(err)
		}
		return nil, err
	}
	if err := i.Verify(s.keys); err != nil {
		return nil, err
	}
	return &Found{Info: i, Cache: c.URL, cache: c}, nil
}

// Archive streams the path's archive, without its compression. What it holds is not verified: its hash is the caller's to compare
// with NarHash.
func (f *Found) Archive(ctx context.Context) (io.ReadCloser, error) {
	s, err := f.cache.stream(ctx, f.URL, f.FileSize)
	if err != nil {
		return nil, fmt.Errorf("fetch %s from %s: %w", f.URL, f.Cache, err)
	}
	r, err := decompress(s, f.Compression)
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("fetch %s from %s: %w", f.URL, f.Cache, err)
	}
	return r, nil
}
