package patch

import (
	"bytes"
	"strings"

	"github.com/vallane/lane/lane/worktree/treename"
)

// Parse reads a patch. The error is an *Error of kind Unparsable, Empty, Binary or Escaping.
// The lines of the result share memory with data.
func Parse(data []byte) ([]File, error) {
	if len(data) > MaxSize {
		return nil, &Error{Kind: Unparsable, Msg: "is larger than 64 MiB"}
	}
	p := &parser{lines: bytes.SplitAfter(data, []byte("\n"))}
	if n := len(p.lines); len(p.lines[n-1]) == 0 {
		p.lines = p.lines[:n-1]
	}
	var files []File
	for p.at < len(p.lines) {
		f, err := p.next()
		if err != nil {
			return nil, err
		}
		if f != nil {
			files = append(files, *f)
		}
	}
	if len(files) == 0 {
		if len(bytes.TrimSpace(data)) == 0 {
			return nil, &Error{Kind: Empty, Msg: "is empty"}
		}
		return nil, &Error{Kind: Unparsable, Msg: "holds no unified diff"}
	}
	return files, nil
}

type parser struct {
	lines [][]byte
	at    int // the line to read next, from 0
}

// peek returns the line k ahead without its newline, "" after the end.
func (p *parser) peek(k int) string {
	if p.at+k >= len(p.lines) {
		return ""
	}
	return strings.TrimSuffix(string(p.lines[p.at+k]), "\n")
}

func (p *parser) fail(kind Kind, msg string) error {
	return &Error{Kind: kind, Line: p.at + 1, Msg: msg}
}

// next reads one line outside of any file, or one file. Text that is no diff is passed over, as in
// a mail; what looks like a piece of a diff in the wrong place is an error.
func (p *parser) next() (*File, error) {
	line := p.peek(0)
	header := func(prefix string) bool { return strings.HasPrefix(line, prefix) }
	switch {
	case header("diff --git "):
		return p.gitFile()
	case header("diff --cc "), header("diff --combined "):
		return nil, p.fail(Unparsable, "is a combined diff of a merge; make it against one parent")
	case header("--- ") && strings.HasPrefix(p.peek(1), "+++ "):
		return p.plainFile()
	case header("@@ -"):
		return nil, p.fail(Unparsable, "is a hunk without the name of a file before it")
	case header("Only in ") && strings.Contains(line, ": "):
		return nil, p.fail(Unparsable, "names a file without its content; use diff -N")
	case header("GIT binary patch"), header("Binary files ") && strings.HasSuffix(line, " differ"):
		return nil, p.fail(Binary, "is a binary change")
	}
	p.at++
	return nil, nil
}

// plainFile reads a file that begins with "--- " and "+++ ", as diff -u writes it.
func (p *parser) plainFile() (*File, error) {
	f := &File{Line: p.at + 1}
	oldName, err := p.nameOf("--- ")
	if err != nil {
		return nil, err
	}
	p.at++
	newName, err := p.nameOf("+++ ")
	if err != nil {
		return nil, err
	}
	p.at++
	switch {
	case oldName == devNull && newName == devNull:
		return nil, p.fail(Unparsable, "names no file")
	case oldName == devNull:
		f.New = stripOne(newName)
	case newName == devNull:
		f.Old = stripOne(oldName)
	default:
		same, ok := stripPair(oldName, newName)
		if !ok {
			return nil, p.fail(Unparsable, "names two different files")
		}
		f.Old, f.New = same, same
	}
	if err := p.hunks(f); err != nil {
		return nil, err
	}
	if len(f.Hunks) == 0 {
		return nil, p.fail(Unparsable, "has no hunk after the names of the file")
	}
	// A diff without git's header shows a new file as one hunk that takes nothing from line 0. Whether
	// the file is new or was empty, only its caller can tell, so both names stay.
	return f, checkPaths(f)
}

// nameOf returns the file name in a "--- " or "+++ " line, without its time stamp.
func (p *parser) nameOf(prefix string) (string, error) {
	rest := strings.TrimPrefix(p.peek(0), prefix)
	if strings.HasSuffix(rest, "\r") {
		return "", p.fail(Unparsable, "ends in CR LF: the patch was converted by an editor or a mailer")
	}
	if strings.HasPrefix(rest, `"`) {
		name, tail, ok := unquote(rest)
		if !ok || tail != "" && tail[0] != '\t' {
			return "", p.fail(Unparsable, "has a badly quoted name")
		}
		return name, nil
	}
	name, _, _ := strings.Cut(rest, "\t")
	if name == "" {
		return "", p.fail(Unparsable, "names no file")
	}
	return name, nil
}

func checkPaths(f *File) error {
	for _, path := range []string{f.Old, f.New} {
		if path == "" {
			continue
		}
		if err := treename.CheckPath(path, f.NewMode == ModeSymlink || f.OldMode == ModeSymlink); err != nil {
			return &Error{Kind: Escaping, Line: f.Line, Msg: err.Error()}
		}
	}
	return nil
}
