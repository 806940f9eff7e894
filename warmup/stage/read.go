package stage

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// Read takes flake.nix, flake.lock where there is one, and the extras from a
// tree. dir is the flake's folder in the tree ("." for the top); an extra is a
// file or a folder below dir, a folder standing for all that it holds. Nothing
// else of the tree is opened. An extra that is not there is an error.
func Read(tree fs.FS, dir string, extras ...string) (map[string]File, error) {
	files := map[string]File{}
	for _, name := range []string{"flake.nix", "flake.lock"} {
		err := take(tree, dir, name, files)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	for _, extra := range extras {
		extra = path.Clean(extra)
		if !fs.ValidPath(extra) {
			return nil, refuse(UnsafeFile, "", "%q is no path below the flake's folder", extra)
		}
		if err := take(tree, dir, extra, files); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func take(tree fs.FS, dir, name string, files map[string]File) error {
	top := path.Join(dir, name)
	info, err := fs.Lstat(tree, top)
	if err == nil && !info.IsDir() {
		// WalkDir would follow a symlink that it starts from.
		err = takeFile(tree, dir, top, info, files)
	} else if err == nil {
		err = fs.WalkDir(tree, top, func(p string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			return takeFile(tree, dir, p, info, files)
		})
	}
	if err != nil {
		return fmt.Errorf("read %s for the environment: %w", name, err)
	}
	return nil
}

func takeFile(tree fs.FS, dir, p string, info fs.FileInfo, files map[string]File) error {
	f := File{Mode: info.Mode()}
	var err error
	switch info.Mode().Type() {
	case fs.ModeSymlink:
		var target string
		target, err = fs.ReadLink(tree, p)
		f.Data = []byte(target)
	case 0:
		f.Data, err = fs.ReadFile(tree, p)
	}
	files[below(dir, p)] = f
	return err
}

func below(dir, p string) string {
	if dir == "." || dir == "" {
		return p
	}
	return p[len(path.Clean(dir))+1:]
}
