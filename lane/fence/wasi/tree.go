package wasi

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"

	wsys "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/sys"

	"github.com/vallane/lane/lane/fence"
)

// A tree is a folder of the host, with changes laid over it, that is only read.
type tree struct {
	root    *os.Root // nil for an empty tree
	changes map[string]fence.Change
	folders map[string][]string // folders that changes need, with the names that these put into them
	mtime   int64
}

func newTree(root *os.Root, changes map[string]fence.Change, mtime int64) *tree {
	t := &tree{root: root, changes: map[string]fence.Change{}, folders: map[string][]string{}, mtime: mtime}
	for name, c := range changes {
		name = path.Clean(name)
		t.changes[name] = c
		if c.Delete {
			continue
		}
		for at := name; at != "."; at = path.Dir(at) {
			dir := path.Dir(at)
			t.folders[dir] = append(t.folders[dir], path.Base(at))
		}
	}
	return t
}

// top is the tree's own folder.
func (t *tree) top() node { return &treeNode{t: t, rel: ".", mode: fs.ModeDir | 0o755} }

// A treeNode is one path of a tree. That it is no symlink's other side is seen to by the walk that leads there.
type treeNode struct {
	t    *tree
	rel  string
	mode fs.FileMode
	size int64
	data []byte // of a change, and the target of a symlink
	laid bool   // data is what it holds
}

func (n *treeNode) stat() sys.Stat_t {
	return sys.Stat_t{Dev: device, Ino: inode(n.rel), Mode: n.mode, Nlink: 1, Size: n.size, Atim: n.t.mtime, Mtim: n.t.mtime, Ctim: n.t.mtime}
}

func (n *treeNode) target() string { return string(n.data) }

func (n *treeNode) child(name string) (node, wsys.Errno) {
	if !n.mode.IsDir() {
		return nil, wsys.ENOTDIR
	}
	if !fs.ValidPath(name) && !validName(name) {
		return nil, wsys.ENOENT
	}
	rel := path.Join(n.rel, name)
	c, changed := n.t.changes[rel]
	switch {
	case changed && !c.Delete:
		return n.t.change(rel, c), 0
	case len(n.t.folders[rel]) > 0:
		return &treeNode{t: n.t, rel: rel, mode: fs.ModeDir | 0o755}, 0
	case changed || n.t.root == nil:
		return nil, wsys.ENOENT
	}
	info, err := n.t.root.Lstat(rel)
	if err != nil {
		return nil, errnoOf(err)
	}
	return n.t.host(rel, info)
}

// validName takes a name of any bytes that a folder can hold.
func validName(name string) bool {
	for i := range len(name) {
		if name[i] == '/' || name[i] == 0 {
			return false
		}
	}
	return name != "" && name != "." && name != ".."
}

// host is what lies on the host. What is no file, folder or symlink is not there.
func (t *tree) host(rel string, info fs.FileInfo) (node, wsys.Errno) {
	n := &treeNode{t: t, rel: rel, mode: info.Mode().Type() | info.Mode().Perm()}
	switch {
	case info.IsDir():
	case info.Mode().IsRegular():
		n.size = info.Size()
	case info.Mode().Type() == fs.ModeSymlink:
		to, err := t.root.Readlink(rel)
		if err != nil {
			return nil, errnoOf(err)
		}
		n.mode, n.data, n.size = fs.ModeSymlink|0o777, []byte(to), int64(len(to))
	default:
		return nil, wsys.ENOENT
	}
	return n, 0
}

func (t *tree) change(rel string, c fence.Change) node {
	n := &treeNode{t: t, rel: rel, mode: c.Mode.Perm() | c.Mode&fs.ModeSymlink, size: int64(len(c.Data)), data: c.Data, laid: true}
	if c.Mode == 0 {
		n.mode = 0o644
		if t.root != nil {
			if info, err := t.root.Lstat(rel); err == nil && info.Mode().IsRegular() {
				n.mode = info.Mode().Perm()
			}
		}
	}
	return n
}

func (n *treeNode) list() ([]wsys.Dirent, wsys.Errno) {
	if !n.mode.IsDir() {
		return nil, wsys.ENOTDIR
	}
	names := map[string]fs.FileMode{}
	if _, gone := n.t.changes[n.rel]; !gone && n.t.root != nil {
		entries, errno := n.hostEntries()
		if errno != 0 {
			return nil, errno
		}
		for _, e := range entries {
			if t := e.Type(); t == 0 || t == fs.ModeDir || t == fs.ModeSymlink {
				names[e.Name()] = t
			}
		}
	}
	for name := range names {
		if c, ok := n.t.changes[path.Join(n.rel, name)]; ok && c.Delete {
			delete(names, name)
		}
	}
	for _, name := range n.t.folders[n.rel] {
		if c, err := n.child(name); err == 0 {
			names[name] = c.stat().Mode.Type()
		}
	}
	out := make([]wsys.Dirent, 0, len(names))
	for name, t := range names {
		out = append(out, wsys.Dirent{Name: name, Ino: inode(path.Join(n.rel, name)), Type: t})
	}
	return sorted(out), 0
}

// hostEntries reads the folder of the host, which a change may have made where the host has none.
func (n *treeNode) hostEntries() ([]fs.DirEntry, wsys.Errno) {
	f, err := n.t.root.Open(n.rel)
	if err != nil && errors.Is(err, fs.ErrNotExist) && len(n.t.folders[n.rel]) > 0 {
		return nil, 0
	}
	if err != nil {
		return nil, errnoOf(err)
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	return entries, errnoOf(err)
}

func (n *treeNode) open(v *vfs, flag wsys.Oflag) (wsys.File, wsys.Errno) {
	if writes(flag) {
		return nil, wsys.EROFS
	}
	if n.laid {
		m := &memory{ino: inode(n.rel), mode: n.mode, mtime: n.t.mtime, data: n.data, fixed: true}
		return m.open(v, flag)
	}
	f, err := n.t.root.OpenFile(n.rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, errnoOf(err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, wsys.EACCES
	}
	return &treeFile{v: v, n: n, f: f}, 0
}

// A treeFile is an open file of the host's tree.
type treeFile struct {
	wsys.UnimplementedFile
	v      *vfs
	n      *treeNode
	f      *os.File
	at     int64
	closed bool
}

func (f *treeFile) Dev() (uint64, wsys.Errno)              { return device, 0 }
func (f *treeFile) Ino() (sys.Inode, wsys.Errno)           { return inode(f.n.rel), 0 }
func (f *treeFile) IsDir() (bool, wsys.Errno)              { return false, 0 }
func (f *treeFile) IsAppend() bool                         { return false }
func (f *treeFile) SetAppend(bool) wsys.Errno              { return 0 }
func (f *treeFile) Stat() (sys.Stat_t, wsys.Errno)         { return f.n.stat(), 0 }
func (f *treeFile) Sync() wsys.Errno                       { return 0 }
func (f *treeFile) Datasync() wsys.Errno                   { return 0 }
func (f *treeFile) Write([]byte) (int, wsys.Errno)         { return 0, wsys.EBADF }
func (f *treeFile) Pwrite([]byte, int64) (int, wsys.Errno) { return 0, wsys.EBADF }
func (f *treeFile) Truncate(int64) wsys.Errno              { return wsys.EBADF }
func (f *treeFile) Utimens(int64, int64) wsys.Errno        { return wsys.EROFS }

func (f *treeFile) Read(b []byte) (int, wsys.Errno) {
	n, errno := f.Pread(b, f.at)
	f.at += int64(n)
	return n, errno
}

func (f *treeFile) Pread(b []byte, off int64) (int, wsys.Errno) {
	if off < 0 {
		return 0, wsys.EINVAL
	}
	n, err := f.f.ReadAt(b, off)
	if n > 0 {
		return n, 0
	}
	return 0, errnoOf(err)
}

func (f *treeFile) Seek(offset position, whence int) (position, wsys.Errno) {
	to, errno := seek(f.at, f.n.size, offset, whence)
	if errno == 0 {
		f.at = to
	}
	return to, errno
}

func (f *treeFile) Close() wsys.Errno {
	if !f.closed {
		f.closed = true
		f.v.opened--
		f.f.Close()
	}
	return 0
}
