package gotest

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

// maxSource is the largest source file that is read from a tree, in bytes.
const maxSource = 16 << 20

// A tree reads the folder that will be laid into the box. Paths are relative to it, with slashes; "." is the folder itself.
type tree struct{ root *os.Root }

func openTree(dir string) (*tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("read tree: %w", err)
	}
	return &tree{root}, nil
}

func (t *tree) close() { t.root.Close() }

// read returns the bytes of a regular file that lies in the tree.
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
	if info.Size() > maxSource {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("larger than %d bytes", maxSource)}
	}
	f, err := t.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxSource))
}

func (t *tree) exists(name string) bool {
	_, err := t.root.Lstat(filepath.FromSlash(name))
	return err == nil
}

// isFile follows links, as the go command does for source files.
func (t *tree) isFile(name string) bool {
	info, err := t.root.Stat(filepath.FromSlash(name))
	return err == nil && info.Mode().IsRegular()
}

func (t *tree) isDir(name string) bool {
	info, err := t.root.Stat(filepath.FromSlash(name))
	return err == nil && info.IsDir()
}

// list returns the entries of a folder, sorted.
func (t *tree) list(dir string) ([]fs.DirEntry, error) {
	f, err := t.root.Open(filepath.FromSlash(dir))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// up finds the nearest folder at or above dir that holds the file name.
func (t *tree) up(dir, name string) (string, bool) {
	for {
		if t.isFile(path.Join(dir, name)) {
			return dir, true
		}
		if dir == "." {
			return "", false
		}
		dir = path.Dir(dir)
	}
}
