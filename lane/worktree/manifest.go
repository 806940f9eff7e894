package worktree

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/vallane/lane/lane/worktree/objects"
)

// A manifest says what every file of a checked-out tree was when it was written. It is the text
//
//	lane-tree-manifest 1
//	tree <git tree id>
//	sha256 <Tree.SHA256>
//	bytes <sum of the files' sizes>
//	<entries: NUL-terminated, folders before what they hold>
//	<SHA-256 of all before, hex>
//
// where an entry is seven words and the path, separated by spaces:
//
//	<git mode as the tree spells it> <git id> <sha256 of the blob> <sha256 on disk, if another, or -> <size> <mtime>.<ctime> <inode> <path>
//
// Times are in nanoseconds. The root folder is the entry with the path ".". An empty folder, which git
// does not write, is kept with the inode 0, so that the tree's id can be computed from the entries.
const manifestHeader = "lane-tree-manifest 1\n"

// fact is one entry of a manifest.
type fact struct {
	node
	folder  bool   // there is a folder on disk for it
	blobSum string // hex; "-" for a folder, the commit for a submodule
	diskSum string // hex where the file on disk is not the blob; "-" otherwise
	size    int64
	stamp   stamp
}

// stamp changes whenever a file does: nobody can set a file's ctime back.
type stamp struct {
	mtime, ctime int64 // ns
	inode        uint64
}

type manifest struct {
	tree   objects.ID
	sha256 string
	bytes  int64
	facts  []fact
}

func (m *manifest) encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%stree %s\nsha256 %s\nbytes %d\n", manifestHeader, m.tree, m.sha256, m.bytes)
	for _, f := range m.facts {
		mode := f.Raw
		if mode == "" {
			mode = strconv.FormatUint(uint64(f.Mode), 8)
		}
		fmt.Fprintf(&b, "%s %s %s %s %d %d.%d %d %s\x00", mode, f.ID, f.blobSum, f.diskSum, f.size, f.stamp.mtime, f.stamp.ctime, f.stamp.inode, f.path)
	}
	return sealed(b.String())
}

// sealed puts a manifest's checksum behind its text.
func sealed(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return []byte(text + hex.EncodeToString(sum[:]) + "\n")
}

var errBadManifest = errors.New("read manifest: is not one, or was cut off")

func readManifest(path string) (*manifest, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return decodeManifest(data)
}

func decodeManifest(data []byte) (*manifest, error) {
	const trailer = sha256.Size*2 + 1
	if len(data) < trailer {
		return nil, errBadManifest
	}
	body, end := data[:len(data)-trailer], data[len(data)-trailer:]
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:])+"\n" != string(end) {
		return nil, errBadManifest
	}
	text, ok := strings.CutPrefix(string(body), manifestHeader)
	if !ok {
		return nil, errBadManifest
	}
	m := &manifest{}
	for _, key := range []string{"tree ", "sha256 ", "bytes "} {
		line, rest, _ := strings.Cut(text, "\n")
		value, ok := strings.CutPrefix(line, key)
		if !ok {
			return nil, errBadManifest
		}
		text = rest
		switch key {
		case "tree ":
			m.tree = plumbing.NewHash(value)
		case "sha256 ":
			m.sha256 = value
		default:
			var err error
			if m.bytes, err = strconv.ParseInt(value, 10, 64); err != nil {
				return nil, errBadManifest
			}
		}
	}
	m.facts = make([]fact, 0, strings.Count(text, "\x00"))
	for text != "" {
		record, rest, ok := strings.Cut(text, "\x00")
		if !ok {
			return nil, errBadManifest
		}
		text = rest
		f, ok := decodeFact(record)
		if !ok {
			return nil, errBadManifest
		}
		m.facts = append(m.facts, f)
	}
	return m, nil
}

func decodeFact(record string) (f fact, ok bool) {
	words := strings.SplitN(record, " ", 8)
	if len(words) != 8 || !isFullID(words[1]) {
		return f, false
	}
	if f.Mode, f.Raw, ok = objects.ParseMode(words[0]); !ok {
		return f, false
	}
	f.ID, f.blobSum, f.diskSum, f.path = plumbing.NewHash(words[1]), words[2], words[3], words[7]
	f.Name = f.path[strings.LastIndexByte(f.path, '/')+1:]
	mtime, ctime, _ := strings.Cut(words[5], ".")
	var errs [4]error
	f.size, errs[0] = strconv.ParseInt(words[4], 10, 64)
	f.stamp.mtime, errs[1] = strconv.ParseInt(mtime, 10, 64)
	f.stamp.ctime, errs[2] = strconv.ParseInt(ctime, 10, 64)
	f.stamp.inode, errs[3] = strconv.ParseUint(words[6], 10, 64)
	f.folder = (f.Mode == objects.Folder || f.Mode == objects.Submodule) && f.stamp.inode != 0
	return f, errs == [4]error{}
}

// treeID computes the id of the tree that the facts describe, given an id for each file.
func (m *manifest) treeID(idOf func(f *fact) objects.ID) objects.ID {
	entries := map[string][]objects.Entry{} // of each folder
	for i := len(m.facts) - 1; i >= 0; i-- {
		f := &m.facts[i]
		if f.path == "." {
			continue
		}
		e := f.Entry
		if f.Mode == objects.Folder {
			e.ID = plumbing.ComputeHash(objects.Tree, objects.EncodeTree(entries[f.path]))
			delete(entries, f.path)
		} else {
			e.ID = idOf(f)
		}
		parent := parentOf(f.path)
		entries[parent] = append(entries[parent], e)
	}
	return plumbing.ComputeHash(objects.Tree, objects.EncodeTree(entries["."]))
}

// parentOf is the folder of a path, "." for the root.
func parentOf(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return "."
}

// contentDigest is the SHA-256 that Lane names a tree by, beside git's SHA-1. It goes over one line per file,
// sorted by the bytes of the path:
//
//	<mode, six octal digits> SP <SHA-256 of the content, hex> SP <path> NUL
//
// The mode is 100644, 100755 or 120000, whose content is its target. A submodule has 160000 and its
// commit's id in place of the digest. It is the content that git holds, whatever form .gitattributes
// give it on disk. With coreutils, for a tree without links and submodules whose paths need no quoting:
//
//	git ls-tree -r TREE | while read mode type id path; do
//	  printf '%s %s %s\0' $mode $(git cat-file blob $id | sha256sum | cut -d' ' -f1) "$path"
//	done | sha256sum
func contentDigest(facts []fact, sumOf func(f *fact) string) string {
	order := make([]*fact, 0, len(facts))
	for i := range facts {
		if facts[i].Mode != objects.Folder {
			order = append(order, &facts[i])
		}
	}
	slices.SortFunc(order, func(a, b *fact) int { return strings.Compare(a.path, b.path) })
	h := sha256.New()
	for _, f := range order {
		fmt.Fprintf(h, "%s %s %s\x00", f.Mode, sumOf(f), f.path)
	}
	return hex.EncodeToString(h.Sum(nil))
}
