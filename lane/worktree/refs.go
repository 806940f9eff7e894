package worktree

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/vallane/lane/lane/worktree/objects"
)

// commit finds the commit that a name means. Names are what git takes, in git's order: HEAD, a full
// ref, a tag, a branch, a branch of a remote, an object id or the beginning of one; then any number of
// ~n and ^n. Where a tag and a branch of one name differ, git warns and takes the tag; Lane refuses.
func (r *Repo) commit(ctx context.Context, name string) (objects.ID, error) {
	base, steps := name, ""
	if i := strings.IndexAny(name, "~^"); i >= 0 {
		base, steps = name[:i], name[i:]
	}
	if base == "@" {
		base = "HEAD"
	}
	if err := checkRevision(name, base); err != nil {
		return objects.ID{}, err
	}
	id, err := r.object(ctx, base)
	if err != nil {
		return id, err
	}
	if id, err = r.peel(ctx, id, base); err != nil {
		return id, err
	}
	return r.walk(ctx, id, name, steps)
}

func checkRevision(name, base string) error {
	switch {
	case base == "":
		return refuse(MissingRef, "", "find commit %q: it names nothing", name)
	case strings.Contains(name, "@{"):
		return refuse(MissingRef, "name a branch, a tag or a commit", "find commit %q: the reflog is not read", name)
	case strings.Contains(name, ".."):
		return refuse(MissingRef, "name one commit each as base and head", "find commit %q: it is a range", name)
	case strings.Contains(name, ":"):
		return refuse(NotACommit, "name a branch, a tag or a commit", "find commit %q: it names a file or a message", name)
	}
	return nil
}

// object finds what a name without ~ and ^ means.
func (r *Repo) object(ctx context.Context, name string) (objects.ID, error) {
	if isFullID(name) {
		return plumbing.NewHash(name), nil
	}
	type candidate struct {
		ref string
		id  objects.ID
	}
	var found []candidate
	for _, pattern := range []string{"%s", "refs/%s", "refs/tags/%s", "refs/heads/%s", "refs/remotes/%s", "refs/remotes/%s/HEAD"} {
		ref := fmt.Sprintf(pattern, name)
		if pattern == "%s" && !strings.HasPrefix(name, "refs/") && !isPseudoRef(name) {
			continue
		}
		id, ok, err := r.ref(ref)
		if err != nil {
			return id, err
		}
		if ok {
			found = append(found, candidate{ref, id})
		}
	}
	for _, c := range found[min(1, len(found)):] {
		if c.id != found[0].id && !r.sameCommit(ctx, c.id, found[0].id) {
			return c.id, refuse(AmbiguousRef, "write out which is meant: "+found[0].ref+" or "+c.ref, "find commit %q: %s and %s differ", name, found[0].ref, c.ref)
		}
	}
	if len(found) > 0 {
		return found[0].id, nil
	}
	if id, ok, err := r.abbreviated(ctx, name); ok || err != nil {
		return id, err
	}
	return objects.ID{}, r.missingRef(name)
}

// isPseudoRef tells names such as HEAD and FETCH_HEAD, which stand beside the refs and not among them.
func isPseudoRef(name string) bool {
	return name == "HEAD" || strings.HasSuffix(name, "_HEAD") && strings.ToUpper(name) == name && !strings.Contains(name, "/")
}

// ref follows a ref by its full name. ok is false where there is none, or where it names a branch
// without a commit.
func (r *Repo) ref(name string) (id objects.ID, ok bool, err error) {
	full := name
	for range 6 { // git's own bound on symbolic refs
		ref, err := r.refs.Reference(plumbing.ReferenceName(full))
		switch {
		case errors.Is(err, plumbing.ErrReferenceNotFound):
			return id, false, nil
		case err != nil:
			// A name that cannot be one, a folder of refs, an empty file: no such ref, all of them.
			return id, false, nil
		case ref.Type() == plumbing.HashReference:
			return ref.Hash(), !ref.Hash().IsZero(), nil
		}
		full = ref.Target().String()
	}
	return id, false, refuse(MissingRef, "", "find commit %q: its symbolic refs go in a circle", name)
}

// sameCommit tells whether two refs mean one commit, a tag of it being as good as itself.
func (r *Repo) sameCommit(ctx context.Context, a, b objects.ID) bool {
	one, err1 := r.peel(ctx, a, "")
	two, err2 := r.peel(ctx, b, "")
	return err1 == nil && err2 == nil && one == two
}

// abbreviated finds an object by the beginning of its id. Of several, only commits and tags count.
func (r *Repo) abbreviated(ctx context.Context, name string) (id objects.ID, ok bool, err error) {
	if len(name) < 4 || len(name) > 40 || strings.Trim(name, "0123456789abcdef") != "" {
		return id, false, nil
	}
	prefix, err := hex.DecodeString(name[:len(name)&^1])
	if err != nil {
		return id, false, nil
	}
	all, err := r.store.WithPrefix(prefix)
	if err != nil {
		return id, false, translate(err, fmt.Sprintf("find commit %q", name))
	}
	var found []string
	for _, candidate := range all {
		if !strings.HasPrefix(candidate.String(), name) {
			continue
		}
		kind, err := r.store.TypeOf(ctx, candidate)
		if err != nil {
			return id, false, translate(err, fmt.Sprintf("find commit %q", name))
		}
		if kind == objects.Commit || kind == objects.Tag {
			found = append(found, candidate.String())
		}
	}
	if len(found) > 1 {
		slices.Sort(found)
		return id, false, refuse(AmbiguousRef, "write more of the id", "find commit %q: it begins %s", name, few(found))
	}
	if len(found) == 0 {
		return id, false, nil
	}
	return plumbing.NewHash(found[0]), true, nil
}

// peel follows tags to the commit they mean.
func (r *Repo) peel(ctx context.Context, id objects.ID, name string) (objects.ID, error) {
	doing := fmt.Sprintf("find commit %q", name)
	for range 10 {
		kind, err := r.store.TypeOf(ctx, id)
		if err != nil {
			return id, translate(err, doing)
		}
		switch kind {
		case objects.Commit:
			return id, nil
		case objects.Tag:
			if id, err = r.store.ReadTag(ctx, id); err != nil {
				return id, translate(err, doing)
			}
		default:
			return id, refuse(NotACommit, "name a branch, a tag or a commit", "%s: it is a %s", doing, kind)
		}
	}
	return id, refuse(NotACommit, "", "%s: it is a tag of a tag of a tag without end", doing)
}

// walk goes from a commit along steps such as "~2^2".
func (r *Repo) walk(ctx context.Context, id objects.ID, name, steps string) (objects.ID, error) {
	shallow, err := r.shallow()
	if err != nil {
		return id, err
	}
	for steps != "" {
		op, rest := steps[0], steps[1:]
		if strings.HasPrefix(rest, "{") {
			what, after, ok := strings.Cut(rest[1:], "}")
			if !ok || op != '^' || what != "" && what != "commit" {
				return id, refuse(NotACommit, "name a branch, a tag or a commit", "find commit %q: it names something else", name)
			}
			steps = after
			continue
		}
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		n := 1
		if digits > 0 {
			if n, err = strconv.Atoi(rest[:digits]); err != nil {
				return id, refuse(MissingRef, "", "find commit %q: %v", name, err)
			}
		}
		steps = rest[digits:]
		if steps != "" && steps[0] != '~' && steps[0] != '^' {
			return id, refuse(MissingRef, "", "find commit %q: cannot read %q", name, steps)
		}
		parent, times := 1, n
		if op == '^' {
			parent, times = n, min(n, 1)
		}
		for range times {
			c, err := r.store.ReadCommit(ctx, id)
			if err != nil {
				return id, translate(err, fmt.Sprintf("find commit %q", name))
			}
			if parent > len(c.Parents) {
				return id, refuse(MissingRef, "", "find commit %q: %s has %d parents", name, id, len(c.Parents))
			}
			if shallow[id] {
				return id, refuse(ShallowHistory, "git fetch --unshallow", "find commit %q: the clone is shallow and ends at %s", name, id)
			}
			id = c.Parents[parent-1]
		}
	}
	return id, nil
}

// missingRef says what there is instead.
func (r *Repo) missingRef(name string) error {
	var branches, elsewhere []string
	if iter, err := r.refs.IterReferences(); err == nil {
		iter.ForEach(func(ref *plumbing.Reference) error {
			short, isBranch := strings.CutPrefix(ref.Name().String(), "refs/heads/")
			remote, isRemote := strings.CutPrefix(ref.Name().String(), "refs/remotes/")
			switch {
			case isBranch:
				branches = append(branches, short)
			case isRemote && strings.HasSuffix(remote, "/"+name):
				elsewhere = append(elsewhere, remote)
			}
			return nil
		})
	}
	slices.Sort(branches)
	tip := "there is no branch yet; commit something first"
	switch {
	case len(elsewhere) > 0:
		tip = "there is " + few(elsewhere) + "; write that, or make a branch of it"
	case name == "HEAD" && len(branches) > 0, len(branches) > 0:
		tip = "the branches are " + few(branches)
	}
	if name == "HEAD" {
		return refuse(MissingRef, tip, "find commit %q: the branch that is checked out has no commit", name)
	}
	return refuse(MissingRef, tip, "find commit %q: no branch, tag or commit has this name", name)
}

func isFullID(s string) bool {
	return len(s) == 40 && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}
