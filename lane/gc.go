package lane

import (
	"context"
	"path/filepath"
	"time"

	"github.com/vallane/lane/lane/buildcache"
	"github.com/vallane/lane/lane/fence/wasi"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/warmup"
)

// Garbage says what GC may take.
type Garbage struct {
	MaxSize   int64         // bytes of closures, as many of build caches, as many of what was fetched, and as many of compiled modules, that may stay; negative for no bound
	OlderThan time.Duration // also takes what was not used for so long; 0 for no such rule
	Dry       bool          // only says what would go
}

// Freed is what GC took, or would take.
type Freed struct {
	Closures int   `json:"closures"`
	Caches   int   `json:"build_caches"` // and folders of what was fetched
	Modules  int   `json:"modules"`      // compiled for the fence wasi
	Trees    int   `json:"trees"`
	Bytes    int64 `json:"bytes"`    // of all but the trees
	Stranded int   `json:"stranded"` // runs that got their terminal status
}

// treesKept is how long a checked-out tree that nobody uses is kept.
const treesKept = 7 * 24 * time.Hour

// GC removes the least recently used closures, build caches, compiled modules and trees, and never one in use.
func GC(ctx context.Context, o Options, g Garbage) (f Freed, err error) {
	reaped, err := Reap(ctx, o)
	if err != nil {
		return f, err
	}
	f.Stranded = len(reaped)
	closures, err := o.closures(nil).GC(ctx, warmup.GCOptions{MaxBytes: max(g.MaxSize, 0), OlderThan: g.OlderThan, DryRun: g.Dry})
	if err != nil {
		return f, err
	}
	f.Closures, f.Bytes = len(closures.Removed), closures.Freed
	if w := o.closures(nil); w.Private == "" { // there is Nix now
		bytes, err := w.Abandon(ctx, o.privateStore(), g.Dry)
		if f.Bytes += bytes; err != nil {
			return f, err
		}
	}
	freed, err := o.builds().Collect(ctx, buildcache.Bound{Bytes: g.MaxSize, Age: g.OlderThan, Dry: g.Dry})
	f.Caches, f.Bytes = freed.Caches, f.Bytes+freed.Bytes
	if err != nil {
		return f, err
	}
	freed, err = o.fetched().Collect(ctx, buildcache.Bound{Bytes: g.MaxSize, Age: g.OlderThan, Dry: g.Dry})
	f.Caches, f.Bytes = f.Caches+freed.Caches, f.Bytes+freed.Bytes
	if err != nil {
		return f, err
	}
	modules, bytes, err := wasi.Collect(o.compiled(), wasi.Bound{Bytes: g.MaxSize, Age: g.OlderThan, Dry: g.Dry})
	f.Modules, f.Bytes = modules, f.Bytes+bytes
	if err != nil || g.Dry {
		return f, err
	}
	keep := treesKept
	if g.OlderThan > 0 {
		keep = g.OlderThan
	}
	trees, err := worktree.Collect(ctx, worktree.Options{Dir: o.git()}, worktree.Keep{Newer: keep})
	f.Trees = trees.Trees
	return f, err
}

// ParseSize reads a size such as 20GiB.
func ParseSize(s string) (int64, error) { return spec.ParseSize(s) }

// git is the folder of Lane's own objects and trees, builds that of its build caches.
func (o Options) git() string { return filepath.Join(o.Cache, "git") }

// compiled is the folder of modules compiled for the fence wasi. It is machine code that Lane runs, and so not in the cache, which others may share.
func (o Options) compiled() string { return filepath.Join(o.State, "wasi") }

func (o Options) builds() buildcache.Options {
	return buildcache.Options{Dir: filepath.Join(o.Cache, "build"), Owner: owner()}
}
