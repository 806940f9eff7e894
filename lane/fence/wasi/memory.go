package wasi

import (
	"io"
	"io/fs"

	wsys "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/sys"
)

// device is the one device that all nodes are on.
const device = 1

// A memory is a node that is held in memory: a folder where children is not nil, else what its mode says.
type memory struct {
	ino      sys.Inode
	mode     fs.FileMode // with the type
	mtime    int64       // nanoseconds since 1970
	data     []byte      // of a file, or the target of a symlink
	children map[string]node
	fixed    bool // nobody may change it, or what is in it
	links    int  // names that it has
	handles  int  // open files of it
}

func (m *memory) stat() sys.Stat_t {
	return sys.Stat_t{Dev: device, Ino: m.ino, Mode: m.mode, Nlink: 1, Size: int64(len(m.data)), Atim: m.mtime, Mtim: m.mtime, Ctim: m.mtime}
}

func (m *memory) child(name string) (node, wsys.Errno) {
	if m.children == nil {
		return nil, wsys.ENOTDIR
	}
	if n, ok := m.children[name]; ok {
		return n, 0
	}
	return nil, wsys.ENOENT
}

func (m *memory) list() ([]wsys.Dirent, wsys.Errno) {
	if m.children == nil {
		return nil, wsys.ENOTDIR
	}
	out := make([]wsys.Dirent, 0, len(m.children))
	for name, n := range m.children {
		st := n.stat()
		out = append(out, wsys.Dirent{Name: name, Ino: st.Ino, Type: st.Mode.Type()})
	}
	return sorted(out), 0
}

func (m *memory) target() string { return string(m.data) }

func (m *memory) open(v *vfs, flag wsys.Oflag) (wsys.File, wsys.Errno) {
	if m.fixed && writes(flag) {
		return nil, wsys.EROFS
	}
	f := &memoryFile{v: v, m: m, append: flag&wsys.O_APPEND != 0}
	switch {
	case flag&wsys.O_RDWR != 0:
		f.reads, f.writes = true, true
	case flag&wsys.O_WRONLY != 0:
		f.writes = true
	default:
		f.reads = true
	}
	if flag&wsys.O_TRUNC != 0 {
		if errno := v.resize(m, 0); errno != 0 {
			return nil, errno
		}
	}
	m.handles++
	return f, 0
}

// A memoryFile is an open file that is held in memory.
type memoryFile struct {
	wsys.UnimplementedFile
	v             *vfs
	m             *memory
	at            int64
	append        bool
	reads, writes bool
	closed        bool
}

func (f *memoryFile) Dev() (uint64, wsys.Errno)           { return device, 0 }
func (f *memoryFile) Ino() (sys.Inode, wsys.Errno)        { return f.m.ino, 0 }
func (f *memoryFile) IsDir() (bool, wsys.Errno)           { return false, 0 }
func (f *memoryFile) IsAppend() bool                      { return f.append }
func (f *memoryFile) SetAppend(on bool) wsys.Errno        { f.append = on; return 0 }
func (f *memoryFile) Stat() (sys.Stat_t, wsys.Errno)      { return f.m.stat(), 0 }
func (f *memoryFile) Sync() wsys.Errno                    { return 0 }
func (f *memoryFile) Datasync() wsys.Errno                { return 0 }
func (f *memoryFile) Utimens(atim, mtim int64) wsys.Errno { return f.v.utimens(f.m, mtim) }

func (f *memoryFile) Read(b []byte) (int, wsys.Errno) {
	n, errno := f.Pread(b, f.at)
	f.at += int64(n)
	return n, errno
}

func (f *memoryFile) Pread(b []byte, off int64) (int, wsys.Errno) {
	switch {
	case !f.reads:
		return 0, wsys.EBADF
	case off < 0:
		return 0, wsys.EINVAL
	case off >= int64(len(f.m.data)):
		return 0, 0
	}
	return copy(b, f.m.data[off:]), 0
}

func (f *memoryFile) Write(b []byte) (int, wsys.Errno) {
	if f.append {
		f.at = int64(len(f.m.data))
	}
	n, errno := f.Pwrite(b, f.at)
	f.at += int64(n)
	return n, errno
}

func (f *memoryFile) Pwrite(b []byte, off int64) (int, wsys.Errno) {
	switch {
	case !f.writes:
		return 0, wsys.EBADF
	case off < 0:
		return 0, wsys.EINVAL
	}
	if end := off + int64(len(b)); end < off {
		return 0, wsys.EINVAL
	} else if end > int64(len(f.m.data)) {
		if errno := f.v.resize(f.m, end); errno != 0 {
			return 0, errno
		}
	}
	f.m.mtime = f.v.clock.now().UnixNano()
	return copy(f.m.data[off:], b), 0
}

func (f *memoryFile) Truncate(size int64) wsys.Errno {
	if !f.writes {
		return wsys.EBADF
	}
	return f.v.resize(f.m, size)
}

func (f *memoryFile) Seek(offset position, whence int) (position, wsys.Errno) {
	to, errno := seek(f.at, int64(len(f.m.data)), offset, whence)
	if errno == 0 {
		f.at = to
	}
	return to, errno
}

func (f *memoryFile) Close() wsys.Errno {
	if !f.closed {
		f.closed = true
		f.m.handles--
		f.v.opened--
		f.v.release(f.m)
	}
	return 0
}

// seek is where an open file stands after a move.
func seek(at, size, offset int64, whence int) (int64, wsys.Errno) {
	switch whence {
	case io.SeekStart:
		at = 0
	case io.SeekEnd:
		at = size
	case io.SeekCurrent:
	default:
		return 0, wsys.EINVAL
	}
	if to := at + offset; to >= 0 && (offset < 0 || to >= at) {
		return to, 0
	}
	return 0, wsys.EINVAL
}
