package wasi

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/vallane/lane/lane/fence"
)

// OpenCache makes a folder fit to keep compiled modules: they are machine code that Lane runs, so that nobody but the processes of
// guests may write there. A folder that somebody else could have written to is refused. Where its files hold more than most bytes, the
// oldest go. A guest itself has no name for the folder.
func OpenCache(dir string, most int64) error {
	owner := fence.HostID(0)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("make the folder of compiled modules: %w", err)
	}
	err := os.Mkdir(dir, 0o700)
	if err == nil && owner >= 0 && owner != os.Geteuid() {
		err = os.Chown(dir, owner, owner)
	}
	if err != nil && !os.IsExist(err) {
		return fmt.Errorf("make the folder of compiled modules: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at the folder of compiled modules: %w", err)
	}
	if !info.IsDir() || info.Mode().Perm() != 0o700 || !ownedBy(info, owner) {
		return fmt.Errorf("use the folder of compiled modules %s: others could write there (%s); remove it, and lane makes it anew", dir, info.Mode())
	}
	return prune(dir, most)
}

// prune removes the oldest files beyond a size. Another process may do the same at the same time.
func prune(dir string, most int64) error {
	type file struct {
		path string
		info fs.FileInfo
	}
	var files []file
	var size int64
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			files, size = append(files, file{path, info}), size+info.Size()
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look through the folder of compiled modules: %w", err)
	}
	slices.SortFunc(files, func(a, b file) int {
		return cmp.Or(a.info.ModTime().Compare(b.info.ModTime()), cmp.Compare(a.path, b.path))
	})
	for _, f := range files {
		if size <= most {
			break
		}
		if err := os.Remove(f.path); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("remove a compiled module: %w", err)
		}
		size -= f.info.Size()
	}
	return nil
}
