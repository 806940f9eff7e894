package worktree

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/vallane/lane/lane/worktree/objects"
	"github.com/vallane/lane/lane/worktree/patch"
)

// patched applies a patch to a tree and returns the tree that comes of it.
func (r *Repo) patched(ctx context.Context, base objects.ID, data []byte) (objects.ID, error) {
	files, err := patch.Parse(data)
	if err != nil {
		return base, refusePatch(err)
	}
	a := &applier{r: r, root: base, now: map[string]content{}, leaves: map[string]bool{}, made: map[string]bool{}}
	for i := range files {
		if f := &files[i]; f.Old != "" && (f.New == "" || f.Rename) {
			a.leaves[f.Old] = true
		}
	}
	for i := range files {
		if err := a.file(ctx, &files[i]); err != nil {
			return base, refusePatch(err)
		}
	}
	overlay := map[string]Blob{}
	for path, c := range a.now {
		if !c.there {
			overlay[path] = Blob{}
			continue
		}
		id := c.id
		if c.changed {
			if id, err = r.store.Write(ctx, objects.Blob, c.data); err != nil {
				return base, fmt.Errorf("apply patch: %v", err)
			}
		}
		overlay[path] = blobOf(objects.Entry{Mode: c.mode, ID: id})
	}
	hash, err := r.Compose(ctx, base.String(), overlay)
	if isCode(err, ComposeConflict) {
		return base, refuse(Code(patch.Unbound), "", "apply patch: %v", strings.TrimPrefix(err.Error(), "compose tree: "))
	}
	if err != nil {
		return base, err
	}
	if hash == base.String() {
		return base, refuse(Code(patch.Empty), "", "apply patch: it changes nothing")
	}
	return plumbing.NewHash(hash), nil
}

func refusePatch(err error) error {
	var p *patch.Error
	if !errors.As(err, &p) {
		return err
	}
	tip := ""
	switch p.Kind {
	case patch.Unbound:
		tip = "make the patch anew from this base: git diff BASE HEAD"
	case patch.Binary:
		tip = "commit the change to a branch and name that as head"
	case patch.Unparsable, patch.Empty:
		tip = "make the patch with git diff or diff -u"
	}
	return refuse(Code(p.Kind), tip, "apply patch: %v", p)
}

// content is what a path holds while a patch is applied.
type content struct {
	there   bool
	mode    objects.Mode
	id      objects.ID
	data    []byte
	read    bool // data is valid
	changed bool // data is not what id names
}

// applier applies the files of a patch one after the other: a series of patches in one file works, as
// long as no file is renamed after it was changed. Copies and renames read the base, as in git.
type applier struct {
	r      *Repo
	root   objects.ID
	now    map[string]content
	leaves map[string]bool // deleted or renamed somewhere in the patch, so its name is free
	made   map[string]bool // created by the patch, so a later rename of that name means the base's file
}

func (a *applier) file(ctx context.Context, f *patch.File) error {
	if f.OldMode == patch.ModeSubmodule || f.NewMode == patch.ModeSubmodule {
		return refuse(SubmoduleInTree, "", "apply patch: line %d: %q is a submodule", f.Line, f.Path())
	}
	if f.New != "" {
		if err := a.freeWay(ctx, f); err != nil {
			return err
		}
	}
	before, err := a.before(ctx, f)
	if err != nil {
		return err
	}
	after := before
	after.there = f.New != ""
	if len(f.Hunks) > 0 {
		if !before.read {
			if before.data, err = a.r.store.Read(ctx, before.id, objects.Blob); err != nil {
				return translate(err, "apply patch")
			}
		}
		id := before.id
		if before.changed {
			id = plumbing.ComputeHash(objects.Blob, before.data)
		}
		if after.data, err = f.Apply(before.data, id.String()); err != nil {
			return err
		}
		after.read, after.changed = true, true
	}
	if f.New == "" {
		return a.remove(ctx, f, after)
	}
	if f.NewMode != 0 {
		after.mode = objects.Mode(f.NewMode)
	}
	if after.mode == objects.Symlink && after.changed {
		if why := badTarget(after.data); why != "" {
			return unbound(f, "is a symbolic link "+why)
		}
	}
	a.now[f.New] = after
	if f.Old != f.New {
		a.made[f.New] = true
	}
	if f.Rename && !a.made[f.Old] {
		a.now[f.Old] = content{}
	}
	return nil
}

// before is what the patch starts from for one file.
func (a *applier) before(ctx context.Context, f *patch.File) (content, error) {
	blank := content{there: true, mode: objects.Regular, read: true, changed: true}
	if f.Old == "" {
		return blank, a.mustBeFree(ctx, f)
	}
	if f.Rename && a.now[f.Old].changed && !a.made[f.Old] {
		return blank, unbound(f, fmt.Sprintf("renames %q after changing it; make one diff of the series", f.Old))
	}
	c, ok := a.now[f.Old]
	if !ok || f.Rename || f.Copy {
		var err error
		if c, err = a.inBase(ctx, f.Old); err != nil {
			return c, err
		}
	}
	if f.Old != f.New && f.New != "" {
		if err := a.mustBeFree(ctx, f); err != nil {
			return c, err
		}
	}
	if !c.there {
		// diff -N shows a new file as one that takes nothing from line 0.
		if f.Old == f.New && f.OldMode == 0 && len(f.Hunks) == 1 && f.Hunks[0].OldStart == 0 && f.Hunks[0].OldLines == 0 {
			return blank, nil
		}
		return c, unbound(f, fmt.Sprintf("the base has no file %q", f.Old))
	}
	if c.mode == objects.Folder || c.mode == objects.Submodule {
		return c, unbound(f, fmt.Sprintf("%q is no file in the base", f.Old))
	}
	if f.OldMode != 0 && (f.OldMode == patch.ModeSymlink) != (c.mode == objects.Symlink) {
		return c, unbound(f, fmt.Sprintf("%q has the mode %v in the base, and %06o in the patch", f.Old, c.mode, uint32(f.OldMode)))
	}
	return c, nil
}

func (a *applier) mustBeFree(ctx context.Context, f *patch.File) error {
	c, ok := a.now[f.New]
	if !ok {
		var err error
		if c, err = a.inBase(ctx, f.New); err != nil {
			return err
		}
		if a.leaves[f.New] && c.mode != objects.Folder {
			return nil
		}
	}
	if c.there && c.mode != objects.Folder { // a folder that empties makes room; Compose finds out
		return unbound(f, fmt.Sprintf("makes %q, which is already there", f.New))
	}
	return nil
}

// freeWay refuses a path that goes through a symbolic link or a file.
func (a *applier) freeWay(ctx context.Context, f *patch.File) error {
	for i := range len(f.New) {
		if f.New[i] != '/' {
			continue
		}
		parent := f.New[:i]
		c, ok := a.now[parent]
		if !ok {
			if a.leaves[parent] {
				continue
			}
			var err error
			if c, err = a.inBase(ctx, parent); err != nil {
				return err
			}
		}
		switch {
		case !c.there || c.mode == objects.Folder:
		case c.mode == objects.Symlink:
			return &patch.Error{Kind: patch.Escaping, Line: f.Line, Path: f.New, Msg: fmt.Sprintf("goes through the symbolic link %q", parent)}
		case c.mode == objects.Submodule:
			return refuse(SubmoduleInTree, "", "apply patch: line %d: %q lies in the submodule %q", f.Line, f.New, parent)
		default:
			return unbound(f, fmt.Sprintf("goes through %q, which is a file", parent))
		}
	}
	return nil
}

func (a *applier) inBase(ctx context.Context, path string) (content, error) {
	e, err := a.r.entry(ctx, a.root.String(), path)
	switch {
	case IsNotExist(err):
		return content{}, nil
	case err != nil:
		return content{}, err
	}
	return content{there: true, mode: e.Mode, id: e.ID}, nil
}

// remove takes a file away, all of whose lines the patch must have shown.
func (a *applier) remove(ctx context.Context, f *patch.File, after content) error {
	if !after.read {
		data, err := a.r.store.Read(ctx, after.id, objects.Blob)
		if err != nil {
			return translate(err, "apply patch")
		}
		after.data = data
	}
	if len(after.data) > 0 {
		return unbound(f, "deletes a file that holds more than the patch shows")
	}
	a.now[f.Old] = content{}
	return nil
}

func unbound(f *patch.File, msg string) error {
	return &patch.Error{Kind: patch.Unbound, Line: f.Line, Path: f.Path(), Msg: msg}
}

// badTarget says why bytes cannot be the target of a symbolic link, "" where they can.
func badTarget(target []byte) string {
	switch {
	case len(target) == 0:
		return "to nothing"
	case len(target) > 4095:
		return "with a target of more than 4,095 bytes"
	case strings.Contains(string(target), "\x00"):
		return "with a NUL in its target"
	}
	return ""
}
