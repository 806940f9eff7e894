package wasi

import (
	"io/fs"

	wsys "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/sys"

	"github.com/vallane/lane/lane/fence"
)

// EventsPath is where a guest writes its records: each write is one. It can be opened for writing only.
const EventsPath = fence.FilesDir + "/events"

// events is the node at EventsPath.
type events struct {
	*memory
	emit func(rec []byte)
}

func (e *events) open(v *vfs, flag wsys.Oflag) (wsys.File, wsys.Errno) {
	if flag&wsys.O_WRONLY == 0 {
		return nil, wsys.EACCES
	}
	return &eventsFile{v: v, e: e}, 0
}

type eventsFile struct {
	wsys.UnimplementedFile
	v      *vfs
	e      *events
	closed bool
}

func (f *eventsFile) IsDir() (bool, wsys.Errno)        { return false, 0 }
func (f *eventsFile) Dev() (uint64, wsys.Errno)        { return device, 0 }
func (f *eventsFile) Ino() (sys.Inode, wsys.Errno)     { return f.e.ino, 0 }
func (f *eventsFile) Stat() (sys.Stat_t, wsys.Errno)   { return f.e.stat(), 0 }
func (f *eventsFile) Read([]byte) (int, wsys.Errno)    { return 0, wsys.EBADF }
func (f *eventsFile) Write(b []byte) (int, wsys.Errno) { f.e.emit(b); return len(b), 0 }

func (f *eventsFile) Close() wsys.Errno {
	if !f.closed {
		f.closed = true
		f.v.opened--
	}
	return 0
}

func newEvents(v *vfs, emit func([]byte)) *events {
	m := v.node(fs.ModeCharDevice|fs.ModeDevice|0o222, nil)
	m.fixed = true
	return &events{m, emit}
}
