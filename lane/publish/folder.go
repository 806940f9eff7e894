package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// folder keeps verdicts by the tree that they are about: TREE/DIGEST.intoto.json, TREE being git's name of it. Files of one name have one
// content, so that several writers need no lock.
type folder struct{ dir string }

func (f *folder) String() string { return f.dir }

func (f *folder) Put(_ context.Context, items []Item, dry bool) (added int, err error) {
	for _, it := range items {
		file := filepath.Join(f.dir, it.Subject.GitTree, it.name())
		switch there, err := os.ReadFile(file); {
		case err == nil && bytes.Equal(bytes.TrimSpace(there), it.Line):
			continue
		case err == nil && sameVerdict(there, it):
			continue // signed by somebody else, or twice
		case err == nil:
			return added, fmt.Errorf("publish to %s: %s is there, and is something else; remove it, or choose another folder", f.dir, file)
		case !errors.Is(err, fs.ErrNotExist):
			return added, fmt.Errorf("publish to %s: %w", f.dir, err)
		}
		added++
		if dry {
			continue
		}
		if err := writeNew(file, append(bytes.Clone(it.Line), '\n')); err != nil {
			return added - 1, fmt.Errorf("publish to %s: %w", f.dir, err)
		}
	}
	return added, nil
}

func sameVerdict(data []byte, it Item) bool {
	other, err := Parse(bytes.TrimSpace(data))
	return err == nil && other.Digest == it.Digest
}

// writeNew writes a file so that nobody sees a part of it.
func writeNew(file string, data []byte) error {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".new-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails where it was renamed
	_, err = tmp.Write(data)
	if err := errors.Join(err, tmp.Chmod(0o644), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}

func (f *folder) Get(_ context.Context, tree, commit string) (items []Item, foreign int, err error) {
	pattern := "*"
	if tree != "" {
		pattern = tree
	}
	if _, err := os.Stat(f.dir); err != nil {
		return nil, 0, fmt.Errorf("read verdicts: %w", err)
	}
	files, err := filepath.Glob(filepath.Join(escaped(f.dir), pattern, "*.intoto.json"))
	if err != nil {
		return nil, 0, fmt.Errorf("read verdicts of %s: %w", f.dir, err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, 0, fmt.Errorf("read verdicts of %s: %w", f.dir, err)
		}
		it, err := Parse(bytes.TrimSpace(data))
		switch {
		case err != nil:
			foreign++
		case it.about(tree, commit):
			items = append(items, it)
		}
	}
	return items, foreign, nil
}

// escaped is a path in which no character is one of a pattern.
func escaped(dir string) string {
	var b bytes.Buffer
	for _, r := range dir {
		if r == '*' || r == '?' || r == '[' || r == '\\' {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
