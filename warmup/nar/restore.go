package nar

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// maxName and maxTarget bound what one string of an archive may make the reader allocate: a file's name, and a symlink's target.
const (
	maxName   = 255
	maxTarget = 4096
	maxDepth  = 1024 // folders within folders
)

// stored is the time that Nix gives to everything in its store.
var stored = time.Unix(1, 0)

// Restore unpacks the archive that r holds to path, which must not exist, and returns its sum. What it makes looks as in Nix's
// store: nobody may write to it, and its times are one second after 1970. The archive has to be in the one form that Nix writes:
// names sorted and once each, zeros as padding, nothing after its end. limit is the largest size of the archive in bytes.
//
// After an error what was unpacked so far is still there, for the caller to remove.
func Restore(ctx context.Context, r io.Reader, path string, limit int64) (Sum, error) {
	h := sha256.New()
	read := &io.LimitedReader{R: r, N: limit + 1}
	sum := &counter{w: h}
	u := &restorer{ctx: ctx, r: bufio.NewReaderSize(io.TeeReader(read, sum), chunk), buf: make([]byte, chunk)}
	u.want(magic)
	u.node(path, 0)
	if u.err == nil {
		if _, err := u.r.ReadByte(); err == nil {
			u.err = errors.New("something follows its end")
		} else if !errors.Is(err, io.EOF) {
			u.err = err
		}
	}
	if read.N <= 0 {
		u.err = fmt.Errorf("it is larger than %d bytes", limit)
	}
	if u.err != nil {
		return Sum{}, fmt.Errorf("unpack an archive: %w", u.err)
	}
	s := Sum{Size: sum.n}
	h.Sum(s.SHA256[:0])
	return s, nil
}

// restorer keeps the first error and turns every later call into nothing, as dumper does.
type restorer struct {
	ctx context.Context
	r   *bufio.Reader
	buf []byte
	err error
}

func (u *restorer) node(path string, depth int) {
	if u.err == nil {
		u.err = u.ctx.Err()
	}
	if depth > maxDepth {
		u.fail("it has more than %d folders within each other", maxDepth)
	}
	u.want("(")
	u.want("type")
	switch kind := u.str(maxName); {
	case u.err != nil:
	case kind == "regular":
		u.file(path)
	case kind == "directory":
		u.folder(path, depth)
	case kind == "symlink":
		u.want("target")
		u.link(path, u.str(maxTarget))
		u.want(")")
	default:
		u.fail("%q is no type of entry", kind)
	}
}

// file reads up to the parenthesis that ends the node.
func (u *restorer) file(path string) {
	mode, contents := os.FileMode(0o444), false
	for u.err == nil {
		switch word := u.str(maxName); {
		case u.err != nil:
			return
		case word == ")" && contents:
			return
		case word == "executable" && mode == 0o444 && !contents:
			u.want("")
			mode = 0o555
		case word == "contents" && !contents:
			contents = true
			n := u.length()
			u.write(path, mode, n)
			u.pad(n)
		default:
			u.fail("%q in a file", word)
		}
	}
}

func (u *restorer) write(path string, mode os.FileMode, n int64) {
	if u.err != nil {
		return
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		u.err = err
		return
	}
	u.err = u.copy(f, n)
	// Of the umask nothing is left: the mode is part of what is sealed.
	if err := f.Chmod(mode); u.err == nil {
		u.err = err
	}
	if err := f.Close(); u.err == nil {
		u.err = err
	}
	if u.err == nil {
		u.err = os.Chtimes(path, stored, stored)
	}
}

func (u *restorer) copy(f *os.File, n int64) error {
	for n > 0 {
		if err := u.ctx.Err(); err != nil {
			return err
		}
		got, err := io.ReadFull(u.r, u.buf[:min(n, int64(len(u.buf)))])
		if err != nil {
			return cut(err)
		}
		if _, err := f.Write(u.buf[:got]); err != nil {
			return err
		}
		n -= int64(got)
	}
	return nil
}

func (u *restorer) folder(path string, depth int) {
	if u.err = os.Mkdir(path, 0o755); u.err != nil {
		return
	}
	last := ""
	for u.err == nil {
		switch word := u.str(maxName); {
		case u.err != nil:
			return
		case word == ")":
			u.err = errors.Join(os.Chmod(path, 0o555), os.Chtimes(path, stored, stored))
			return
		case word != "entry":
			u.fail("%q in a folder", word)
			return
		}
		u.want("(")
		u.want("name")
		name := u.str(maxName)
		switch {
		case u.err != nil:
			return
		case name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00"):
			u.fail("%q cannot be a file's name", name)
		case name <= last:
			u.fail("%q after %q: its names are not sorted", name, last)
		}
		last = name
		u.want("node")
		u.node(filepath.Join(path, name), depth+1)
		u.want(")")
	}
}

func (u *restorer) link(path, target string) {
	if u.err != nil {
		return
	}
	if target == "" || strings.ContainsRune(target, 0) {
		u.fail("a symlink leads to %q", target)
		return
	}
	if u.err = os.Symlink(target, path); u.err == nil {
		u.err = touchLink(path, stored)
	}
}

func (u *restorer) fail(format string, args ...any) {
	if u.err == nil {
		u.err = fmt.Errorf(format, args...)
	}
}

func (u *restorer) want(word string) {
	if got := u.str(maxName); u.err == nil && got != word {
		u.fail("%q where %q belongs", got, word)
	}
}

// str reads a string of at most limit bytes.
func (u *restorer) str(limit int64) string {
	n := u.length()
	if u.err == nil && n > limit {
		u.fail("a string of %d bytes where at most %d belong", n, limit)
	}
	if u.err != nil {
		return ""
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(u.r, b); err != nil {
		u.err = cut(err)
		return ""
	}
	u.pad(n)
	return string(b)
}

func (u *restorer) length() int64 {
	var b [8]byte
	if u.err != nil {
		return 0
	}
	if _, err := io.ReadFull(u.r, b[:]); err != nil {
		u.err = cut(err)
		return 0
	}
	n := binary.LittleEndian.Uint64(b[:])
	if n > 1<<62 {
		u.fail("a length of %d bytes", n)
		return 0
	}
	return int64(n)
}

func (u *restorer) pad(n int64) {
	rest := n % 8
	if rest == 0 || u.err != nil {
		return
	}
	var b [8]byte
	if _, err := io.ReadFull(u.r, b[:8-rest]); err != nil {
		u.err = cut(err)
	} else if b != [8]byte{} {
		u.fail("its padding is not zero")
	}
}

// cut says of an end in mid-archive what it is.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
