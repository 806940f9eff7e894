package store

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/vallane/lane/warmup/nar"
)

// A seal is a file named after a store path. It says that this user hashed the
// path in full, and what every file of it looked like then:
//
//	lane seal 1 <NAR hash> <NAR size> <device>\n
//	<mode, octal> <inode> <size> <ctime, ns> <path>\0   for each, depth first
//
// No unprivileged user can change a file and put its ctime back. Whoever can
// (root, or a clock set back by root) could change Lane as well.
const sealMagic = "lane seal 1"

// stamp is what a seal keeps of one file.
type stamp struct {
	mode  uint32
	inode uint64
	size  int64
	ctime int64 // nanoseconds since 1970
}

func (s stamp) append(b []byte, name string) []byte {
	b = strconv.AppendUint(b, uint64(s.mode), 8)
	b = append(b, ' ')
	b = strconv.AppendUint(b, s.inode, 10)
	b = append(b, ' ')
	b = strconv.AppendInt(b, s.size, 10)
	b = append(b, ' ')
	b = strconv.AppendInt(b, s.ctime, 10)
	b = append(b, ' ')
	b = append(b, name...)
	return append(b, 0)
}

func sealHead(p Path, device uint64) []byte {
	return fmt.Appendf(nil, "%s %s %d %d\n", sealMagic, nar.SRI(p.SHA256), p.NarSize, device)
}

func ownedBy(info fs.FileInfo, uid int) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == uid
}

func stampOf(st *unix.Stat_t) stamp {
	return stamp{mode: st.Mode, inode: st.Ino, size: st.Size, ctime: st.Ctim.Nano()}
}

// folder is an open folder on the way down; name is its path below the root,
// with a slash at its end ("" for the root itself).
type folder struct {
	name string
	fd   int
}

// snapshot walks the path and writes the seal that its files deserve now. It
// also returns the newest ctime.
func snapshot(p Path) ([]byte, time.Time, error) {
	var st unix.Stat_t
	if err := unix.Lstat(p.Host, &st); err != nil {
		return nil, time.Time{}, fmt.Errorf("look at %s: %w", p.Host, err)
	}
	w := &walker{device: st.Dev, buf: sealHead(p, st.Dev)}
	w.add(&st, ".")
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		if err := w.walk(unix.AT_FDCWD, p.Host, ""); err != nil {
			return nil, time.Time{}, err
		}
	}
	return w.buf, time.Unix(0, w.newest), nil
}

type walker struct {
	device uint64
	buf    []byte
	newest int64
}

func (w *walker) add(st *unix.Stat_t, name string) {
	s := stampOf(st)
	w.newest = max(w.newest, s.ctime)
	w.buf = s.append(w.buf, name)
}

func (w *walker) walk(at int, name, prefix string) error {
	fd, err := openFolder(at, name, unix.O_RDONLY)
	if err != nil {
		return fmt.Errorf("open %s%s: %w", prefix, name, err)
	}
	dir := os.NewFile(uintptr(fd), name)
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return fmt.Errorf("list %s%s: %w", prefix, name, err)
	}
	slices.Sort(names)
	for _, n := range names {
		var st unix.Stat_t
		if err := unix.Fstatat(fd, n, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return fmt.Errorf("look at %s%s: %w", prefix, n, err)
		}
		if st.Dev != w.device {
			return fmt.Errorf("%s%s is on another file system", prefix, n)
		}
		w.add(&st, prefix+n)
		if st.Mode&unix.S_IFMT == unix.S_IFDIR {
			if err := w.walk(fd, n, prefix+n+"/"); err != nil {
				return err
			}
		}
	}
	return nil
}

func openFolder(at int, name string, how int) (int, error) {
	for {
		fd, err := unix.Openat(at, name, how|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// holds compares the path with its seal and returns "" or what differs. Folders
// are not listed: a name that comes, goes or changes would change the folder's
// own ctime.
func holds(p Path, seal []byte) string {
	var st unix.Stat_t
	if err := unix.Lstat(p.Host, &st); err != nil {
		return err.Error()
	}
	rest, ok := bytes.CutPrefix(seal, sealHead(p, st.Dev))
	if !ok {
		return "its seal is for another content or device"
	}
	first, rest, _ := bytes.Cut(rest, []byte{0})
	if !bytes.Equal(first, trimEnd(stampOf(&st).append(nil, "."))) {
		return "the path itself has changed since it was sealed"
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return leftOver(rest)
	}
	fd, err := openFolder(unix.AT_FDCWD, p.Host, unix.O_PATH)
	if err != nil {
		return err.Error()
	}
	c := &comparer{device: st.Dev, open: []folder{{"", fd}}}
	defer c.close()
	for len(rest) > 0 {
		record, after, whole := bytes.Cut(rest, []byte{0})
		if !whole {
			return "its seal is cut short"
		}
		if bad := c.compare(record); bad != "" {
			return bad
		}
		rest = after
	}
	return ""
}

func leftOver(rest []byte) string {
	if len(rest) > 0 {
		return "its seal speaks of files below a file"
	}
	return ""
}

func trimEnd(b []byte) []byte { return b[:len(b)-1] }

type comparer struct {
	device uint64
	open   []folder // the folders from the root to where the comparison stands
	buf    []byte
}

func (c *comparer) close() {
	for _, f := range c.open {
		unix.Close(f.fd)
	}
}

// compare looks at the file of one record.
func (c *comparer) compare(record []byte) string {
	name := nameIn(record)
	for len(c.open) > 1 && !strings.HasPrefix(name, c.open[len(c.open)-1].name) {
		unix.Close(c.open[len(c.open)-1].fd)
		c.open = c.open[:len(c.open)-1]
	}
	top := c.open[len(c.open)-1]
	base := strings.TrimPrefix(name, top.name)
	if base == "" || path.Base(name) != base {
		return "its seal is out of order"
	}
	var st unix.Stat_t
	if err := unix.Fstatat(top.fd, base, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return name + ": " + err.Error()
	}
	c.buf = trimEnd(stampOf(&st).append(c.buf[:0], name))
	if st.Dev != c.device || !bytes.Equal(c.buf, record) {
		return name + " has changed since it was sealed"
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		fd, err := openFolder(top.fd, base, unix.O_PATH)
		if err != nil {
			return name + ": " + err.Error()
		}
		c.open = append(c.open, folder{name + "/", fd})
	}
	return ""
}

// nameIn is what follows the four numbers of a record.
func nameIn(record []byte) string {
	for range 4 {
		_, after, ok := bytes.Cut(record, []byte{' '})
		if !ok {
			return ""
		}
		record = after
	}
	return string(record)
}
