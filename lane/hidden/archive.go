package hidden

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
)

// Bounds of an archive.
const (
	MaxPacked = 64 << 20  // bytes of the file
	MaxSize   = 256 << 20 // bytes of its files together
	MaxFiles  = 10_000    // files, folders included
	maxName   = 1024      // bytes of one name
	maxWindow = 64 << 20  // bytes that the decompression may need at once
)

// RequiredFile is the file of an archive that lists tests which must pass, one name per line. It is laid nowhere.
const RequiredFile = "lane-required-tests"

// Archive is what an archive of hidden tests holds.
type Archive struct {
	Digest string // "sha256:" and hex over the packed bytes
	Size   int64  // of the packed bytes
	// Files are sorted by name: slash paths below the root, none of which is a folder of another's.
	Files []File
	// Required are the names in RequiredFile, nil where there is none.
	Required []string
}

// File is one file of an archive.
type File struct {
	Name string
	Data []byte
	Exec bool
}

// Mode is what a file has once it is laid somewhere: all that an archive says of modes is whether the owner may execute.
func (f File) Mode() fs.FileMode {
	if f.Exec {
		return 0o755
	}
	return 0o644
}

// Open reads an archive from a file. A *Bad error says what is wrong with what it holds.
func Open(name string) (*Archive, error) {
	data, err := Read(name)
	if err != nil {
		return nil, err
	}
	return Parse(data)
}

// Digest names the packed bytes of an archive: "sha256:" and hex.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Read reads the packed bytes of an archive, one more than MaxPacked at most, and unpacks nothing.
func Read(name string) ([]byte, error) {
	st, err := os.Stat(name)
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", name)
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(name)
	}
	if err != nil {
		return nil, fmt.Errorf("read the archive of hidden tests: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxPacked+1))
	if err != nil {
		return nil, fmt.Errorf("read the archive of hidden tests: %w", err)
	}
	return data, nil
}

// Bad says why an archive is not taken.
type Bad struct {
	Archive *Archive // its digest and size, nothing else
	Why     string
}

func (b *Bad) Error() string { return "read the archive of hidden tests: " + b.Why }

// Parse reads the bytes of an archive. Its error is a *Bad.
func Parse(data []byte) (*Archive, error) {
	a := &Archive{Digest: Digest(data), Size: int64(len(data))}
	if err := a.unpack(data); err != nil {
		return nil, &Bad{&Archive{Digest: a.Digest, Size: a.Size}, err.Error()}
	}
	return a, nil
}

func (a *Archive) unpack(data []byte) error {
	if len(data) > MaxPacked {
		return fmt.Errorf("it has more than %d bytes", MaxPacked)
	}
	z, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxWindow), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return fmt.Errorf("it cannot be unpacked: %w", err)
	}
	defer z.Close()
	// The bound is on what comes out, headers included: a bomb is read up to there, whatever its headers say.
	from := &bounded{r: z, room: MaxSize + MaxFiles*4096}
	t := tar.NewReader(from)
	n, size := 0, int64(0)
	kinds := map[string]bool{} // name to whether it is a file
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("it cannot be unpacked: %w", err)
		}
		if n++; n > MaxFiles {
			return fmt.Errorf("it has more than %d files", MaxFiles)
		}
		name, err := checkHeader(h)
		if err != nil {
			return err
		}
		if name == "" {
			continue
		}
		isFile := h.Typeflag == tar.TypeReg
		if err := note(kinds, name, isFile); err != nil {
			return err
		}
		if !isFile {
			continue
		}
		if h.Size > MaxSize-size { // before a byte of it is read, holes of sparse files included
			return fmt.Errorf("its files have more than %d bytes", MaxSize)
		}
		size += h.Size
		content := make([]byte, h.Size)
		if _, err := io.ReadFull(t, content); err != nil {
			return fmt.Errorf("it cannot be unpacked: %w", err)
		}
		a.Files = append(a.Files, File{Name: name, Data: content, Exec: h.Mode&0o100 != 0})
	}
	if _, err := io.Copy(io.Discard, from); err != nil {
		return fmt.Errorf("it cannot be unpacked: %w", err)
	}
	return a.settle()
}

// bounded is a reader that fails where there is more to come than there is room for.
type bounded struct {
	r    io.Reader
	room int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.room <= 0 {
		return 0, fmt.Errorf("it unpacks to more than %d bytes", MaxSize)
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.room)])
	b.room -= int64(n)
	return n, err
}

// checkHeader returns the name of an entry, "" for one that holds nothing.
func checkHeader(h *tar.Header) (string, error) {
	switch h.Typeflag {
	case tar.TypeXGlobalHeader:
		return "", nil
	case tar.TypeReg, tar.TypeDir:
	case tar.TypeLink, tar.TypeSymlink:
		return "", fmt.Errorf("%q is a link, and links may lead anywhere", h.Name)
	default:
		return "", fmt.Errorf("%q is no file and no folder (type %q)", h.Name, h.Typeflag)
	}
	name := strings.TrimPrefix(h.Name, "./")
	if h.Typeflag == tar.TypeDir {
		name = strings.TrimSuffix(name, "/")
		if name == "" || name == "." {
			return "", nil
		}
	}
	switch {
	case len(name) > maxName:
		return "", fmt.Errorf("a name of more than %d bytes begins with %q", maxName, name[:40])
	case !utf8.ValidString(name) || strings.ContainsAny(name, "\\\x00") || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", fmt.Errorf("the name %q has a character that no name may have", name)
	case !fs.ValidPath(name) || name == ".":
		return "", fmt.Errorf("the name %q leaves the archive, or is none", h.Name)
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(part, ".git") {
			return "", fmt.Errorf("the name %q is git's own", name)
		}
	}
	return name, nil
}

// note remembers a name with its folders, and refuses one that is there twice or is file and folder at once.
func note(kinds map[string]bool, name string, isFile bool) error {
	if was, ok := kinds[name]; ok && (was || isFile) {
		return fmt.Errorf("%q is there twice", name)
	}
	kinds[name] = isFile
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if kinds[dir] {
			return fmt.Errorf("%q is a file and a folder", dir)
		}
		kinds[dir] = false
	}
	return nil
}

// settle sorts the files and takes the list of required tests out.
func (a *Archive) settle() error {
	slices.SortFunc(a.Files, func(x, y File) int { return strings.Compare(x.Name, y.Name) })
	a.Files = slices.DeleteFunc(a.Files, func(f File) bool {
		if f.Name != RequiredFile {
			return false
		}
		a.Required = []string{}
		for line := range strings.Lines(string(f.Data)) {
			if line = strings.TrimSpace(line); line != "" {
				a.Required = append(a.Required, line)
			}
		}
		return true
	})
	switch {
	case len(a.Files) == 0:
		return errors.New("it holds no file")
	case a.Required != nil && len(a.Required) == 0:
		return fmt.Errorf("its %s names no test", RequiredFile)
	}
	return nil
}
