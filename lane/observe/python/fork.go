package python

import (
	"fmt"
	"maps"

	"github.com/vallane/lane/lane/observe"
)

// boxFork says what the children of a loaded session call.
type boxFork struct {
	Module string `json:"module"`
}

// Fork plans a session that is loaded once, all its tests collected, and forked for each order.
func (Pytest) Fork(r observe.Request, h observe.ForkHook) (observe.Plan, error) {
	return fork(pytest, r, h)
}

// Fork plans a session that is loaded once, all its tests found, and forked for each order.
func (Unittest) Fork(r observe.Request, h observe.ForkHook) (observe.Plan, error) {
	return fork(unittest, r, h)
}

func fork(kind string, r observe.Request, h observe.ForkHook) (observe.Plan, error) {
	if h.Module == "" || h.Files[h.Module] == nil {
		return observe.Plan{}, fmt.Errorf("plan a forked session of %s: it has no hook", kind)
	}
	r.Canaries, r.Seed, r.FailFast, r.Select = false, 0, false, nil
	s, err := prepare(kind, r)
	if err != nil {
		return observe.Plan{}, err
	}
	p, err := s.vary(observe.Variation{})
	if err != nil {
		return observe.Plan{}, err
	}
	files, err := s.files(observe.Variation{}, nil, func(b *boxPlan) { b.Fork = &boxFork{h.Module} })
	if err != nil {
		return observe.Plan{}, err
	}
	maps.Copy(files, h.Files)
	p.Files, p.Vary = files, nil
	return p, nil
}

var (
	_ observe.Forker = Pytest{}
	_ observe.Forker = Unittest{}
)
