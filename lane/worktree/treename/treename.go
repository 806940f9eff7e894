package treename

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxName is the longest name of one file or folder, in bytes, that Linux file systems carry.
const MaxName = 255

// MaxPath is the longest path below a tree's root, in bytes. A path handed to the kernel may have
// 4,095; the rest is left to the folder that the tree lies in.
const MaxPath = 3584

// Error says which name is refused, and why.
type Error struct {
	Name string
	Why  string
}

func (e *Error) Error() string { return fmt.Sprintf("%q %s", e.Name, e.Why) }

// Check returns an *Error where name may not be an entry of a tree. symlink says that the entry is
// a symbolic link, for which git reserves more names.
func Check(name string, symlink bool) error {
	refuse := func(why string) error { return &Error{Name: name, Why: why} }
	switch {
	case name == "":
		return refuse("is an empty name")
	case name == "." || name == "..":
		return refuse("names a folder outside its own")
	case strings.Contains(name, "/"):
		return refuse("is a name with a slash in it")
	case strings.Contains(name, "\x00"):
		return refuse("is a name with a NUL in it")
	case len(name) > MaxName:
		return &Error{Name: name[:32] + "...", Why: fmt.Sprintf("is a name of %d bytes; file systems carry %d", len(name), MaxName)}
	}
	if foldsTo(name, ".git") {
		return refuse("is git's own folder on some file system")
	}
	// A backslash separates folders on Windows, so each piece between two of them is a name there.
	for _, piece := range strings.Split(name, `\`) {
		if ntfsDotGit(piece) {
			return refuse("is git's own folder on some file system")
		}
	}
	if symlink && foldsTo(name, ".gitmodules") {
		return refuse("is a symbolic link, and git wants a file there")
	}
	return nil
}

// CheckPath returns an *Error where a slash-separated path may not be an entry below a tree's root.
func CheckPath(path string, symlink bool) error {
	if len(path) > MaxPath {
		return &Error{Name: path[:32] + "...", Why: fmt.Sprintf("is a path of %d bytes; at most %d are carried", len(path), MaxPath)}
	}
	if strings.HasPrefix(path, "/") {
		return &Error{Name: path, Why: "is an absolute path"}
	}
	names := strings.Split(path, "/")
	for i, name := range names {
		if err := Check(name, symlink && i == len(names)-1); err != nil {
			return &Error{Name: path, Why: err.(*Error).Why}
		}
	}
	return nil
}

// ntfsDotGit tells whether NTFS takes name for ".git": it ignores dots and spaces at the end, has
// alternate streams behind a colon, and gives ".git" the short name "git~1".
func ntfsDotGit(name string) bool {
	for _, reserved := range []string{".git", "git~1"} {
		if len(name) < len(reserved) || !strings.EqualFold(name[:len(reserved)], reserved) {
			continue
		}
		rest := strings.TrimLeft(name[len(reserved):], ". ")
		if rest == "" || rest[0] == ':' {
			return true
		}
	}
	return false
}

// foldsTo tells whether HFS+ takes name for want: it ignores case and some code points of no width.
func foldsTo(name, want string) bool {
	if len(name) < len(want) || !utf8.ValidString(name) {
		return strings.EqualFold(name, want)
	}
	return strings.EqualFold(strings.Map(func(r rune) rune {
		if hfsIgnores(r) {
			return -1
		}
		return r
	}, name), want)
}

func hfsIgnores(r rune) bool {
	return r >= 0x200c && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff
}
