package wasi

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	wsys "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/sys"

	"github.com/vallane/lane/lane/fence"
)

// Bounds of a guest's files.
const (
	maxLinks  = 40   // symlinks on the way to one file
	maxPath   = 4096 // bytes of a path
	maxOpened = 1024 // open files and folders
	perInode  = 512  // bytes that a file, folder or link costs beside what it holds
)

// A vfs is all that a guest can name. It is used by one guest, which has one thread.
type vfs struct {
	wsys.UnimplementedFS
	root   *memory
	clock  *clock
	opened int

	used, limit  int64 // bytes held in memory; a limit of 0 is none
	inodes, most int
	last         sys.Inode
	full         bool // a limit was met
}

// newFiles makes the root: an empty /tmp and HOME, the tree, and Lane's files.
func newFiles(c *clock, t *tree, limits fence.Limits) *vfs {
	v := &vfs{clock: c, limit: limits.Disk, most: limits.Inodes}
	v.root = v.folder(true)
	v.root.children["tmp"] = v.folder(false)
	v.root.children[path.Base(fence.TreeDir)] = t.top()
	v.place(fence.HomeDir, v.folder(false))
	v.place(fence.FilesDir, v.folder(true))
	v.used, v.inodes = 0, 0
	return v
}

func (v *vfs) folder(fixed bool) *memory {
	m := v.node(fs.ModeDir|0o755, nil)
	m.children, m.fixed = map[string]node{}, fixed
	return m
}

func (v *vfs) node(mode fs.FileMode, data []byte) *memory {
	v.last++
	return &memory{ino: v.last, mode: mode, mtime: v.clock.now().UnixNano(), data: data, links: 1}
}

// place puts a node of Lane's own at an absolute path, with the folders that lead there.
func (v *vfs) place(at string, n node) {
	dir := v.root
	names := strings.Split(strings.Trim(path.Clean(at), "/"), "/")
	for _, name := range names[:len(names)-1] {
		next, ok := dir.children[name].(*memory)
		if !ok || next.children == nil {
			next = v.folder(true)
			dir.children[name] = next
		}
		dir = next
	}
	dir.children[names[len(names)-1]] = n
}

// lay puts a file of Lane's own at an absolute path.
func (v *vfs) lay(at string, f fence.File) {
	mode := f.Mode.Perm()
	if mode == 0 {
		mode = 0o444
	}
	m := v.node(mode, f.Data)
	m.fixed = true
	v.place(at, m)
}

// A spot is where a path leads.
type spot struct {
	above []node // folders from the root to the last one
	name  string // in the last of them; "" for the root, "." and ".."
	node  node   // nil where nothing has that name
}

func (s *spot) dir() node { return s.above[len(s.above)-1] }

// walk follows a path from the root. A symlink at its end is followed where follow says so. A missing last name is no error.
func (v *vfs) walk(name string, follow bool) (spot, wsys.Errno) {
	if len(name) > maxPath {
		return spot{}, wsys.ENAMETOOLONG
	}
	mustBeDir := strings.HasSuffix(name, "/")
	todo := strings.Split(name, "/")
	above := []node{v.root}
	links := 0
	for {
		for len(todo) > 0 && todo[len(todo)-1] == "" {
			todo = todo[:len(todo)-1]
		}
		if len(todo) == 0 {
			return spot{above: above[:max(len(above)-1, 1)], node: above[len(above)-1]}, 0
		}
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			above = above[:max(len(above)-1, 1)]
			continue
		}
		dir := above[len(above)-1]
		n, errno := dir.child(part)
		last := len(todo) == 0
		if errno == wsys.ENOENT && last {
			return spot{above: above, name: part}, 0
		}
		if errno != 0 {
			return spot{}, errno
		}
		if isLink(n) && (!last || follow || mustBeDir) {
			if links++; links > maxLinks {
				return spot{}, wsys.ELOOP
			}
			to := n.target()
			if to == "" || len(to) > maxPath {
				return spot{}, wsys.ENOENT
			}
			if path.IsAbs(to) {
				above = above[:1]
			}
			todo = append(strings.Split(to, "/"), todo...)
			continue
		}
		if last {
			if mustBeDir && !isDir(n) {
				return spot{}, wsys.ENOTDIR
			}
			return spot{above: above, name: part, node: n}, 0
		}
		if !isDir(n) {
			return spot{}, wsys.ENOTDIR
		}
		above = append(slices.Clip(above), n)
	}
}

// changeable is the folder of a spot, where the guest may make and remove names.
func changeable(s *spot) (*memory, wsys.Errno) {
	if s.name == "" {
		return nil, wsys.EINVAL
	}
	m, ok := s.dir().(*memory)
	if !ok || m.fixed {
		return nil, wsys.EROFS
	}
	return m, 0
}

// add gives a new node a name, within the limits.
func (v *vfs) add(dir *memory, name string, m *memory) wsys.Errno {
	cost := int64(perInode + len(name) + len(m.data))
	if v.limit > 0 && v.used+cost > v.limit || v.most > 0 && v.inodes >= v.most {
		v.full = true
		return wsys.EIO
	}
	v.used += cost - int64(len(name))
	v.inodes++
	dir.children[name] = m
	dir.mtime = m.mtime
	return 0
}

// resize changes the length of a file, within the limits.
func (v *vfs) resize(m *memory, size int64) wsys.Errno {
	more := size - int64(len(m.data))
	switch {
	case size < 0:
		return wsys.EINVAL
	case v.limit > 0 && more > 0 && v.used+more > v.limit:
		v.full = true
		return wsys.EIO
	case more > 0:
		m.data = append(m.data, make([]byte, more)...)
	default:
		clear(m.data[size:])
		m.data = m.data[:size]
		if size == 0 {
			m.data = nil
		}
	}
	v.used += more
	m.mtime = v.clock.now().UnixNano()
	return 0
}

// release gives the space of a node back that has neither a name nor an open file.
func (v *vfs) release(m *memory) {
	if m.links > 0 || m.handles > 0 || m.fixed {
		return
	}
	v.used -= int64(perInode + len(m.data))
	v.inodes--
	m.data = nil
}

func (v *vfs) remove(dir *memory, name string, n node) {
	delete(dir.children, name)
	dir.mtime = v.clock.now().UnixNano()
	if m, ok := n.(*memory); ok {
		m.links--
		v.release(m)
	}
}

func (v *vfs) utimens(n node, mtim int64) wsys.Errno {
	m, ok := n.(*memory)
	if !ok || m.fixed {
		return wsys.EROFS
	}
	if mtim != wsys.UTIME_OMIT {
		m.mtime = mtim
	}
	return 0
}

// OpenFile opens what a path leads to, and makes it where it may.
func (v *vfs) OpenFile(name string, flag wsys.Oflag, perm fs.FileMode) (wsys.File, wsys.Errno) {
	s, errno := v.walk(name, flag&wsys.O_NOFOLLOW == 0)
	if errno != 0 {
		return nil, errno
	}
	if v.opened >= maxOpened {
		return nil, wsys.EAGAIN // there is no better word in the runtime's list of errors
	}
	switch {
	case s.node == nil && flag&wsys.O_CREAT == 0:
		return nil, wsys.ENOENT
	case s.node == nil:
		dir, errno := changeable(&s)
		if errno != 0 {
			return nil, errno
		}
		m := v.node(0o644, nil)
		if errno := v.add(dir, s.name, m); errno != 0 {
			return nil, errno
		}
		s.node = m
	case flag&wsys.O_CREAT != 0 && flag&wsys.O_EXCL != 0:
		return nil, wsys.EEXIST
	}
	var f wsys.File
	switch {
	case isLink(s.node):
		return nil, wsys.ELOOP
	case isDir(s.node) && (writes(flag)):
		return nil, wsys.EISDIR
	case isDir(s.node):
		f = &folder{v: v, node: s.node}
	case flag&wsys.O_DIRECTORY != 0:
		return nil, wsys.ENOTDIR
	default:
		if f, errno = s.node.open(v, flag); errno != 0 {
			return nil, errno
		}
	}
	v.opened++
	return f, 0
}

func (v *vfs) at(name string, follow bool) (spot, wsys.Errno) {
	s, errno := v.walk(name, follow)
	if errno == 0 && s.node == nil {
		errno = wsys.ENOENT
	}
	return s, errno
}

// Lstat looks at a path and follows no symlink at its end.
func (v *vfs) Lstat(name string) (sys.Stat_t, wsys.Errno) { return v.look(name, false) }

// Stat looks at what a path leads to.
func (v *vfs) Stat(name string) (sys.Stat_t, wsys.Errno) { return v.look(name, true) }

func (v *vfs) look(name string, follow bool) (sys.Stat_t, wsys.Errno) {
	s, errno := v.at(name, follow)
	if errno != 0 {
		return sys.Stat_t{}, errno
	}
	return s.node.stat(), 0
}

// vacant is the folder in which a path can be made.
func (v *vfs) vacant(name string) (*memory, string, wsys.Errno) {
	s, errno := v.walk(strings.TrimRight(name, "/"), false)
	if errno != 0 {
		return nil, "", errno
	}
	if s.node != nil {
		return nil, "", wsys.EEXIST
	}
	dir, errno := changeable(&s)
	return dir, s.name, errno
}

// Mkdir makes a folder.
func (v *vfs) Mkdir(name string, perm fs.FileMode) wsys.Errno {
	dir, base, errno := v.vacant(name)
	if errno != 0 {
		return errno
	}
	return v.add(dir, base, v.folder(false))
}

// Symlink makes a symlink. Where it leads is looked at when it is followed, from the guest's own root.
func (v *vfs) Symlink(to, name string) wsys.Errno {
	if to == "" || len(to) > maxPath {
		return wsys.EINVAL
	}
	dir, base, errno := v.vacant(name)
	if errno != 0 {
		return errno
	}
	return v.add(dir, base, v.node(fs.ModeSymlink|0o777, []byte(to)))
}

// Link gives a file a second name.
func (v *vfs) Link(from, to string) wsys.Errno {
	s, errno := v.at(from, false)
	if errno != 0 {
		return errno
	}
	m, ok := s.node.(*memory)
	switch {
	case !ok || m.fixed:
		return wsys.EROFS
	case m.children != nil:
		return wsys.EPERM
	}
	dir, base, errno := v.vacant(to)
	if errno != 0 {
		return errno
	}
	dir.children[base] = m
	m.links++
	return 0
}

// Readlink says where a symlink leads.
func (v *vfs) Readlink(name string) (string, wsys.Errno) {
	s, errno := v.at(name, false)
	switch {
	case errno != 0:
		return "", errno
	case !isLink(s.node):
		return "", wsys.EINVAL
	}
	return s.node.target(), 0
}

// Chmod changes permissions, which nothing asks for.
func (v *vfs) Chmod(name string, perm fs.FileMode) wsys.Errno {
	s, errno := v.at(name, true)
	if errno != 0 {
		return errno
	}
	m, ok := s.node.(*memory)
	if !ok || m.fixed {
		return wsys.EROFS
	}
	m.mode = m.mode.Type() | perm.Perm()
	return 0
}

// Utimens sets the time of a change.
func (v *vfs) Utimens(name string, atim, mtim int64) wsys.Errno {
	s, errno := v.at(name, true)
	if errno != 0 {
		return errno
	}
	return v.utimens(s.node, mtim)
}

// Rmdir removes an empty folder.
func (v *vfs) Rmdir(name string) wsys.Errno {
	s, errno := v.at(strings.TrimRight(name, "/"), false)
	if errno != 0 {
		return errno
	}
	if !isDir(s.node) {
		return wsys.ENOTDIR
	}
	dir, errno := changeable(&s)
	if errno != 0 {
		return errno
	}
	if m, ok := s.node.(*memory); !ok || m.fixed {
		return wsys.EROFS
	} else if len(m.children) > 0 {
		return wsys.ENOTEMPTY
	}
	v.remove(dir, s.name, s.node)
	return 0
}

// Unlink removes a name that is no folder's.
func (v *vfs) Unlink(name string) wsys.Errno {
	s, errno := v.at(name, false)
	if errno != 0 {
		return errno
	}
	if isDir(s.node) {
		return wsys.EISDIR
	}
	dir, errno := changeable(&s)
	if errno != 0 {
		return errno
	}
	v.remove(dir, s.name, s.node)
	return 0
}

// Rename moves a name. Neither side may be in the tree.
func (v *vfs) Rename(from, to string) wsys.Errno {
	a, errno := v.at(strings.TrimRight(from, "/"), false)
	if errno != 0 {
		return errno
	}
	b, errno := v.walk(strings.TrimRight(to, "/"), false)
	if errno != 0 {
		return errno
	}
	fromDir, errno := changeable(&a)
	if errno != 0 {
		return errno
	}
	toDir, errno := changeable(&b)
	if errno != 0 {
		return errno
	}
	switch {
	case a.node == b.node:
		return 0
	case slices.Contains(b.above, a.node):
		return wsys.EINVAL
	case b.node == nil:
	case isDir(a.node) && !isDir(b.node):
		return wsys.ENOTDIR
	case !isDir(a.node) && isDir(b.node):
		return wsys.EISDIR
	case isDir(b.node) && len(b.node.(*memory).children) > 0:
		return wsys.ENOTEMPTY
	}
	delete(fromDir.children, a.name)
	if b.node != nil {
		v.remove(toDir, b.name, b.node)
	}
	toDir.children[b.name] = a.node
	now := v.clock.now().UnixNano()
	fromDir.mtime, toDir.mtime = now, now
	return 0
}

// collect reads a regular file that the guest left in memory, through no symlink.
func (v *vfs) collect(name string, most int64) (data []byte, why string) {
	s, errno := v.at(name, false)
	m, _ := s.node.(*memory)
	switch {
	case errno != 0:
		return nil, errno.Error()
	case m == nil || !m.mode.IsRegular():
		return nil, "not a regular file"
	case int64(len(m.data)) > most:
		return nil, "too large"
	}
	return m.data, ""
}

// errnoOf finds the guest's word for an error of the host's.
func errnoOf(err error) wsys.Errno {
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return 0
	case errors.Is(err, fs.ErrNotExist):
		return wsys.ENOENT
	case errors.Is(err, fs.ErrPermission):
		return wsys.EACCES
	}
	return wsys.EIO
}

func timeOr(t time.Time) time.Time {
	if t.IsZero() {
		return time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return t
}
