//go:build amd64 || arm64

package fence

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// mountCopy copies the folders that a tree is made of, the first above the others, into the run's tmpfs and shows them there
// as the tree.
func (r *root) mountCopy(layers []string) error {
	dir := fdPath(r.work, "copy")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for i, from := range layers {
		if err := copyFolder(from, dir, i == 0); err != nil {
			if errors.Is(err, unix.ENOSPC) {
				return fmt.Errorf("copy the tree: it is larger than the limit on disk (%d bytes) or inodes (%d) of a run: %w", r.limits.Disk, r.limits.Inodes, err)
			}
			return fmt.Errorf("copy the tree: %w", err)
		}
	}
	if err := unix.Mount(dir, TreeDir, "", unix.MS_BIND, ""); err != nil {
		return err
	}
	r.mounted = append(r.mounted, mounted{TreeDir, dir})
	return nil
}

// copyFolder copies what is in the folder from into the folder to. Names that are there already stay as they are; folders of
// both become one. top says that to is to get the mode and time of from too.
func copyFolder(from, to string, top bool) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	before, err := os.Lstat(to)
	if err != nil {
		return err
	}
	for _, e := range entries {
		src, dst := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		there, err := os.Lstat(dst)
		switch {
		case err == nil && there.IsDir() && e.IsDir():
			err = copyFolder(src, dst, false)
		case err == nil: // it hides what is below it
		case e.IsDir():
			if err = os.Mkdir(dst, 0o700); err == nil {
				err = copyFolder(src, dst, true)
			}
		case e.Type() == os.ModeSymlink:
			err = copyLink(src, dst)
		case e.Type().IsRegular():
			err = copyFile(src, dst)
		default:
			err = fmt.Errorf("%s is no file, folder or link", e.Name())
		}
		if err != nil {
			return err
		}
	}
	if top {
		return copyFolderMeta(from, to)
	}
	return os.Chtimes(to, before.ModTime(), before.ModTime())
}

func copyLink(from, to string) error {
	target, err := os.Readlink(from)
	if err != nil {
		return err
	}
	if err := os.Symlink(target, to); err != nil {
		return err
	}
	var st unix.Stat_t
	if err := unix.Lstat(from, &st); err != nil {
		return err
	}
	return unix.UtimesNanoAt(unix.AT_FDCWD, to, []unix.Timespec{st.Mtim, st.Mtim}, unix.AT_SYMLINK_NOFOLLOW)
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	st, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err = io.Copy(out, in); err == nil {
		err = out.Chmod(st.Mode())
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, st.ModTime(), st.ModTime())
}
