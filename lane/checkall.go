package lane

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/vallane/lane/assurance"
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
	specs, under, err := o.loadAgreed(paths)
	if err == nil {
		err = o.namedUsers(specs...)
	}
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
			own := o
			own.under = under[i]
			r, err := check(ctx, own, s)
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

// loadAll reads specs as they lie on the disk.
func loadAll(paths []string) ([]*spec.Spec, error) { return gatherSpecs(paths, spec.Load) }

// loadAgreed reads specs, each with the contract that it is checked under; nil for none.
func (o Options) loadAgreed(paths []string) ([]*spec.Spec, []*agreement, error) {
	if o.Contract != "" && len(paths) != 1 {
		return nil, nil, &coded{errors.New("check under a contract: it is for one spec; name that spec"), assurance.ExitUsage}
	}
	var contracts []*agreement
	specs, err := gatherSpecs(paths, func(path string) (*spec.Spec, error) {
		s, under, err := o.load(path)
		contracts = append(contracts, under)
		return s, err
	})
	return specs, contracts, err
}

// gatherSpecs reads specs, and returns either all of them or every error.
func gatherSpecs(paths []string, load func(path string) (*spec.Spec, error)) ([]*spec.Spec, error) {
	var specs []*spec.Spec
	var errs []error
	for _, p := range paths {
		s, err := load(p)
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

// Reap tears down what runs that died have left, gives them their terminal status, and returns those.
func Reap(_ context.Context, o Options) ([]journal.Status, error) {
	err := o.reapTargets()
	reaped, rerr := journal.Reap(o.specs())
	return reaped, errors.Join(err, rerr)
}
