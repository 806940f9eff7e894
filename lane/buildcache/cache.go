package buildcache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/vallane/lane/internal/flock"
)

// Options say where caches are kept and who fills them.
type Options struct {
	// Dir holds the caches, one folder each.
	Dir string
	// Owner is the host user and group that a box writes as; 0 leaves folders to the caller.
	Owner int
	// Whole keeps what fill left as it is, with links and times. Otherwise only regular files are kept, under times
	// that the Go command leaves alone.
	Whole bool
}

// Key names a cache by everything that its content depends on.
func Key(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s;", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// A Lease is the use of one cache. While it is open, Collect leaves the cache alone.
type Lease struct {
	// Dir is the folder of the cache, to be read only.
	Dir  string
	lock *flock.Lock
}

// Close ends the use. The zero Lease may be closed.
func (l Lease) Close() { l.lock.Release() }

// Get leases the cache named key, and fills it first where it is missing: fill is given an empty
// folder to write to. base is a published cache whose content the new one has too, "" for none (as always
// with Whole); what fill writes lies above it. Calls with one key from several processes fill it once.
//
// A failed fill is an error and leaves nothing behind.
func (o Options) Get(ctx context.Context, key, base string, fill func(ctx context.Context, dir string) error) (Lease, error) {
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return Lease{}, fmt.Errorf("make build cache: %w", err)
	}
	final := filepath.Join(o.Dir, key)
	l, err := flock.Take(ctx, final+".lock", flock.Shared, nil)
	if err != nil {
		return Lease{}, fmt.Errorf("lock build cache: %w", err)
	}
	if err := o.get(ctx, l, final, base, fill); err != nil {
		l.Release()
		return Lease{}, err
	}
	return Lease{Dir: final, lock: l}, nil
}

func (o Options) get(ctx context.Context, l *flock.Lock, final, base string, fill func(context.Context, string) error) error {
	for !o.ready(final) {
		if err := l.Change(ctx, flock.Exclusive); err != nil {
			return fmt.Errorf("lock build cache: %w", err)
		}
		if !o.ready(final) {
			if err := o.make(ctx, final, base, fill); err != nil {
				return err
			}
		}
		if err := l.Change(ctx, flock.Shared); err != nil { // not atomic: a collector may come in between
			return fmt.Errorf("lock build cache: %w", err)
		}
	}
	return nil
}

func (o Options) make(ctx context.Context, final, base string, fill func(context.Context, string) error) error {
	work, err := os.MkdirTemp(o.Dir, ".new-")
	if err != nil {
		return fmt.Errorf("make build cache: %w", err)
	}
	defer os.RemoveAll(work)
	if err := o.fill(ctx, work, base, fill); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(work, "cache"), final); err != nil {
		return fmt.Errorf("publish build cache: %w", err)
	}
	return nil
}

// ready reports whether the cache is there, and notes that it was used.
func (o Options) ready(dir string) bool {
	if _, err := os.Stat(dir); err != nil {
		return false
	}
	now := time.Now()
	os.Chtimes(dir, now, now)
	return true
}

func (o Options) fill(ctx context.Context, work, base string, fill func(context.Context, string) error) error {
	fresh := filepath.Join(work, "fresh")
	if err := os.Mkdir(fresh, 0o755); err != nil {
		return err
	}
	for _, dir := range []string{work, fresh} {
		if err := o.hand(dir); err != nil {
			return err
		}
	}
	if err := fill(ctx, fresh); err != nil {
		return err
	}
	cache := filepath.Join(work, "cache")
	if o.Whole {
		return os.Rename(fresh, cache)
	}
	if err := os.Mkdir(cache, 0o755); err != nil {
		return err
	}
	if err := o.hand(cache); err != nil {
		return err
	}
	if base != "" {
		if err := o.merge(base, cache); err != nil {
			return fmt.Errorf("copy build cache: %w", err)
		}
	}
	if upper := filepath.Join(fresh, "upper"); isDir(upper) {
		fresh = upper // what an overlay kept, see fence.Overlay
	}
	if err := o.merge(fresh, cache); err != nil {
		return fmt.Errorf("copy build cache: %w", err)
	}
	return seal(cache)
}

func isDir(name string) bool {
	st, err := os.Lstat(name)
	return err == nil && st.IsDir()
}

func (o Options) hand(dir string) error {
	if err := os.Chmod(dir, 0o755); err != nil || o.Owner <= 0 {
		return err
	}
	return os.Chown(dir, o.Owner, o.Owner)
}

// merge links every regular file of src into dst, over what is there. Anything else that a build may
// have put into its cache (links, devices, whiteouts) is no cache entry and is left out.
func (o Options) merge(src, dst string) error {
	return filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, path)
		if err != nil {
			return err
		}
		to := filepath.Join(dst, rel)
		switch {
		case d.IsDir():
			if err := os.Mkdir(to, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
			return o.hand(to)
		case d.Type().IsRegular():
			if err := os.Link(path, to); err == nil || !errors.Is(err, fs.ErrExist) {
				return err
			}
			if err := os.Remove(to); err != nil {
				return err
			}
			return os.Link(path, to)
		}
		return nil
	})
}

// forever is the modification time of every file of a cache. The Go command touches entries that it
// has not touched for an hour, which would copy each of them into the upper layer of every run, and
// removes entries that are old; it leaves alone what seems to be new.
var forever = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

func seal(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Chtimes(path, forever, forever)
	})
}

// Bound says what Collect takes.
type Bound struct {
	Bytes int64         // what may stay, in bytes; negative for no bound
	Age   time.Duration // also takes what was not used for so long; 0 for no such rule
	Dry   bool          // only says what would go
}

// Freed is what Collect took, or would take.
type Freed struct {
	Caches int
	Bytes  int64
}

// Collect removes the least recently used caches until those left keep to the bound; never one that
// is leased.
func (o Options) Collect(ctx context.Context, b Bound) (f Freed, err error) {
	if !b.Dry {
		if err := o.sweep(); err != nil {
			return f, err
		}
	}
	all, err := o.list(ctx)
	if err != nil {
		return f, err
	}
	total := int64(0)
	for _, c := range all {
		total += c.size
	}
	for _, c := range all { // least recently used first
		old := b.Age > 0 && time.Since(c.used) > b.Age
		fits := b.Bytes < 0 || total <= b.Bytes
		if fits && !old {
			continue
		}
		gone, err := o.remove(c.dir, b.Dry)
		if err != nil {
			return f, err
		}
		if gone {
			total -= c.size
			f.Caches++
			f.Bytes += c.size
		}
	}
	return f, nil
}

// abandoned is how old a folder of work under way must be before it belongs to nobody: no fill takes so long.
const abandoned = 48 * time.Hour

// sweep removes what fills left behind whose process was killed.
func (o Options) sweep() error {
	dirs, err := os.ReadDir(o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, d := range dirs {
		info, err := d.Info()
		if err != nil || !d.IsDir() || d.Name()[0] != '.' || time.Since(info.ModTime()) < abandoned {
			continue
		}
		if err := os.RemoveAll(filepath.Join(o.Dir, d.Name())); err != nil {
			return err
		}
	}
	return nil
}

// remove takes the name away first, so that nobody finds half a cache. It reports false for a cache in
// use.
func (o Options) remove(dir string, dry bool) (bool, error) {
	l, err := flock.Try(dir+".lock", flock.Exclusive)
	if errors.Is(err, flock.ErrHeld) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer l.Release()
	if dry {
		return true, nil
	}
	gone, err := os.MkdirTemp(o.Dir, ".old-")
	if err != nil {
		return false, err
	}
	err = os.Rename(dir, filepath.Join(gone, "cache"))
	return err == nil, errors.Join(err, os.RemoveAll(gone))
}

type entry struct {
	dir  string
	used time.Time
	size int64
}

func (o Options) list(ctx context.Context) ([]entry, error) {
	dirs, err := os.ReadDir(o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []entry
	for _, d := range dirs {
		if !d.IsDir() || d.Name()[0] == '.' {
			continue
		}
		info, err := d.Info()
		if err != nil {
			continue
		}
		out = append(out, entry{dir: filepath.Join(o.Dir, d.Name()), used: info.ModTime()})
	}
	g, _ := errgroup.WithContext(ctx)
	g.SetLimit(4)
	for i := range out {
		g.Go(func() (err error) { out[i].size, err = size(out[i].dir); return err })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	slices.SortFunc(out, func(a, b entry) int { return a.used.Compare(b.used) })
	return out, nil
}

func size(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	return n, err
}
