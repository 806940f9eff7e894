package worktree

import (
	"context"
	"slices"
	"strings"

	"github.com/vallane/lane/lane/worktree/objects"
)

// FileChange is one path that differs between two trees.
type FileChange struct {
	Path     string
	Old, New Blob // the zero Blob where the path is not there
}

// Diff lists what differs between two trees, by path. A renamed file is one that went and one that came.
func (r *Repo) Diff(ctx context.Context, oldTree, newTree string) ([]FileChange, error) {
	from, err := treeID(oldTree)
	if err != nil {
		return nil, err
	}
	to, err := treeID(newTree)
	if err != nil {
		return nil, err
	}
	d := differ{r: r}
	err = d.compare(ctx, "", objects.Entry{Mode: objects.Folder, ID: from}, objects.Entry{Mode: objects.Folder, ID: to})
	slices.SortFunc(d.changes, func(a, b FileChange) int { return strings.Compare(a.Path, b.Path) })
	return d.changes, err
}

type differ struct {
	r       *Repo
	changes []FileChange
	visited int
}

// compare looks at two entries of one path, either of which may be missing (the zero Entry).
func (d *differ) compare(ctx context.Context, path string, from, to objects.Entry) error {
	if from.ID == to.ID && from.Mode == to.Mode {
		return nil
	}
	if err := checkPath(path); err != nil {
		return err
	}
	if d.visited++; d.visited > d.r.o.maxEntries() {
		return refuse(TreeTooLarge, "", "compare trees: more than %d files and folders differ", d.r.o.maxEntries())
	}
	change := FileChange{Path: path}
	if from.Mode != 0 && from.Mode != objects.Folder {
		change.Old = blobOf(from)
	}
	if to.Mode != 0 && to.Mode != objects.Folder {
		change.New = blobOf(to)
	}
	if change.Old != change.New {
		d.changes = append(d.changes, change)
	}
	old, err := d.r.readTree(ctx, from)
	if err != nil {
		return translate(err, "compare trees")
	}
	now, err := d.r.readTree(ctx, to)
	if err != nil {
		return translate(err, "compare trees")
	}
	if path != "" {
		path += "/"
	}
	known := make(map[string]objects.Entry, len(old))
	for _, e := range old {
		known[e.Name] = e
	}
	for _, e := range now {
		if err := d.compare(ctx, path+e.Name, known[e.Name], e); err != nil {
			return err
		}
		delete(known, e.Name)
	}
	for _, e := range known {
		if err := d.compare(ctx, path+e.Name, e, objects.Entry{}); err != nil {
			return err
		}
	}
	return nil
}
