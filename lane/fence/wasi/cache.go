package wasi

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

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
	_, _, err = Collect(dir, Bound{Bytes: most})
	return err
}

// Bound says which compiled modules Collect takes.
type Bound struct {
	Bytes int64         // what may stay, in bytes; negative for no bound
	Age   time.Duration // also takes what was compiled so long ago; 0 for no such rule
	Dry   bool          // only says what would go
}

// Collect removes compiled modules, the oldest first, until those left keep to the bound, and says how many and how many bytes. A folder that
// is not there has none. A guest under way is not disturbed: it has read what it needs, and whoever comes next compiles again.
func Collect(dir string, b Bound) (modules int, bytes int64, err error) {
	files, size := compiled(dir)
	for _, f := range files {
		old := b.Age > 0 && time.Since(f.info.ModTime()) > b.Age
		if (b.Bytes < 0 || size <= b.Bytes) && !old {
			continue
		}
		if !b.Dry {
			if err := os.Remove(f.path); err != nil && !os.IsNotExist(err) {
				return modules, bytes, fmt.Errorf("remove a compiled module: %w", err)
			}
		}
		modules, bytes, size = modules+1, bytes+f.info.Size(), size-f.info.Size()
	}
	return modules, bytes, nil
}

type module struct {
	path string
	info fs.FileInfo
}

// compiled lists what a folder holds, the oldest first, and its size. What vanishes meanwhile belongs to another process that collects.
func compiled(dir string) (files []module, size int64) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			files, size = append(files, module{path, info}), size+info.Size()
		}
		return nil
	})
	slices.SortFunc(files, func(a, b module) int {
		return cmp.Or(a.info.ModTime().Compare(b.info.ModTime()), cmp.Compare(a.path, b.path))
	})
	return files, size
}
