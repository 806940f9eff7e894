package sources

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// maxUnpacked bounds what an archive may unpack to, in bytes.
const maxUnpacked = 8 << 30

// copyTree copies a folder: bytes and run bits, and no other mode. Only files
// and folders can be in a module.
func copyTree(ctx context.Context, from, to string) error {
	return filepath.WalkDir(from, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		dst := filepath.Join(to, rel)
		info, err := e.Info()
		if err != nil {
			return err
		}
		switch {
		case e.IsDir():
			return os.Mkdir(dst, 0o755)
		case info.Mode().IsRegular():
			return copyFile(p, dst, info.Mode())
		}
		return fmt.Errorf("%s is neither a file nor a folder", rel)
	})
}

func copyFile(from, to string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return writeFile(to, in, mode)
}

// writeFile makes the file; it never follows what is there already.
func writeFile(to string, in io.Reader, mode fs.FileMode) error {
	perm := fs.FileMode(0o644)
	if mode&0o100 != 0 {
		perm = 0o755
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	return err
}

// unpackTgz unpacks a package archive of npm's into the new folder out, without
// the first folder of each name. npm writes files only: anything else, and a
// name that leaves the folder, is refused.
func unpackTgz(ctx context.Context, archive, out string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", filepath.Base(archive), err)
	}
	if err := os.Mkdir(out, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(out)
	if err != nil {
		return err
	}
	defer root.Close()
	tr := tar.NewReader(io.LimitReader(zr, maxUnpacked))
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = unpackOne(root, h, tr)
		}
		if err != nil {
			return fmt.Errorf("unpack %s: %w", filepath.Base(archive), err)
		}
	}
}

func unpackOne(root *os.Root, h *tar.Header, in io.Reader) error {
	_, name, ok := strings.Cut(h.Name, "/")
	if h.Typeflag == tar.TypeDir || h.Typeflag == tar.TypeXGlobalHeader {
		return nil
	}
	if h.Typeflag != tar.TypeReg || !ok || !fs.ValidPath(h.Name) {
		return fmt.Errorf("%q is no file below one folder", h.Name)
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	perm := fs.FileMode(0o644)
	if h.FileInfo().Mode()&0o100 != 0 {
		perm = 0o755
	}
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	return err
}
