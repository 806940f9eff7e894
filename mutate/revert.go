package mutate

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Blob is one file of a tree.
type Blob struct {
	Data []byte      // for a symbolic link, its target
	Mode fs.FileMode // type and permission bits; 0 = a plain file
}

// FileChange is one file that the change touches. Base is nil for an added file, Head for a removed one.
type FileChange struct {
	Path       string // at head, or at base for a removed file
	OldPath    string // of a renamed file: its path at base; "" = the same
	Base, Head *Blob
}

// Reverts returns each hunk of a change, put back to base, as a mutant: in any language, deletions, added and removed
// files, modes and configuration included. A binary file, a symbolic link and a whole file are one hunk each. The
// result is in the order of the files given. Leave test files out: the code is mutated, not the tests.
func Reverts(files []FileChange) []Mutant {
	var out []Mutant
	for _, f := range files {
		ms := revertFile(f)
		if why := aridPath(f.Path); why != "" {
			for i := range ms {
				ms[i].Arid = why
			}
		}
		out = append(out, ms...)
	}
	return out
}

func revertFile(f FileChange) []Mutant {
	m := Mutant{File: f.Path, Line: 1, EndLine: 1, Operator: "revert", Origin: Revert}
	switch {
	case f.Base == nil && f.Head == nil:
		return nil
	case f.Base == nil:
		m.Kind, m.Original = Delete, Text(f.Head.Data)
		m.EndLine = max(1, len(splitLines(f.Head.Data)))
		m.Hunk = HunkName(f.Path, Range{1, m.EndLine})
		m.Description = "file taken away again"
		return finish(m, 0)
	case f.Head == nil:
		m.Kind, m.Replacement, m.Mode = Create, Text(f.Base.Data), f.Base.Mode
		m.Hunk = HunkName(f.Path, Range{1, 0})
		m.Description = "file put back"
		return finish(m, 0)
	}
	var out []Mutant
	if f.OldPath != "" && f.OldPath != f.Path {
		r := m
		r.Kind, r.To, r.Mode = Rename, f.OldPath, f.Head.Mode
		r.Hunk, r.Description = f.Path+" (rename)", "file moved back to "+f.OldPath
		r.Arid = "a new name alone"
		out = append(out, finish(r, 0)...)
	}
	if f.Base.Mode.Type() != f.Head.Mode.Type() || f.Base.Mode.Type() == fs.ModeSymlink {
		if f.Base.Mode == f.Head.Mode && bytes.Equal(f.Base.Data, f.Head.Data) {
			return out
		}
		m.Kind, m.Replacement, m.Mode = Create, Text(f.Base.Data), f.Base.Mode
		m.Original, m.Hunk, m.Description = Text(f.Head.Data), HunkName(f.Path, Range{1, 1}), "file put back to what it was"
		return append(out, finish(m, 0)...)
	}
	if f.Base.Mode.Perm() != f.Head.Mode.Perm() && f.Base.Mode != 0 && f.Head.Mode != 0 {
		c := m
		c.Kind, c.Mode = Chmod, f.Base.Mode
		c.Hunk = f.Path + " (mode)"
		c.Description = fmt.Sprintf("mode %o put back to %o", f.Head.Mode.Perm(), f.Base.Mode.Perm())
		out = append(out, finish(c, 0)...)
	}
	return append(out, revertHunks(m, f.Base.Data, f.Head.Data)...)
}

func revertHunks(m Mutant, base, head []byte) []Mutant {
	if bytes.Equal(base, head) {
		return nil
	}
	if isBinary(base) || isBinary(head) {
		m.Length, m.Original, m.Replacement = len(head), Text(head), Text(base)
		m.EndLine = max(1, len(splitLines(head)))
		m.Hunk, m.Description = HunkName(m.File, Range{1, m.EndLine}), "binary file put back"
		return finish(m, 0)
	}
	la, lb := splitLines(base), splitLines(head)
	aAt, bAt := offsets(la), offsets(lb)
	seen := map[[2]Text]int{}
	var out []Mutant
	for _, h := range hunksOf(base, head) {
		r := m
		r.Offset, r.Length = bAt[h.bStart], bAt[h.bEnd]-bAt[h.bStart]
		r.Original = Text(head[r.Offset : r.Offset+r.Length])
		r.Replacement = Text(base[aAt[h.aStart]:aAt[h.aEnd]])
		lines := Range{h.bStart + 1, h.bEnd}
		r.Line, r.EndLine, r.Hunk = lines.Start, max(lines.Start, lines.End), HunkName(m.File, lines)
		r.Col = 1
		r.Description = describeHunk(h.aEnd-h.aStart, h.bEnd-h.bStart)
		key := [2]Text{r.Original, r.Replacement}
		out = append(out, finish(r, seen[key])...)
		seen[key]++
	}
	return out
}

func describeHunk(gone, come int) string {
	switch {
	case come == 0:
		return fmt.Sprintf("%s put back", count(gone, "deleted line"))
	case gone == 0:
		return fmt.Sprintf("%s taken away", count(come, "added line"))
	}
	return fmt.Sprintf("%s put back to %s of base", count(come, "line"), count(gone, "line"))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// finish gives m its id. Whole-file mutants carry no offset, so their content stands for the place.
func finish(m Mutant, ordinal int) []Mutant {
	m.ID = NewID(m.File, m.Func, m.Operator+string(m.Kind), ordinal, string(m.Original), string(m.Replacement), m.To, m.Mode.String())
	return []Mutant{m}
}

func offsets(lines [][]byte) []int {
	at := make([]int, len(lines)+1)
	for i, l := range lines {
		at[i+1] = at[i] + len(l)
	}
	return at
}

// aridPath says why a change of this file cannot be noticed by tests of code.
func aridPath(p string) string {
	base := strings.ToLower(path.Base(p))
	stem := strings.TrimSuffix(base, path.Ext(base))
	prose := []string{".md", ".markdown", ".rst", ".adoc", ".asciidoc"}
	if slices.Contains(prose, path.Ext(base)) {
		return "prose"
	}
	if names := []string{"license", "licence", "copying", "notice", "authors", "contributors", "readme", "changelog", "codeowners"}; slices.Contains(names, stem) {
		if ext := path.Ext(base); ext == "" || ext == ".txt" {
			return "prose"
		}
	}
	if slices.Contains([]string{".gitignore", ".gitattributes", ".mailmap", ".editorconfig"}, base) {
		return "configuration of an editor or of git"
	}
	return ""
}
