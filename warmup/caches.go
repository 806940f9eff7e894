package warmup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/vallane/lane/warmup/bincache"
	"github.com/vallane/lane/warmup/nar"
	"github.com/vallane/lane/warmup/nix"
)

// hasNix reports whether Nix makes the closures here.
func (o Options) hasNix() bool {
	if o.WithoutNix {
		return false
	}
	_, err := exec.LookPath("nix")
	return err == nil
}

// errOffline is what asks for the network where that is forbidden.
var errOffline = errors.New("LANE_OFFLINE forbids it")

// substituters are the caches that may be asked.
func (o Options) substituters() []string {
	if !o.Offline {
		return o.Substituters
	}
	return slices.DeleteFunc(slices.Clone(o.Substituters), func(u string) bool { return !strings.HasPrefix(u, "file:") })
}

// fromCaches realises the closure that the closure.lock beside the flake names, without Nix.
func (r *realisation) fromCaches(ctx context.Context) error {
	l, err := committed(r.src)
	if err != nil {
		return err
	}
	if l == nil {
		return fmt.Errorf("%w, and no %s beside the flake says what it comes to", &nix.Missing{Program: "nix"}, LockName)
	}
	if changes := l.stale(r.src); changes != nil {
		return lockRefused("%s is older than the flake beside it: %s", LockName, few(changes))
	}
	if r.Private == "" || l.StoreDir != r.StoreDir {
		return fmt.Errorf("%w, and there is no private store for paths in %s", &nix.Missing{Program: "nix"}, l.StoreDir)
	}
	kept, err := r.holdStore(ctx)
	if err != nil {
		return err
	}
	defer kept.Release()
	if err := r.fetchPaths(ctx, l); err != nil {
		return err
	}
	r.Publish = "" // a private store is this state's alone
	own := *l
	own.Files, own.Inputs, own.Sandbox = nil, nil, SandboxNotBuilt
	return r.keep(ctx, &own)
}

// fetchPaths brings what is missing or damaged.
func (r *realisation) fetchPaths(ctx context.Context, l *Lock) error {
	f := &fetching{realisation: r}
	var absent []LockPath
	for _, p := range l.Paths {
		if !exists(filepath.Join(r.Private, p.Path)) {
			absent = append(absent, p)
		}
	}
	if err := f.all(ctx, absent); err != nil {
		return err
	}
	for again := map[string]bool{}; ; {
		err := r.hash(ctx, l)
		var damaged *Damaged
		if !errors.As(err, &damaged) || again[damaged.Path] {
			return err
		}
		again[damaged.Path] = true
		r.Log(damaged.Msg + "; fetching it again")
		i := slices.IndexFunc(l.Paths, func(p LockPath) bool { return p.Path == damaged.Path })
		if err := f.all(ctx, l.Paths[i:i+1]); err != nil {
			return err
		}
	}
}

// fetching is paths on their way from caches into the private store.
type fetching struct {
	*realisation
	caches *bincache.Set
	dir    string // of the private store
	done   atomic.Int64
}

// atOnce is how many paths are fetched side by side: a few for each processor, as most wait for a cache.
func atOnce() int { return min(4*runtime.GOMAXPROCS(0), 16) }

func (f *fetching) all(ctx context.Context, paths []LockPath) error {
	if len(paths) == 0 {
		return nil
	}
	if err := f.open(ctx); err != nil {
		return err
	}
	var bytes int64
	for _, p := range paths {
		bytes += p.NarSize
	}
	f.Log(fmt.Sprintf("fetching %d store paths of %d MiB from binary caches", len(paths), (bytes+1<<20-1)>>20))
	// The largest first: the others fit beside it.
	paths = slices.SortedFunc(slices.Values(paths), func(a, b LockPath) int { return int(min(max(b.NarSize-a.NarSize, -1), 1)) })
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce())
	for _, p := range paths {
		g.Go(func() error {
			if err := f.one(ctx, p); err != nil {
				return err
			}
			f.Log(fmt.Sprintf("fetched %d of %d: %s", f.done.Add(1), len(paths), filepath.Base(p.Path)))
			return nil
		})
	}
	return g.Wait()
}

func (f *fetching) open(ctx context.Context) (err error) {
	if f.caches != nil {
		return nil
	}
	f.dir = filepath.Join(f.Private, f.StoreDir)
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return fmt.Errorf("make the private store: %w", err)
	}
	o := bincache.Options{StoreDir: f.StoreDir, Log: f.Log}
	if o.Netrc, err = f.netrc(); err != nil {
		return err
	}
	f.caches, err = bincache.Open(ctx, f.substituters(), f.TrustedKeys, o)
	return err
}

// one fetches a path from the first cache that gives what is locked.
func (f *fetching) one(ctx context.Context, p LockPath) error {
	for found, err := range f.caches.Find(ctx, p.Path) {
		if err != nil {
			return err
		}
		if err := f.take(ctx, p, found); err == nil {
			return nil
		} else if ctx.Err() != nil || ourFault(err) {
			return fmt.Errorf("fetch %s from %s: %w", p.Path, found.Cache, err)
		} else {
			found.Reject(err)
			f.Log(fmt.Sprintf("%s from %s: %v", p.Path, found.Cache, err))
		}
	}
	return nil
}

// take unpacks a path under another name and renames it when it is proven to be what is locked.
func (f *fetching) take(ctx context.Context, p LockPath, found *bincache.Found) error {
	if got := nar.SRI(found.NarHash); got != p.NarHash || found.NarSize != p.NarSize {
		return fmt.Errorf("it has NAR hash %s, locked is %s", got, p.NarHash)
	}
	if !slices.Equal(found.References, p.References) {
		return fmt.Errorf("it refers to %v, locked is %v", found.References, p.References)
	}
	archive, err := found.Archive(ctx)
	if err != nil {
		return err
	}
	defer archive.Close()
	tmp := filepath.Join(f.dir, fmt.Sprintf("%s%d-%s", halfway, os.Getpid(), filepath.Base(p.Path)))
	if err := removeAll(tmp); err != nil {
		return err
	}
	sum, err := nar.Restore(ctx, archive, tmp, p.NarSize)
	if err == nil && sum.SRI() != p.NarHash {
		err = fmt.Errorf("its archive has NAR hash %s, locked is %s", sum.SRI(), p.NarHash)
	}
	if err == nil {
		err = f.publishPath(tmp, filepath.Join(f.dir, filepath.Base(p.Path)))
	}
	if err != nil {
		return errors.Join(err, removeAll(tmp))
	}
	return nil
}
