package warmup

import (
	"context"
	"fmt"
)

// CheckLock says in what the closure.lock beside the flake departs from what the flake comes to; nil is nothing. It makes the
// closure where it is not warm, so that it needs Nix then.
func (o Options) CheckLock(ctx context.Context, src Source) ([]string, error) {
	if src.Lock == nil {
		return []string{"there is no " + LockName + " beside the flake"}, nil
	}
	c, err := ParseCommitted(src.Lock)
	if err != nil {
		return []string{err.(*Refusal).Msg}, nil
	}
	l := c.closure(src)
	if l == nil {
		return []string{fmt.Sprintf("%s has no closure of %s for %s", LockName, src.Attr, src.System)}, nil
	}
	if changes := l.stale(src); changes != nil {
		return changes, nil
	}
	found, err := o.Relock(ctx, src)
	if err != nil {
		return nil, err
	}
	return l.differs(found), nil
}

// Relock is what closure.lock has to say of the flake, whatever it says now.
func (o Options) Relock(ctx context.Context, src Source) (*Lock, error) {
	src.Lock = nil
	c, err := o.Warm(ctx, src)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.Commit(src), nil
}
