package nar

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// magic opens every archive; it is the first string, with its own length.
const magic = "nix-archive-1"

// chunk is how much of a file is copied between two looks at the context.
const chunk = 256 << 10

// Dump writes the archive of the file, folder or symlink at path to w. A
// symlink is archived as itself and never followed. Anything else than a file,
// folder or symlink, and a file whose length changes under the reader, is an
// error that names it.
func Dump(w io.Writer, path string) error {
	return DumpContext(context.Background(), w, path)
}

// DumpContext is Dump, ended early by ctx: between two entries, and within a
// large file.
func DumpContext(ctx context.Context, w io.Writer, path string) error {
	d := &dumper{ctx: ctx, w: bufio.NewWriterSize(w, chunk), buf: make([]byte, chunk)}
	d.str(magic)
	d.node(path)
	if d.err == nil {
		d.err = d.w.Flush()
	}
	return d.err
}

// dumper keeps the first error and turns every later call into nothing, so
// that the format below reads like its grammar.
type dumper struct {
	ctx context.Context
	w   *bufio.Writer
	buf []byte
	err error
}

func (d *dumper) node(path string) {
	if d.err != nil {
		return
	}
	if d.err = d.ctx.Err(); d.err != nil {
		return
	}
	info, err := os.Lstat(path)
	if err != nil {
		d.err = fmt.Errorf("archive %s: %w", path, cause(err))
		return
	}
	d.str("(", "type")
	switch info.Mode().Type() {
	case 0:
		d.file(path, info)
	case fs.ModeDir:
		d.folder(path)
	case fs.ModeSymlink:
		d.link(path)
	default:
		d.err = fmt.Errorf("archive %s: a %s cannot be in an archive", path, kind(info.Mode()))
	}
	d.str(")")
}

func (d *dumper) file(path string, info fs.FileInfo) {
	d.str("regular")
	// Nix looks at the owner's bit alone.
	if info.Mode()&0o100 != 0 {
		d.str("executable", "")
	}
	d.str("contents")
	size := info.Size()
	d.length(size)
	if d.err != nil {
		return
	}
	f, err := os.Open(path)
	if err != nil {
		d.err = fmt.Errorf("archive %s: %w", path, cause(err))
		return
	}
	defer f.Close()
	var n int64
	for d.err == nil {
		got, err := f.Read(d.buf)
		if n += int64(got); n > size {
			break
		}
		if _, werr := d.w.Write(d.buf[:got]); werr != nil {
			d.err = werr
			return
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			d.err = fmt.Errorf("archive %s: %w", path, cause(err))
			return
		}
		d.err = d.ctx.Err()
	}
	if d.err == nil && n != size {
		d.err = fmt.Errorf("archive %s: its length changed while it was read", path)
	}
	d.pad(size)
}

func (d *dumper) folder(path string) {
	d.str("directory")
	// os.ReadDir sorts by bytes, which is the order that the format wants.
	entries, err := os.ReadDir(path)
	if err != nil {
		d.err = fmt.Errorf("archive %s: %w", path, cause(err))
		return
	}
	for _, e := range entries {
		d.str("entry", "(", "name", e.Name(), "node")
		d.node(filepath.Join(path, e.Name()))
		d.str(")")
		if d.err != nil {
			return
		}
	}
}

func (d *dumper) link(path string) {
	target, err := os.Readlink(path)
	if err != nil {
		d.err = fmt.Errorf("archive %s: %w", path, cause(err))
		return
	}
	d.str("symlink", "target", target)
}

// str writes each string as the format has it: length, bytes, zeros up to a
// multiple of eight.
func (d *dumper) str(all ...string) {
	for _, s := range all {
		d.length(int64(len(s)))
		if d.err == nil {
			_, d.err = d.w.WriteString(s)
		}
		d.pad(int64(len(s)))
	}
}

func (d *dumper) length(n int64) {
	if d.err != nil {
		return
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	_, d.err = d.w.Write(b[:])
}

func (d *dumper) pad(n int64) {
	if rest := n % 8; rest != 0 && d.err == nil {
		var zeros [8]byte
		_, d.err = d.w.Write(zeros[:8-rest])
	}
}

// cause strips the path from an error whose message would repeat it, and keeps
// what a caller tests for (fs.ErrNotExist).
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func kind(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "named pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeDevice != 0:
		return "device"
	}
	return "file of mode " + strconv.FormatUint(uint64(m), 8)
}
