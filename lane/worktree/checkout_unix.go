//go:build unix

package worktree

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/vallane/lane/lane/worktree/objects"
)

// newFile is a file that is being written. It goes around os.File, which asks the kernel twice per file
// whether it could be polled: with 30,000 files that shows.
type newFile struct {
	fd   int
	path string
}

// createFile makes a file that must not be there, whatever a symbolic link says.
func createFile(path string, perm os.FileMode) (newFile, error) {
	for {
		fd, err := unix.Open(path, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, uint32(perm))
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return newFile{}, &os.PathError{Op: "create", Path: path, Err: err}
		}
		return newFile{fd, path}, nil
	}
}

func (f newFile) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		n, err := unix.Write(f.fd, p[written:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return written, &os.PathError{Op: "write", Path: f.path, Err: err}
		}
		written += n
	}
	return written, nil
}

// rewind empties the file, to write it again from its first byte.
func (f newFile) rewind() error {
	if err := unix.Ftruncate(f.fd, 0); err != nil {
		return &os.PathError{Op: "truncate", Path: f.path, Err: err}
	}
	if _, err := unix.Seek(f.fd, 0, 0); err != nil {
		return &os.PathError{Op: "seek", Path: f.path, Err: err}
	}
	return nil
}

func (f newFile) close() { unix.Close(f.fd) }

// The finish functions give a file its owner, time and mode, and note its stamp last: each of the three changes
// the ctime that the stamp holds.

func (c *checkout) finishFile(fd int, i int) error {
	if c.owner > 0 {
		if err := unix.Fchown(fd, c.owner, c.owner); err != nil {
			return fmt.Errorf("chown: %v", err)
		}
	}
	if err := unix.Futimes(fd, c.timevals()); err != nil {
		return fmt.Errorf("set time: %v", err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("stat: %v", err)
	}
	// What the umask took away, and what git put.
	if perm := uint32(permOf(c.nodes[i].Mode)); uint32(st.Mode)&0o7777 != perm {
		if err := unix.Fchmod(fd, perm); err != nil {
			return fmt.Errorf("chmod: %v", err)
		}
		if err := unix.Fstat(fd, &st); err != nil {
			return fmt.Errorf("stat: %v", err)
		}
	}
	if st.Size != c.facts[i].size {
		return fmt.Errorf("wrote %d bytes of %d", st.Size, c.facts[i].size)
	}
	c.facts[i].stamp = stampOf(&st)
	return nil
}

func (c *checkout) timevals() []unix.Timeval {
	tv := unix.NsecToTimeval(c.time.UnixNano())
	return []unix.Timeval{tv, tv}
}

func (c *checkout) finishLink(path string, i int) error {
	if c.owner > 0 {
		if err := unix.Lchown(path, c.owner, c.owner); err != nil {
			return fmt.Errorf("chown: %v", err)
		}
	}
	return c.finishPath(path, i)
}

// finishPath sets the time of a symbolic link or a folder, and notes its stamp.
func (c *checkout) finishPath(path string, i int) error {
	ts, err := unix.TimeToTimespec(c.time)
	if err != nil {
		return fmt.Errorf("set time: %v", err)
	}
	if err := unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{ts, ts}, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return fmt.Errorf("set time: %v", err)
	}
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return fmt.Errorf("stat: %v", err)
	}
	c.facts[i].stamp = stampOf(&st)
	return nil
}

func (c *checkout) finishFolder(i int) error {
	path := c.path(c.nodes[i])
	if err := unix.Chmod(path, dirPerm); err != nil {
		return fmt.Errorf("chmod %s: %v", path, err)
	}
	return c.finishLink(path, i)
}

func stampOf(st *unix.Stat_t) stamp {
	return stamp{mtime: unix.TimespecToNsec(st.Mtim), ctime: unix.TimespecToNsec(st.Ctim), inode: uint64(st.Ino)}
}

// lstat describes a path for a comparison with a fact.
func lstat(path string) (kind objects.Mode, perm uint32, owner int, size int64, at stamp, err error) {
	var st unix.Stat_t
	if err = unix.Lstat(path, &st); err != nil {
		return
	}
	switch uint32(st.Mode) & unix.S_IFMT {
	case unix.S_IFREG:
		kind = objects.Regular
		if st.Mode&0o100 != 0 {
			kind = objects.Executable
		}
	case unix.S_IFLNK:
		kind = objects.Symlink
	case unix.S_IFDIR:
		kind = objects.Folder
	}
	return kind, uint32(st.Mode) & 0o7777, int(st.Uid), st.Size, stampOf(&st), nil
}
