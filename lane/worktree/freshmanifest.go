package worktree

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/vallane/lane/lane/worktree/objects"
)

// A freshManifest says what every file of a fresh repository was when it was written. It is the text
//
//	lane-repository-manifest 1
//	<entries: NUL-terminated>
//	<SHA-256 of all before, hex>
//
// where an entry is four words and the path: <sha256, or - for a folder> <permissions> <mtime>.<ctime> <inode> <path>.
type freshManifest struct{ files []freshFile }

type freshFile struct {
	path, sum string
	perm      uint32
	stamp     stamp
}

const freshHeader = "lane-repository-manifest 1\n"

func (m *freshManifest) encode() []byte {
	var b strings.Builder
	b.WriteString(freshHeader)
	for _, f := range m.files {
		fmt.Fprintf(&b, "%s %o %d.%d %d %s\x00", f.sum, f.perm, f.stamp.mtime, f.stamp.ctime, f.stamp.inode, f.path)
	}
	return sealed(b.String())
}

// readFresh reads the manifest of the repository in dir.
func readFresh(dir string) (*freshManifest, error) {
	data, err := os.ReadFile(dir + ".manifest")
	if err != nil {
		return nil, err
	}
	text, ok := strings.CutPrefix(string(data), freshHeader)
	end := len(text) - 2*sha256.Size - 1
	if !ok || end < 0 || string(sealed(freshHeader+text[:end])) != string(data) {
		return nil, errBadManifest
	}
	m := &freshManifest{}
	for record := range strings.SplitSeq(strings.TrimSuffix(text[:end], "\x00"), "\x00") {
		words := strings.SplitN(record, " ", 5)
		if len(words) != 5 {
			return nil, errBadManifest
		}
		f := freshFile{sum: words[0], path: words[4]}
		mtime, ctime, _ := strings.Cut(words[2], ".")
		perm, err := strconv.ParseUint(words[1], 8, 32)
		f.perm = uint32(perm)
		var errs [3]error
		f.stamp.mtime, errs[0] = strconv.ParseInt(mtime, 10, 64)
		f.stamp.ctime, errs[1] = strconv.ParseInt(ctime, 10, 64)
		f.stamp.inode, errs[2] = strconv.ParseUint(words[3], 10, 64)
		if err != nil || errs != [3]error{} {
			return nil, errBadManifest
		}
		m.files = append(m.files, f)
	}
	return m, nil
}

// freshFact looks at one file, and reads it.
func freshFact(top, rel string) (freshFile, error) {
	f := freshFile{path: rel, sum: "-"}
	kind, perm, _, _, at, err := lstat(filepath.Join(top, rel))
	f.perm, f.stamp = perm, at
	if err != nil || kind == objects.Folder {
		return f, err
	}
	in, err := os.Open(filepath.Join(top, rel))
	if err != nil {
		return f, err
	}
	defer in.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, in); err != nil {
		return f, err
	}
	f.sum = hex.EncodeToString(hash.Sum(nil))
	return f, nil
}

// whole looks whether each file of the repository in dir is still the one that was written.
func (m *freshManifest) whole(dir string) error {
	for _, f := range m.files {
		if _, _, _, _, at, err := lstat(filepath.Join(dir, f.path)); err != nil {
			return err
		} else if at != f.stamp {
			return fmt.Errorf("%q of its repository is not the file that was written", f.path)
		}
	}
	return nil
}

// differs reads every file of the repository in dir again and names those that are not what was written.
func (m *freshManifest) differs(dir string) (names []string, err error) {
	expected := map[string]bool{}
	for _, f := range m.files {
		expected[f.path] = true
		now, err := freshFact(dir, f.path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			names = append(names, fmt.Sprintf("%q: is gone", f.path))
		case err != nil:
			return nil, err
		case now.sum != f.sum || now.perm != f.perm:
			names = append(names, fmt.Sprintf("%q: has another content", f.path))
		}
	}
	err = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if rel, rerr := filepath.Rel(dir, path); err == nil && rerr == nil && !expected[rel] {
			names = append(names, fmt.Sprintf("%q: was not there", rel))
		}
		return err
	})
	return names, err
}
