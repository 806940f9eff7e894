package patch

import (
	"fmt"
	"strings"
)

// MaxSize is the largest patch that is read, in bytes.
const MaxSize = 64 << 20

// Kind names a reason to refuse a patch. Each is a refusal code of Lane.
type Kind string

const (
	Unparsable Kind = "unparsable-patch" // not a unified diff, or one that says two things at once
	Empty      Kind = "empty-patch"      // no file is changed
	Binary     Kind = "binary-patch"     // a change without its text
	Escaping   Kind = "escaping-patch"   // a path that leaves the tree, or goes through a symbolic link
	Unbound    Kind = "unbound-patch"    // well-formed, but it does not belong to this base
)

// Error says why a patch is refused, and where in it.
type Error struct {
	Kind Kind
	Line int    // line of the patch, from 1; 0 = no line in particular
	Path string // file of the tree, where one is concerned
	Hunk int    // hunk of that file, from 1; 0 = none in particular
	Msg  string
}

func (e *Error) Error() string {
	var where []string
	if e.Line > 0 {
		where = append(where, fmt.Sprintf("line %d", e.Line))
	}
	if e.Path != "" {
		where = append(where, fmt.Sprintf("file %q", e.Path))
	}
	if e.Hunk > 0 {
		where = append(where, fmt.Sprintf("hunk %d", e.Hunk))
	}
	if len(where) == 0 {
		return e.Msg
	}
	return strings.Join(where, ", ") + ": " + e.Msg
}

// Mode is a git file mode; 0 where a patch does not say one.
type Mode uint32

const (
	ModeFile       Mode = 0o100644
	ModeExecutable Mode = 0o100755
	ModeSymlink    Mode = 0o120000
	ModeSubmodule  Mode = 0o160000
)

// File is what a patch does to one file.
type File struct {
	Line int // where its header begins

	Old, New string // paths below the root; Old is "" for a file that is made, New for one that is deleted

	OldMode, NewMode Mode // 0 = not said

	Rename, Copy bool

	OldID string // the abbreviated blob id that the change was made from, "" = not said

	Hunks []Hunk
}

// Path is the name to speak of the file by.
func (f *File) Path() string {
	if f.New != "" {
		return f.New
	}
	return f.Old
}

// Hunk is one changed stretch of a file.
type Hunk struct {
	Line               int // of its header in the patch
	OldStart, OldLines int
	NewStart, NewLines int
	Lines              []Line
}

// Line is a line of a hunk. Text has its newline, unless the file ends there without one.
type Line struct {
	Op   byte // ' ' kept, '-' taken away, '+' added
	Text []byte
}

// context counts the kept lines before the first and after the last change of the hunk.
func (h *Hunk) context() (leading, trailing int) {
	for leading < len(h.Lines) && h.Lines[leading].Op == ' ' {
		leading++
	}
	for trailing < len(h.Lines)-leading && h.Lines[len(h.Lines)-1-trailing].Op == ' ' {
		trailing++
	}
	return leading, trailing
}
