package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/vallane/lane/lane/worktree/objects"
)

// Worktree is the head that means the user's files as they are now, committed or not.
const Worktree = "WORKTREE"

// Ask says which change is meant.
type Ask struct {
	// Base is what the change is compared with: a branch, a tag or a commit. The comparison begins at
	// the commit where head left it. "" compares with nothing: every file is new.
	Base string

	// DefaultBase says that nobody chose Base. Where it does not exist, what the repository
	// calls its main branch is taken instead.
	DefaultBase bool

	// Head is a branch, a tag, a commit, or Worktree; "" means HEAD.
	Head string

	// Patch is a unified diff to apply onto Base, in place of Head. nil means none.
	Patch []byte
}

// Change is what was found: two trees and what differs between them.
type Change struct {
	// Base and Head are the names that were taken, after defaults.
	Base, Head string

	// BaseCommit and BaseTree are where the change begins; both "" where it is compared with nothing.
	BaseCommit, BaseTree string

	// HeadTree is the tree to verify. HeadCommit is its commit, "" where no commit has this tree:
	// a patched base, or a working tree with changes.
	HeadCommit, HeadTree string

	// Onto is the commit that a patch or a working tree was made on; HeadCommit where there is one.
	Onto string

	// Dirty says that HeadTree is a working tree that differs from its commit.
	Dirty bool

	// Patch is Ask.Patch.
	Patch []byte

	// CommitTime is when HeadCommit was committed, or Onto, in UTC.
	CommitTime time.Time

	// Files are the paths that differ, in order.
	Files []FileChange

	// Omitted are things in a working tree that no commit could hold, such as sockets.
	Omitted []Omission
}

// Omission is a path that is not carried into the tree.
type Omission struct {
	Path string
	Why  string
}

// Resolve finds a change. Whatever cannot be found, read or applied is a *Refusal.
func (r *Repo) Resolve(ctx context.Context, ask Ask) (Change, error) {
	if ask.Head == "" {
		ask.Head = "HEAD"
	}
	if err := r.refresh(ctx, ask); err != nil {
		return Change{}, err
	}
	base, err := r.base(ctx, &ask)
	if err != nil {
		return Change{}, err
	}
	c := Change{Base: ask.Base, Head: ask.Head, Patch: ask.Patch}
	switch {
	case ask.Patch != nil:
		c.Head = ""
		err = r.resolvePatch(ctx, base, &c)
	case ask.Head == Worktree:
		err = r.resolveWorktree(ctx, base, &c)
	default:
		err = r.resolveCommit(ctx, base, &c)
	}
	if err != nil {
		return Change{}, err
	}
	from := c.BaseTree
	if from == "" {
		from = emptyTree.String()
	}
	if c.Files, err = r.Diff(ctx, from, c.HeadTree); err != nil {
		return Change{}, err
	}
	return c, nil
}

// refresh fetches a source that is not on this machine, unless both ends are commits that are here.
func (r *Repo) refresh(ctx context.Context, ask Ask) error {
	if r.fetch == nil {
		return nil
	}
	here := func(name string) bool {
		if !isFullID(name) {
			return false
		}
		_, err := r.commit(ctx, name)
		return err == nil
	}
	if (ask.Base == "" || here(ask.Base)) && (ask.Patch != nil || here(ask.Head)) {
		return nil
	}
	return r.update(ctx)
}

// base finds the commit that Ask.Base names; the zero ID means that there is none on purpose.
func (r *Repo) base(ctx context.Context, ask *Ask) (objects.ID, error) {
	if ask.Base == "" {
		return objects.ID{}, nil
	}
	id, err := r.commit(ctx, ask.Base)
	if err == nil || !ask.DefaultBase || !isCode(err, MissingRef) {
		return id, err
	}
	for _, name := range []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/" + ask.Base, "refs/heads/master", "refs/remotes/origin/master"} {
		if other, err := r.commit(ctx, name); err == nil {
			ask.Base = name
			return other, nil
		}
	}
	if r.fetch != nil { // the remote's own idea of its main branch
		if other, err := r.commit(ctx, "HEAD"); err == nil {
			ask.Base = "HEAD"
			return other, nil
		}
	}
	return id, err
}

func (r *Repo) resolveCommit(ctx context.Context, base objects.ID, c *Change) error {
	head, err := r.commit(ctx, c.Head)
	if err != nil {
		return err
	}
	if err := r.resolveBase(ctx, base, head, c); err != nil {
		return err
	}
	info, err := r.store.ReadCommit(ctx, head)
	if err != nil {
		return translate(err, fmt.Sprintf("read commit %s", head))
	}
	c.HeadCommit, c.HeadTree, c.CommitTime, c.Onto = head.String(), info.Tree.String(), info.Time, head.String()
	return nil
}

// resolveBase sets where the change begins: at the commit that head has in common with base.
func (r *Repo) resolveBase(ctx context.Context, base, head objects.ID, c *Change) error {
	if base.IsZero() {
		return nil
	}
	common, err := r.mergeBase(ctx, base, head)
	if err != nil {
		return err
	}
	info, err := r.store.ReadCommit(ctx, common)
	if err != nil {
		return translate(err, fmt.Sprintf("read commit %s", common))
	}
	c.BaseCommit, c.BaseTree = common.String(), info.Tree.String()
	return nil
}

func (r *Repo) resolveWorktree(ctx context.Context, base objects.ID, c *Change) error {
	head, err := r.commit(ctx, "HEAD")
	unborn := isCode(err, MissingRef) && base.IsZero()
	if err != nil && !unborn {
		return err
	}
	var info objects.CommitInfo
	if !unborn {
		if err := r.resolveBase(ctx, base, head, c); err != nil {
			return err
		}
		if info, err = r.store.ReadCommit(ctx, head); err != nil {
			return translate(err, fmt.Sprintf("read commit %s", head))
		}
		c.Onto = head.String()
	}
	tree, omitted, err := r.snapshot(ctx)
	if err != nil {
		return err
	}
	if err := r.keepNew(ctx, info.Tree, tree); err != nil {
		return err
	}
	c.HeadTree, c.Omitted = tree.String(), omitted
	c.CommitTime = objects.ClampTime(info.Time)
	if c.Dirty = tree != info.Tree; !c.Dirty {
		c.HeadCommit = head.String()
	}
	return nil
}

// keepNew copies what a snapshot has and its commit has not into Lane's own repository, where the
// user's was the only one to have it: what was staged and not committed is pruned as soon as it is
// staged no longer.
func (r *Repo) keepNew(ctx context.Context, from, to objects.ID) error {
	if from.IsZero() {
		from = emptyTree
	}
	changes, err := r.Diff(ctx, from.String(), to.String())
	if err != nil {
		return err
	}
	for _, f := range changes {
		if f.New.Hash == "" || f.New.Mode == fs.ModeIrregular {
			continue
		}
		if err := r.store.Keep(ctx, plumbing.NewHash(f.New.Hash), objects.Blob); err != nil {
			return translate(err, fmt.Sprintf("keep %q", f.Path))
		}
	}
	return nil
}

func (r *Repo) resolvePatch(ctx context.Context, base objects.ID, c *Change) error {
	if base.IsZero() {
		return refuse(MissingRef, "name the commit that the patch was made from as base", "apply patch: there is no base to apply it to")
	}
	info, err := r.store.ReadCommit(ctx, base)
	if err != nil {
		return translate(err, fmt.Sprintf("read commit %s", base))
	}
	tree, err := r.patched(ctx, info.Tree, c.Patch)
	if err != nil {
		return err
	}
	c.BaseCommit, c.BaseTree = base.String(), info.Tree.String()
	c.HeadTree, c.Onto, c.CommitTime = tree.String(), base.String(), info.Time
	return nil
}

func isCode(err error, codes ...Code) bool {
	var r *Refusal
	return errors.As(err, &r) && slices.Contains(codes, r.Code)
}
