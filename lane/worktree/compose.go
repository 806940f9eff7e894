package worktree

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/vallane/lane/lane/worktree/objects"
	"github.com/vallane/lane/lane/worktree/treename"
)

// checkPath refuses a path that no box could be given.
func checkPath(path string) error {
	if len(path) > treename.MaxPath {
		return refuse(UnsafeTree, "", "read tree: the path %.40q... has %d bytes; at most %d are carried", path, len(path), treename.MaxPath)
	}
	return nil
}

// Compose makes a tree of base's files in which some paths are replaced: base's code with head's
// tests, for instance. The zero Blob takes a path away, if it is there. Blobs may be of any tree of this
// repository. The new tree is written to Lane's own repository and its hash returned.
//
// A file cannot take the place of a folder that still holds something, nor the other way round:
// that is refused as ComposeConflict.
func (r *Repo) Compose(ctx context.Context, baseTree string, overlay map[string]Blob) (treeHash string, err error) {
	root, err := treeID(baseTree)
	if err != nil {
		return "", err
	}
	edits := map[string]objects.Entry{}
	for path, b := range overlay {
		e := objects.Entry{}
		if b.Hash != "" {
			if e.Mode, err = b.gitMode(); err != nil {
				return "", fmt.Errorf("compose tree: %s: %v", path, err)
			}
			if !isFullID(b.Hash) {
				return "", fmt.Errorf("compose tree: %s: %q is no object id", path, b.Hash)
			}
			e.ID = plumbing.NewHash(b.Hash)
		}
		if err := treename.CheckPath(path, e.Mode == objects.Symlink); err != nil {
			return "", refuse(UnsafeTree, "", "compose tree: %v", err)
		}
		edits[path] = e
	}
	id, err := r.edit(ctx, root, "", edits)
	if err != nil {
		return "", err
	}
	if id == emptyTree {
		// Nobody else has the empty tree, and a tree that is checked out must be there.
		if _, err := r.store.Write(ctx, objects.Tree, nil); err != nil {
			return "", fmt.Errorf("compose tree: %v", err)
		}
	}
	return id.String(), nil
}

// edit applies edits, whose paths are relative to this folder, and returns the folder's new id:
// emptyTree where nothing is left in it.
func (r *Repo) edit(ctx context.Context, folder objects.ID, where string, edits map[string]objects.Entry) (objects.ID, error) {
	if len(edits) == 0 {
		return folder, nil
	}
	entries, err := r.readTree(ctx, objects.Entry{Mode: objects.Folder, ID: folder})
	if err != nil {
		return folder, translate(err, "compose tree")
	}
	here := map[string]objects.Entry{}             // edits of this folder's own entries
	below := map[string]map[string]objects.Entry{} // edits inside of its folders
	for path, e := range edits {
		name, rest, deeper := strings.Cut(path, "/")
		if !deeper {
			e.Name = name
			here[name] = e
			continue
		}
		if below[name] == nil {
			below[name] = map[string]objects.Entry{}
		}
		below[name][rest] = e
	}
	now := map[string]objects.Entry{}
	for _, e := range entries {
		now[e.Name] = e
	}
	// A file that goes makes room for a folder, and a folder that empties makes room for a file.
	for name, e := range here {
		if old, ok := now[name]; ok && e.ID.IsZero() && old.Mode != objects.Folder {
			delete(now, name)
		}
	}
	for name, edits := range below {
		if err := r.editBelow(ctx, now, where, name, edits); err != nil {
			return folder, err
		}
	}
	for name, e := range here {
		if e.ID.IsZero() {
			continue
		}
		if old, ok := now[name]; ok && old.Mode == objects.Folder {
			return folder, refuse(ComposeConflict, "", "compose tree: %q is a file in one tree and a folder in the other", where+name)
		}
		now[name] = e
	}
	left := make([]objects.Entry, 0, len(now))
	for _, e := range now {
		left = append(left, e)
	}
	if len(left) == 0 {
		return emptyTree, nil
	}
	id, err := r.store.WriteTree(ctx, left)
	if err != nil {
		return id, fmt.Errorf("compose tree: %v", err)
	}
	return id, nil
}

// editBelow applies edits inside of the folder name, which may not be there yet.
func (r *Repo) editBelow(ctx context.Context, now map[string]objects.Entry, where, name string, edits map[string]objects.Entry) error {
	old, ok := now[name]
	switch {
	case !ok && onlyRemovals(edits):
		return nil
	case !ok:
		old = objects.Entry{Name: name, Mode: objects.Folder, ID: emptyTree}
	case old.Mode != objects.Folder && onlyRemovals(edits):
		return nil
	case old.Mode != objects.Folder:
		return refuse(ComposeConflict, "", "compose tree: %q is a file in one tree and a folder in the other", where+name)
	}
	id, err := r.edit(ctx, old.ID, where+name+"/", edits)
	if err != nil {
		return err
	}
	if id == emptyTree {
		delete(now, name)
		return nil
	}
	old.ID = id
	now[name] = old
	return nil
}

func onlyRemovals(edits map[string]objects.Entry) bool {
	for _, e := range edits {
		if !e.ID.IsZero() {
			return false
		}
	}
	return true
}
