package worktree

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/vallane/lane/lane/worktree/objects"
)

// Has reports whether the repository holds the commit with that full id. Nothing is fetched to find out.
func (r *Repo) Has(ctx context.Context, id string) bool {
	if !isFullID(id) {
		return false
	}
	found, err := r.commit(ctx, id)
	return err == nil && found.String() == id
}

// Graft makes a tree of the files of a tree of this repository, in which the folder place holds those of a tree of another one. What stood at place,
// of whatever kind, gives way. keep says where a file of the other tree goes below place; ok is false for one that is left out. The new tree
// is written to Lane's own repository and its hash returned.
func (r *Repo) Graft(ctx context.Context, treeHash, place string, from *Repo, fromTree string, keep func(file string) (rel string, ok bool)) (string, error) {
	files, err := r.List(treeHash)
	if err != nil {
		return "", err
	}
	overlay := map[string]Blob{}
	for name := range files {
		if name == place || strings.HasPrefix(name, place+"/") {
			overlay[name] = Blob{}
		}
	}
	graft, err := from.List(fromTree)
	if err != nil {
		return "", err
	}
	for name, b := range graft {
		rel, ok := keep(name)
		if !ok {
			continue
		}
		if overlay[path.Join(place, rel)], err = r.adopt(ctx, from, name, b); err != nil {
			return "", err
		}
	}
	return r.Compose(ctx, treeHash, overlay)
}

// adopt copies a file of another repository to Lane's own.
func (r *Repo) adopt(ctx context.Context, from *Repo, name string, b Blob) (Blob, error) {
	if m, err := b.gitMode(); err != nil || m == objects.Submodule {
		return Blob{}, refuseSubmodules([]string{name})
	}
	var data bytes.Buffer
	if err := from.CopyBlob(ctx, &data, b.Hash); err != nil {
		return Blob{}, fmt.Errorf("read %s: %w", name, err)
	}
	return r.WriteBlob(ctx, data.Bytes(), b.Mode)
}
