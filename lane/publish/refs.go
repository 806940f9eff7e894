package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// VerdictsRef is the ref whose commits hold verdicts, by tree: TREE[:2]/TREE/DIGEST.intoto.json.
const VerdictsRef = "refs/lane/verdicts"

// gitRef keeps verdicts in a ref of a repository. The checked-out tree, its branches and its index are not touched.
type gitRef struct {
	repo     string
	patience time.Duration
}

func (g *gitRef) String() string { return VerdictsRef + " of " + g.repo }

func (g *gitRef) Put(_ context.Context, items []Item, dry bool) (added int, err error) {
	b, err := openBranch(g.repo, VerdictsRef, g.patience)
	if err != nil {
		return 0, fmt.Errorf("publish to %s: %w", g, err)
	}
	err = b.update("Add verdicts", func(now *object.Tree) (map[string][]byte, error) {
		files := map[string][]byte{}
		for _, it := range items {
			name := treeFolder(it.Subject.GitTree) + "/" + it.name()
			if now != nil {
				if _, err := now.FindEntry(name); err == nil {
					continue
				} else if !notThere(err) {
					return nil, err
				}
			}
			files[name] = append(bytes.Clone(it.Line), '\n')
		}
		if added = len(files); dry {
			return nil, nil
		}
		return files, nil
	})
	if err != nil {
		return 0, fmt.Errorf("publish to %s: %w", g, err)
	}
	return added, nil
}

func treeFolder(tree string) string { return tree[:2] + "/" + tree }

func notThere(err error) bool {
	return errors.Is(err, object.ErrEntryNotFound) || errors.Is(err, object.ErrDirectoryNotFound) || errors.Is(err, object.ErrFileNotFound) ||
		errors.Is(err, plumbing.ErrObjectNotFound)
}

func (g *gitRef) Get(ctx context.Context, tree, commit string) (items []Item, foreign int, err error) {
	b, err := openBranch(g.repo, VerdictsRef, g.patience)
	if err != nil {
		return nil, 0, fmt.Errorf("read verdicts: %w", err)
	}
	_, top, err := b.tip()
	if err != nil {
		return nil, 0, fmt.Errorf("read verdicts of %s: %w", g, err)
	}
	if top != nil && tree != "" {
		if top, err = top.Tree(treeFolder(tree)); notThere(err) {
			return nil, 0, nil
		}
	}
	if err != nil || top == nil {
		return nil, 0, err
	}
	err = top.Files().ForEach(func(f *object.File) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !strings.HasSuffix(f.Name, ".intoto.json") {
			foreign++
			return nil
		}
		data, err := read(f)
		if err != nil {
			return err
		}
		if it, err := Parse(bytes.TrimSpace(data)); err != nil {
			foreign++
		} else if it.about(tree, commit) {
			items = append(items, it)
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("read verdicts of %s: %w", g, err)
	}
	return items, foreign, err
}
