package hidden

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// Place says where a tree for a box lies.
type Place struct {
	Dir   string    // an empty folder on this machine
	Owner int       // user and group of all that is written; negative leaves them
	Time  time.Time // modification time of all that is written
}

// Lay copies the tree in the host folder base ("" for none) to a place, with the archive's files over it, and returns how many paths of the
// tree had to give way: a hidden file wins over whatever stands at its path or in place of one of its folders, so that no change can keep
// hidden tests out by guessing their names.
func (a *Archive) Lay(base string, to Place) (replaced int, err error) {
	root, err := os.OpenRoot(to.Dir)
	if err != nil {
		return 0, fmt.Errorf("lay hidden tests: %w", err)
	}
	defer root.Close()
	if base != "" {
		if err := copyTree(base, root); err != nil {
			return 0, fmt.Errorf("lay hidden tests over a copy of the tree: %w", err)
		}
	}
	for _, f := range a.Files {
		n, err := lay(root, f)
		if err != nil {
			return 0, fmt.Errorf("lay hidden tests: %w", err)
		}
		replaced += n
	}
	return replaced, settle(to)
}

// lay writes one file, and takes away what stands in its way.
func lay(root *os.Root, f File) (replaced int, err error) {
	clear := func(name string, keep func(fs.FileMode) bool) error {
		st, err := root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || keep(st.Mode()):
			return err
		}
		replaced++
		return root.RemoveAll(name)
	}
	var dirs []string
	for dir := path.Dir(f.Name); dir != "."; dir = path.Dir(dir) {
		dirs = append(dirs, dir)
	}
	for i := len(dirs) - 1; i >= 0; i-- { // from the root down: no link is ever followed
		if err := clear(dirs[i], fs.FileMode.IsDir); err != nil {
			return replaced, err
		}
		if err := root.Mkdir(dirs[i], 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return replaced, err
		}
	}
	if err := clear(f.Name, func(fs.FileMode) bool { return false }); err != nil {
		return replaced, err
	}
	return replaced, write(root, f.Name, f.Mode(), func(w io.Writer) error {
		_, err := w.Write(f.Data)
		return err
	})
}

func write(root *os.Root, name string, mode fs.FileMode, fill func(io.Writer) error) error {
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	return errors.Join(fill(out), out.Chmod(mode), out.Close())
}

// copyTree copies a tree as Lane checks trees out: folders, files and symbolic links.
func copyTree(from string, to *os.Root) error {
	src, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer src.Close()
	// Not by fs.WalkDir, whose names have to be UTF-8: those of a tree need not.
	return filepath.WalkDir(from, func(at string, d fs.DirEntry, err error) error {
		if err != nil || at == from {
			return err
		}
		name, err := filepath.Rel(from, at)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch mode := info.Mode(); {
		case mode.IsDir():
			return to.Mkdir(name, 0o755)
		case mode&fs.ModeSymlink != 0:
			target, err := src.Readlink(name)
			if err != nil {
				return err
			}
			return to.Symlink(target, name)
		case mode.IsRegular():
			in, err := src.Open(name)
			if err != nil {
				return err
			}
			defer in.Close()
			return write(to, name, mode.Perm(), func(w io.Writer) error {
				_, err := io.Copy(w, in)
				return err
			})
		}
		return fmt.Errorf("%s is no file, folder or link", name)
	})
}

// settle gives everything its owner and time, innermost first: writing into a folder gives it another.
func settle(p Place) error {
	var names []string
	err := filepath.WalkDir(p.Dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			names = append(names, name)
		}
		return err
	})
	for i := len(names) - 1; err == nil && i >= 0; i-- {
		if p.Owner >= 0 {
			if err = os.Lchown(names[i], p.Owner, p.Owner); err != nil {
				break
			}
		}
		if st, e := os.Lstat(names[i]); e == nil && st.Mode()&fs.ModeSymlink == 0 {
			err = os.Chtimes(names[i], p.Time, p.Time)
		}
	}
	if err != nil {
		return fmt.Errorf("lay hidden tests: %w", err)
	}
	return nil
}
