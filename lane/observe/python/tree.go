package python

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	maxSource  = 1 << 20 // bytes read of a test file
	maxEntries = 100_000 // of a tree that are looked at for test files
)

// A tree reads the folder that will be laid into the box. It is hostile: links that lead out of it are not followed. Paths are
// relative to it, with slashes; "." is the folder itself.
type tree struct{ root *os.Root }

func openTree(dir string) (*tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("read tree: %w", err)
	}
	return &tree{root}, nil
}

func (t *tree) close() { t.root.Close() }

func (t *tree) exists(name string) bool {
	_, err := t.root.Lstat(filepath.FromSlash(name))
	return err == nil
}

func (t *tree) isDir(name string) bool {
	info, err := t.root.Stat(filepath.FromSlash(name))
	return err == nil && info.IsDir()
}

// read returns the beginning of a regular file.
func (t *tree) read(name string) ([]byte, error) {
	name = filepath.FromSlash(name)
	// Opening a FIFO would wait for ever.
	info, err := t.root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("not a regular file")}
	}
	f, err := t.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxSource))
}

// testFiles lists the files at or below the named places that look like tests, sorted, and whether any cached bytecode came
// with the tree.
func (t *tree) testFiles(places []string) (files []string, cached bool) {
	left := maxEntries
	var walk func(name string, mode fs.FileMode)
	walk = func(name string, mode fs.FileMode) {
		if left--; left < 0 {
			return
		}
		base := path.Base(name)
		switch {
		case mode.IsRegular() && isTestName(base) && isBelow(name, places):
			files = append(files, name)
		case mode.IsRegular() && strings.HasSuffix(base, ".pyc"):
			cached = true
		case mode.IsDir() && (name == "." || !passedOver(base)):
			for _, e := range t.list(name) {
				walk(path.Join(name, e.Name()), e.Type())
			}
		}
	}
	walk(".", fs.ModeDir)
	slices.Sort(files)
	return files, cached
}

func isBelow(name string, places []string) bool {
	return slices.ContainsFunc(places, func(p string) bool { return p == "." || p == name || strings.HasPrefix(name, p+"/") })
}

func (t *tree) list(dir string) []fs.DirEntry {
	f, err := t.root.Open(filepath.FromSlash(dir))
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries
}

func isTestName(base string) bool {
	stem, ok := strings.CutSuffix(base, ".py")
	return ok && (strings.HasPrefix(stem, "test") || strings.HasSuffix(stem, "_test"))
}

// passedOver names folders in which no suite of the tree's own lies.
func passedOver(base string) bool {
	return strings.HasPrefix(base, ".") || slices.Contains([]string{"node_modules", "venv", "build", "dist"}, base)
}
