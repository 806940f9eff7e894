package objects

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vallane/lane/lane/worktree/treename"
)

// Mode says what a tree entry is, in git's own numbers.
type Mode uint32

// The modes that git knows.
const (
	Folder     Mode = 0o040000
	Regular    Mode = 0o100644
	Executable Mode = 0o100755
	Symlink    Mode = 0o120000
	Submodule  Mode = 0o160000
)

func (m Mode) String() string { return fmt.Sprintf("%06o", uint32(m)) }

// IsFile tells whether the entry is a file with content, executable or not.
func (m Mode) IsFile() bool { return m == Regular || m == Executable }

// Entry is one name of a tree.
type Entry struct {
	Name string
	Mode Mode
	ID   ID

	// Raw is the mode as the tree object spells it, where that is not how git writes it today: old
	// tools left 100664 and the like. "" otherwise.
	Raw string
}

// Unsafe is the error for a tree that must not be written to a disk.
type Unsafe struct {
	Tree ID
	Why  string
}

func (e *Unsafe) Error() string { return fmt.Sprintf("tree %s: %s", e.Tree, e.Why) }

// ReadTree returns the entries of a tree in their order. A tree with names that leave their folder,
// with one name twice, out of order or malformed is *Unsafe.
func (s *Store) ReadTree(ctx context.Context, id ID) ([]Entry, error) {
	data, err := s.Read(ctx, id, Tree)
	if err != nil {
		return nil, err
	}
	entries, why := ParseTree(data)
	if why != "" {
		return nil, &Unsafe{Tree: id, Why: why}
	}
	return entries, nil
}

// WriteTree stores a tree, whose entries it sorts, and returns its name.
func (s *Store) WriteTree(ctx context.Context, entries []Entry) (ID, error) {
	return s.Write(ctx, Tree, EncodeTree(entries))
}

// ParseTree reads the content of a tree object. why is "" where the tree is sound.
func ParseTree(data []byte) (entries []Entry, why string) {
	names := map[string]bool{}
	for len(data) > 0 {
		spelled, rest, ok := bytes.Cut(data, []byte(" "))
		if !ok {
			return nil, "is malformed"
		}
		name, rest, ok := bytes.Cut(rest, []byte{0})
		if !ok || len(rest) < len(ID{}) {
			return nil, "is malformed"
		}
		e := Entry{Name: string(name), ID: ID(rest[:len(ID{})])}
		data = rest[len(ID{}):]
		if e.Mode, e.Raw, ok = ParseMode(string(spelled)); !ok {
			return nil, fmt.Sprintf("holds %q with the mode %q", e.Name, spelled)
		}
		if err := treename.Check(e.Name, e.Mode == Symlink); err != nil {
			return nil, "holds " + err.Error()
		}
		if names[e.Name] {
			return nil, fmt.Sprintf("holds %q twice", e.Name)
		}
		names[e.Name] = true
		if n := len(entries); n > 0 && sortKey(entries[n-1]) >= sortKey(e) {
			return nil, fmt.Sprintf("holds %q out of order", e.Name)
		}
		entries = append(entries, e)
	}
	return entries, ""
}

// EncodeTree writes the content of a tree object. It sorts entries in place.
func EncodeTree(entries []Entry) []byte {
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(sortKey(a), sortKey(b)) })
	var b bytes.Buffer
	for _, e := range entries {
		mode := e.Raw
		if mode == "" {
			mode = encodeMode(e.Mode)
		}
		b.WriteString(mode + " " + e.Name + "\x00")
		b.Write(e.ID[:])
	}
	return b.Bytes()
}

// sortKey is what git compares: a folder's name has a slash behind it.
func sortKey(e Entry) string {
	if e.Mode == Folder {
		return e.Name + "/"
	}
	return e.Name
}

func encodeMode(m Mode) string { return strconv.FormatUint(uint64(m), 8) }

// ParseMode reads a mode as git does: of a file's permissions only the owner's right to run it counts.
// raw is s where git would spell the mode otherwise, see Entry.Raw.
func ParseMode(s string) (m Mode, raw string, ok bool) {
	if m, ok = readMode(s); ok && encodeMode(m) != s {
		raw = s
	}
	return m, raw, ok
}

func readMode(s string) (Mode, bool) {
	n, err := strconv.ParseUint(s, 8, 20)
	if err != nil {
		return 0, false
	}
	switch n & 0o170000 {
	case 0o040000:
		return Folder, true
	case 0o100000:
		if n&0o100 != 0 {
			return Executable, true
		}
		return Regular, true
	case 0o120000:
		return Symlink, true
	case 0o160000:
		return Submodule, true
	}
	return 0, false
}
