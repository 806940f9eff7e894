package warmup

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/vallane/lane/warmup/bincache"
	"github.com/vallane/lane/warmup/nar"
)

// ParseCacheKey reads a key that signs what a binary cache says, as NewCacheKey or Nix writes it.
func ParseCacheKey(text string) (bincache.SecretKey, error) { return bincache.ParseSecretKey(text) }

// NewCacheKey makes one; its name is what readers see in front of its signatures.
func NewCacheKey(name string) (bincache.SecretKey, error) { return bincache.NewKey(name) }

// Push writes the closure's paths to a binary cache, signed, for Nix and for Lane to realise from: a folder (file:///path) or what
// takes HTTP's PUT. It returns how many of them the cache had not got yet. What is pushed was hashed on the way.
func (o Options) Push(ctx context.Context, c *Closure, url string, key bincache.SecretKey) (int, error) {
	o, err := o.check()
	if err != nil {
		return 0, err
	}
	tmp, err := os.MkdirTemp("", "lane-push-")
	if err != nil {
		return 0, fmt.Errorf("fill the cache: %w", err)
	}
	defer os.RemoveAll(tmp)
	opts := bincache.Options{StoreDir: o.StoreDir, Log: o.Log}
	if opts.Netrc, err = o.netrc(); err != nil {
		return 0, err
	}
	target, err := bincache.OpenTarget(ctx, url, key, tmp, opts)
	if err != nil {
		return 0, err
	}
	var fresh atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce())
	for i, p := range c.lock.Paths {
		g.Go(func() error {
			up := bincache.Upload{Host: c.Paths[i].Host, Info: bincache.Info{
				StorePath: p.Path, NarSize: p.NarSize, References: p.References, CA: p.CA,
			}}
			var err error
			if up.NarHash, err = nar.ParseHash(p.NarHash); err != nil {
				return err
			}
			was, err := target.Put(ctx, up)
			if was {
				o.Log("pushed " + p.Path)
				fresh.Add(1)
			}
			return err
		})
	}
	err = g.Wait()
	return int(fresh.Load()), err
}

// netrc is the content of the file of user names.
func (o Options) netrc() ([]byte, error) {
	if o.Netrc == "" {
		return nil, nil
	}
	data, err := os.ReadFile(o.Netrc)
	if err != nil {
		return nil, fmt.Errorf("read the user names for caches: %w", err)
	}
	return data, nil
}
