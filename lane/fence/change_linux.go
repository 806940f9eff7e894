//go:build amd64 || arm64

package fence

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// applyChanges puts a run's changes into the mounted tree, before any process of
// the run lives. They go through the overlay itself, so that the kernel copies
// mode, owner, inode number and the folders above; what a change would alter
// besides content (the times of files and folders) is put back. What still tells
// a written file from its neighbours is its time of status change, and the link
// count of the folders above it: a run that must look like it writes the same
// files, with the content they have.
//
// Deletions come first, so that a file may take the place of a folder.
func applyChanges(changes map[string]Change, at time.Time) error {
	if len(changes) == 0 {
		return nil
	}
	dir, err := openFolder(TreeDir)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	t := &changer{tree: dir, at: at, times: map[string]unix.Timespec{}}
	names := make([]string, 0, len(changes))
	for name := range changes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range slices.Backward(names) {
		if changes[name].Delete {
			if err := t.remove(name); err != nil {
				return fmt.Errorf("remove %q: %w", name, err)
			}
		}
	}
	for _, name := range names {
		if c := changes[name]; !c.Delete {
			if err := t.write(name, c); err != nil {
				return fmt.Errorf("write %q: %w", name, err)
			}
		}
	}
	return t.restoreTimes()
}

type changer struct {
	tree  int
	at    time.Time
	times map[string]unix.Timespec // folders whose time is to be put back
}

// within are the conditions for every path: below the tree, through no symlink.
const within = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_XDEV

func (t *changer) open(name string, flags, mode uint64) (int, error) {
	return unix.Openat2(t.tree, name, &unix.OpenHow{Flags: flags | unix.O_CLOEXEC, Mode: mode, Resolve: within})
}

// parent opens the folder that holds name and remembers its time.
func (t *changer) parent(name string) (fd int, base string, err error) {
	if name == "" || path.Clean(name) != name || path.IsAbs(name) || name == "." || name == ".." || strings.HasPrefix(name, "../") {
		return -1, "", errors.New("not a clean path inside the tree")
	}
	dir := path.Dir(name)
	if fd, err = t.open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0); err != nil {
		return -1, "", err
	}
	if _, known := t.times[dir]; !known {
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			unix.Close(fd)
			return -1, "", err
		}
		t.times[dir] = st.Mtim
	}
	return fd, path.Base(name), nil
}

// remove removes name, all below it, and the folders that it leaves empty. What
// is not there is an error: the change was made for another tree.
func (t *changer) remove(name string) error {
	dir, base, err := t.parent(name)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	err = unix.Unlinkat(dir, base, 0)
	if err == unix.EISDIR {
		if err = removeBelow(dir, base); err == nil {
			err = unix.Unlinkat(dir, base, unix.AT_REMOVEDIR)
		}
	}
	if err != nil {
		return err
	}
	for up := path.Dir(name); up != "."; up = path.Dir(up) {
		fd, base, err := t.parent(up)
		if err != nil {
			return err
		}
		err = unix.Unlinkat(fd, base, unix.AT_REMOVEDIR)
		unix.Close(fd)
		if err == unix.ENOTEMPTY {
			break
		}
		if err != nil {
			return err
		}
		delete(t.times, up)
	}
	return nil
}

// removeBelow empties the folder base of dir.
func removeBelow(dir int, base string) error {
	fd, err := unix.Openat(dir, base, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	names, err := folderNames(fd)
	if err != nil {
		return err
	}
	for _, name := range names {
		err := unix.Unlinkat(fd, name, 0)
		if err == unix.EISDIR {
			if err = removeBelow(fd, name); err == nil {
				err = unix.Unlinkat(fd, name, unix.AT_REMOVEDIR)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func folderNames(fd int) ([]string, error) {
	var names []string
	buf := make([]byte, 32<<10)
	for {
		n, err := unix.ReadDirent(fd, buf)
		if err != nil {
			return nil, err
		}
		if n <= 0 {
			return names, nil
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names)
	}
}

// write gives name its new content, making the folders that it needs.
func (t *changer) write(name string, c Change) error {
	if err := t.makeFolders(path.Dir(name)); err != nil {
		return err
	}
	dir, base, err := t.parent(name)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	var old unix.Stat_t
	err = unix.Fstatat(dir, base, &old, unix.AT_SYMLINK_NOFOLLOW)
	exists := err == nil
	if err != nil && err != unix.ENOENT {
		return err
	}
	kind := old.Mode & unix.S_IFMT
	if exists && kind == unix.S_IFDIR {
		return errors.New("a folder is in its place")
	}
	link := c.Mode&fs.ModeSymlink != 0
	if exists && (link || kind != unix.S_IFREG) {
		if err := unix.Unlinkat(dir, base, 0); err != nil {
			return err
		}
		if !link && c.Mode == 0 {
			old.Mode = 0o644
		}
	}
	mtime := unix.NsecToTimespec(t.at.UnixNano())
	if exists {
		mtime = old.Mtim
	}
	if link {
		if err := unix.Symlinkat(string(c.Data), dir, base); err != nil {
			return err
		}
		return unix.UtimesNanoAt(dir, base, []unix.Timespec{mtime, mtime}, unix.AT_SYMLINK_NOFOLLOW)
	}
	mode := uint32(c.Mode.Perm())
	switch {
	case mode == 0 && exists:
		mode = old.Mode & 0o7777
	case mode == 0:
		mode = 0o644
	}
	return writeFile(dir, base, c.Data, mode, mtime)
}

func (t *changer) makeFolders(dir string) error {
	if dir == "." {
		return nil
	}
	fd, err := t.open(dir, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err == nil {
		return unix.Close(fd)
	}
	if err != unix.ENOENT {
		return err
	}
	if err := t.makeFolders(path.Dir(dir)); err != nil {
		return err
	}
	fd, base, err := t.parent(dir)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.Mkdirat(fd, base, 0o755); err != nil {
		return err
	}
	t.times[dir] = unix.NsecToTimespec(t.at.UnixNano())
	return nil
}

func writeFile(dir int, base string, data []byte, mode uint32, mtime unix.Timespec) error {
	fd, err := unix.Openat(dir, base, unix.O_WRONLY|unix.O_CREAT|unix.O_TRUNC|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for len(data) > 0 {
		n, err := unix.Write(fd, data)
		if err != nil {
			return err
		}
		data = data[n:]
	}
	if err := unix.Fchmod(fd, mode); err != nil {
		return err
	}
	return unix.UtimesNanoAt(dir, base, []unix.Timespec{mtime, mtime}, unix.AT_SYMLINK_NOFOLLOW)
}

func (t *changer) restoreTimes() error {
	for dir, mtime := range t.times {
		fd, err := t.open(dir, unix.O_PATH|unix.O_DIRECTORY, 0)
		if err != nil {
			return fmt.Errorf("date folder %q: %w", dir, err)
		}
		err = unix.UtimesNanoAt(unix.AT_FDCWD, fdPath(fd), []unix.Timespec{mtime, mtime}, 0)
		unix.Close(fd)
		if err != nil {
			return fmt.Errorf("date folder %q: %w", dir, err)
		}
	}
	return nil
}
