package wasi

import (
	"hash/fnv"
	"io/fs"
	"slices"
	"strings"

	wsys "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/sys"
)

// A node is one file, folder or symlink that a guest can name.
type node interface {
	stat() sys.Stat_t
	child(name string) (node, wsys.Errno) // of a folder; else ENOTDIR
	list() ([]wsys.Dirent, wsys.Errno)    // of a folder, sorted by name
	target() string                       // of a symlink
	open(v *vfs, flag wsys.Oflag) (wsys.File, wsys.Errno)
}

func isDir(n node) bool  { return n.stat().Mode.IsDir() }
func isLink(n node) bool { return n.stat().Mode&fs.ModeSymlink != 0 }

// writes reports whether an open asks for more than reading.
func writes(flag wsys.Oflag) bool {
	return flag&(wsys.O_RDWR|wsys.O_WRONLY|wsys.O_CREAT|wsys.O_TRUNC|wsys.O_APPEND) != 0
}

// inode numbers a node that has no number of its own by its path, the same on every system.
func inode(path string) sys.Inode {
	h := fnv.New64a()
	h.Write([]byte(path))
	return h.Sum64() | 1<<63 // no number of a node in memory
}

func sorted(entries []wsys.Dirent) []wsys.Dirent {
	slices.SortFunc(entries, func(a, b wsys.Dirent) int { return strings.Compare(a.Name, b.Name) })
	return entries
}

// A folder is an open folder. What it lists is read once, and again after a rewind.
type folder struct {
	wsys.DirFile
	wsys.UnimplementedFile
	v       *vfs
	node    node
	entries []wsys.Dirent
	read    bool
	at      int
	closed  bool
}

func (f *folder) IsDir() (bool, wsys.Errno)              { return true, 0 }
func (f *folder) IsAppend() bool                         { return false }
func (f *folder) SetAppend(bool) wsys.Errno              { return wsys.EISDIR }
func (f *folder) Read([]byte) (int, wsys.Errno)          { return 0, wsys.EISDIR }
func (f *folder) Pread([]byte, int64) (int, wsys.Errno)  { return 0, wsys.EISDIR }
func (f *folder) Write([]byte) (int, wsys.Errno)         { return 0, wsys.EISDIR }
func (f *folder) Pwrite([]byte, int64) (int, wsys.Errno) { return 0, wsys.EISDIR }
func (f *folder) Truncate(int64) wsys.Errno              { return wsys.EISDIR }
func (f *folder) Sync() wsys.Errno                       { return 0 }
func (f *folder) Datasync() wsys.Errno                   { return 0 }
func (f *folder) Dev() (uint64, wsys.Errno)              { return device, 0 }
func (f *folder) Ino() (sys.Inode, wsys.Errno)           { return f.node.stat().Ino, 0 }
func (f *folder) Stat() (sys.Stat_t, wsys.Errno)         { return f.node.stat(), 0 }
func (f *folder) Utimens(atim, mtim int64) wsys.Errno    { return f.v.utimens(f.node, mtim) }

func (f *folder) Seek(offset position, whence int) (position, wsys.Errno) {
	if offset != 0 || whence != 0 {
		return 0, wsys.EINVAL
	}
	f.read, f.at = false, 0
	return 0, 0
}

func (f *folder) Readdir(n int) ([]wsys.Dirent, wsys.Errno) {
	if !f.read {
		entries, errno := f.node.list()
		if errno != 0 {
			return nil, errno
		}
		f.entries, f.read, f.at = entries, true, 0
	}
	rest := f.entries[f.at:]
	if n > 0 && n < len(rest) {
		rest = rest[:n]
	}
	f.at += len(rest)
	return rest, 0
}

func (f *folder) Close() wsys.Errno {
	if !f.closed {
		f.closed = true
		f.v.opened--
	}
	return 0
}

// position is an offset in an open file. The runtime wants a Seek that reports its own kind of error, which go vet takes for a slip
// where the types are those of io.Seeker by name.
type position = int64
