package objects

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
)

// folder shows an object folder, whatever its name, as the "objects" of a git directory.
//
// It hides info/alternates: go-git would open every alternate anew, index and all, for each object
// it looks for. The store holds the alternates as folders of their own instead.
type folder struct {
	billy.Filesystem
}

func newFolder(dir string) billy.Filesystem { return folder{osfs.New(dir)} }

func inFolder(name string) string {
	name = strings.TrimPrefix(filepath.ToSlash(name), "/")
	if name == "objects" {
		return "."
	}
	return strings.TrimPrefix(name, "objects/")
}

func (f folder) Open(name string) (billy.File, error) {
	name = inFolder(name)
	if path.Clean(name) == "info/alternates" {
		return nil, &os.PathError{Op: "open", Path: name, Err: os.ErrNotExist}
	}
	return f.Filesystem.Open(name)
}

func (f folder) OpenFile(name string, flag int, perm os.FileMode) (billy.File, error) {
	if flag != os.O_RDONLY {
		return f.Filesystem.OpenFile(inFolder(name), flag, perm)
	}
	return f.Open(name)
}

func (f folder) Stat(name string) (os.FileInfo, error)  { return f.Filesystem.Stat(inFolder(name)) }
func (f folder) Lstat(name string) (os.FileInfo, error) { return f.Filesystem.Lstat(inFolder(name)) }
func (f folder) ReadDir(name string) ([]os.FileInfo, error) {
	return f.Filesystem.ReadDir(inFolder(name))
}
func (f folder) Remove(name string) error { return f.Filesystem.Remove(inFolder(name)) }
func (f folder) Rename(from, to string) error {
	return f.Filesystem.Rename(inFolder(from), inFolder(to))
}
func (f folder) MkdirAll(name string, perm os.FileMode) error {
	return f.Filesystem.MkdirAll(inFolder(name), perm)
}
func (f folder) TempFile(dir, prefix string) (billy.File, error) {
	return f.Filesystem.TempFile(inFolder(dir), prefix)
}

// ReadOnly returns fs without any way to change it: every call that would write fails with
// fs.ErrPermission.
func ReadOnly(fs billy.Filesystem) billy.Filesystem { return readOnly{fs} }

type readOnly struct {
	billy.Filesystem
}

func denied(op, name string) error { return &os.PathError{Op: op, Path: name, Err: os.ErrPermission} }

func (f readOnly) OpenFile(name string, flag int, perm os.FileMode) (billy.File, error) {
	if flag != os.O_RDONLY {
		return nil, denied("open", name)
	}
	return f.Open(name)
}

func (f readOnly) Create(name string) (billy.File, error)     { return nil, denied("create", name) }
func (f readOnly) Remove(name string) error                   { return denied("remove", name) }
func (f readOnly) Rename(from, _ string) error                { return denied("rename", from) }
func (f readOnly) MkdirAll(name string, _ os.FileMode) error  { return denied("mkdir", name) }
func (f readOnly) Symlink(_, link string) error               { return denied("symlink", link) }
func (f readOnly) TempFile(dir, _ string) (billy.File, error) { return nil, denied("create", dir) }

func (f readOnly) Chroot(name string) (billy.Filesystem, error) {
	inner, err := f.Filesystem.Chroot(name)
	if err != nil {
		return nil, err
	}
	return readOnly{inner}, nil
}
