package lane

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/vallane/lane/lane/journal"
	"github.com/vallane/lane/lane/spec"
)

// Find returns the specs that the arguments name: themselves, or where there are none lane.toml or
// every specs/*.toml of the current folder.
func Find(args []string) ([]string, error) {
	if len(args) > 0 {
		return args, nil
	}
	return spec.Find(".")
}

// CheckAll checks several specs side by side and returns their results in the order of paths. One that
// fails does not stop the others. Specs that cannot be read stop all of them before anything runs.
// Results are complete for every spec that has a verdict, also where the error is not nil.
func CheckAll(ctx context.Context, o Options, paths []string) ([]Result, error) {
	specs, err := loadAll(paths)
	if err != nil {
		return nil, err
	}
	if _, err := Reap(ctx, o); err != nil {
		return nil, err
	}
	if o.slots == nil {
		o.slots = semaphore.NewWeighted(int64(o.jobs()))
	}
	results := make([]*Result, len(specs))
	var g errgroup.Group
	g.SetLimit(o.jobs())
	var mu sync.Mutex
	var errs []error
	for i, s := range specs {
		g.Go(guarded(func() error {
			r, err := check(ctx, o, s)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				errs = append(errs, err)
			} else {
				results[i] = &r
			}
			return nil
		}))
	}
	errs = append(errs, g.Wait())
	var out []Result
	for _, r := range results {
		if r != nil {
			out = append(out, *r)
		}
	}
	return out, errors.Join(errs...)
}

func loadAll(paths []string) ([]*spec.Spec, error) {
	var specs []*spec.Spec
	var errs []error
	for _, p := range paths {
		s, err := spec.Load(p)
		if err == nil {
			err = supported(s)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		specs = append(specs, s)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return specs, spec.CheckUnique(specs)
}

// Reap gives runs that died without a verdict their terminal status, and returns those.
func Reap(_ context.Context, o Options) ([]journal.Status, error) { return journal.Reap(o.specs()) }
