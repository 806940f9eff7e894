package image

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// stored is the time of everything in an image: that of a Nix store.
var stored = time.Unix(1, 0).UTC()

// File is a file of an image that is no store path.
type File struct {
	Name string // as in /bin/lane
	Data []byte
	Mode fs.FileMode // its permissions
}

// blob is a file of the layout, named by its digest.
type blob struct {
	digest string // hex of its SHA-256
	size   int64
	file   string // where it waits to be put into the archive
}

// blobWriter writes a file and finds its digest on the way.
type blobWriter struct {
	f *os.File
	io.Writer
	sum interface{ Sum([]byte) []byte }
	n   int64
}

func newBlob(dir string) (*blobWriter, error) {
	f, err := os.CreateTemp(dir, "blob-")
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	return &blobWriter{f: f, Writer: io.MultiWriter(f, h), sum: h}, nil
}

func (b *blobWriter) Write(p []byte) (int, error) {
	n, err := b.Writer.Write(p)
	b.n += int64(n)
	return n, err
}

func (b *blobWriter) close(err error) (blob, error) {
	err = errors.Join(err, b.f.Close())
	return blob{digest: hex.EncodeToString(b.sum.Sum(nil)), size: b.n, file: b.f.Name()}, err
}

// layer writes one layer: a tar of files and store paths with the folders above them.
func layer(ctx context.Context, dir string, paths []Path, files []File) (blob, error) {
	b, err := newBlob(dir)
	if err != nil {
		return blob{}, err
	}
	l := &layerWriter{ctx: ctx, w: tar.NewWriter(b), made: map[string]bool{}}
	paths = slices.SortedFunc(slices.Values(paths), func(a, b Path) int { return strings.Compare(a.StorePath, b.StorePath) })
	for _, p := range paths {
		l.tree(p)
	}
	files = slices.SortedFunc(slices.Values(files), func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range files {
		l.above(f.Name)
		l.entry(&tar.Header{Name: name(f.Name), Typeflag: tar.TypeReg, Mode: int64(f.Mode.Perm()), Size: int64(len(f.Data))})
		l.write(f.Data)
	}
	if l.err == nil {
		l.err = l.w.Close()
	}
	return b.close(l.err)
}

// layerWriter keeps the first error and turns every later call into nothing.
type layerWriter struct {
	ctx  context.Context
	w    *tar.Writer
	made map[string]bool // folders
	err  error
}

// name is a path as a layer has it: without the slash at its head.
func name(p string) string { return strings.TrimPrefix(path.Clean(p), "/") }

func (l *layerWriter) entry(h *tar.Header) {
	if l.err != nil {
		return
	}
	if l.err = l.ctx.Err(); l.err != nil {
		return
	}
	// PAX where a name does not fit elsewhere: what it writes depends on the header alone.
	h.ModTime, h.Format = stored, tar.FormatPAX
	l.err = l.w.WriteHeader(h)
}

func (l *layerWriter) write(data []byte) {
	if l.err == nil {
		_, l.err = l.w.Write(data)
	}
}

// above makes the folders that a path lies in.
func (l *layerWriter) above(p string) {
	dir := path.Dir(path.Clean(p))
	if dir == "/" || dir == "." || l.made[dir] {
		return
	}
	l.above(dir)
	l.made[dir] = true
	l.entry(&tar.Header{Name: name(dir) + "/", Typeflag: tar.TypeDir, Mode: 0o755})
}

// tree writes a store path: as in a store, nobody may write to it.
func (l *layerWriter) tree(p Path) {
	l.above(p.StorePath)
	err := filepath.WalkDir(p.Host, func(at string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(p.Host, at)
		if err != nil {
			return err
		}
		return l.node(at, name(path.Join(p.StorePath, filepath.ToSlash(rel))), e)
	})
	if l.err == nil {
		l.err = err
	}
}

func (l *layerWriter) node(at, as string, e fs.DirEntry) error {
	info, err := e.Info()
	if err != nil {
		return err
	}
	switch mode := info.Mode(); mode.Type() {
	case fs.ModeDir:
		l.entry(&tar.Header{Name: as + "/", Typeflag: tar.TypeDir, Mode: 0o555})
	case fs.ModeSymlink:
		target, err := os.Readlink(at)
		if err != nil {
			return err
		}
		l.entry(&tar.Header{Name: as, Typeflag: tar.TypeSymlink, Linkname: target, Mode: 0o777})
	case 0:
		perm := int64(0o444)
		if mode&0o100 != 0 {
			perm = 0o555
		}
		l.entry(&tar.Header{Name: as, Typeflag: tar.TypeReg, Mode: perm, Size: info.Size()})
		l.copy(at)
	default:
		return fmt.Errorf("%s is neither a file nor a folder nor a symlink", at)
	}
	return l.err
}

func (l *layerWriter) copy(at string) {
	if l.err != nil {
		return
	}
	f, err := os.Open(at)
	if err != nil {
		l.err = err
		return
	}
	defer f.Close()
	_, l.err = io.Copy(l.w, f)
}
