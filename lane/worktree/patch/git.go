package patch

import (
	"strconv"
	"strings"
)

// gitFile reads a file that begins with "diff --git".
func (p *parser) gitFile() (*File, error) {
	f := &File{Line: p.at + 1}
	first := p.peek(0)
	if strings.HasSuffix(first, "\r") {
		return nil, p.fail(Unparsable, "ends in CR LF: the patch was converted by an editor or a mailer")
	}
	h := gitHeader{file: f}
	h.oldName, h.newName, h.named = splitGitNames(strings.TrimPrefix(first, "diff --git "))
	p.at++
	if err := p.extended(&h); err != nil {
		return nil, err
	}
	if err := h.finish(p); err != nil {
		return nil, err
	}
	if strings.HasPrefix(p.peek(0), "--- ") {
		if err := p.confirmNames(&h); err != nil {
			return nil, err
		}
		if err := p.hunks(f); err != nil {
			return nil, err
		}
		if len(f.Hunks) == 0 {
			return nil, p.fail(Unparsable, "has no hunk after the names of the file")
		}
	} else if strings.HasPrefix(p.peek(0), "@@") {
		return nil, p.fail(Unparsable, "is a hunk without the name of a file before it")
	}
	if len(f.Hunks) == 0 && f.Old == f.New && (f.OldMode == f.NewMode || f.NewMode == 0) {
		return nil, &Error{Kind: Unparsable, Line: f.Line, Path: f.Path(), Msg: "is named and not changed"}
	}
	return f, checkPaths(f)
}

// gitHeader is what the lines between "diff --git" and the first hunk say.
type gitHeader struct {
	file             *File
	oldName, newName string // with their first folders
	named            bool   // both could be told apart
	from, to         string // of a rename or a copy
	created, deleted bool
}

// extended reads git's own header lines.
func (p *parser) extended(h *gitHeader) error {
	for ; p.at < len(p.lines); p.at++ {
		line := p.peek(0)
		if strings.HasSuffix(line, "\r") {
			return p.fail(Unparsable, "ends in CR LF: the patch was converted by an editor or a mailer")
		}
		if line == "GIT binary patch" || strings.HasPrefix(line, "Binary files ") {
			return p.fail(Binary, "is a binary change")
		}
		known, ok := h.line(line)
		if !known {
			return nil
		}
		if !ok {
			return p.fail(Unparsable, "is a header line that cannot be read")
		}
	}
	return nil
}

func (h *gitHeader) line(line string) (known, ok bool) {
	f := h.file
	for prefix, read := range map[string]func(string) bool{
		"old mode ":            func(s string) bool { return readMode(s, &f.OldMode) },
		"new mode ":            func(s string) bool { return readMode(s, &f.NewMode) },
		"new file mode ":       func(s string) bool { h.created = true; return readMode(s, &f.NewMode) },
		"deleted file mode ":   func(s string) bool { h.deleted = true; return readMode(s, &f.OldMode) },
		"rename from ":         func(s string) bool { f.Rename = true; return readName(s, &h.from) },
		"rename to ":           func(s string) bool { f.Rename = true; return readName(s, &h.to) },
		"copy from ":           func(s string) bool { f.Copy = true; return readName(s, &h.from) },
		"copy to ":             func(s string) bool { f.Copy = true; return readName(s, &h.to) },
		"index ":               h.readIDs,
		"similarity index ":    func(string) bool { return true },
		"dissimilarity index ": func(string) bool { return true },
	} {
		if rest, found := strings.CutPrefix(line, prefix); found {
			return true, read(rest)
		}
	}
	return false, false
}

// readIDs reads "old..new" and a mode after it, which stands there when it did not change.
func (h *gitHeader) readIDs(s string) bool {
	ids, mode, moded := strings.Cut(s, " ")
	before, after, ok := strings.Cut(ids, "..")
	if !ok || !isHex(before) || !isHex(after) {
		return false
	}
	h.file.OldID = before
	if !moded {
		return true
	}
	if !readMode(mode, &h.file.OldMode) {
		return false
	}
	h.file.NewMode = h.file.OldMode
	return true
}

// finish settles the names and kind of the file once all header lines are read.
func (h *gitHeader) finish(p *parser) error {
	f := h.file
	fail := func(msg string) error { return &Error{Kind: Unparsable, Line: f.Line, Msg: msg} }
	kinds := 0
	for _, is := range []bool{h.created, h.deleted, f.Rename, f.Copy} {
		if is {
			kinds++
		}
	}
	if kinds > 1 {
		return fail("is at once two of new, deleted, renamed and copied")
	}
	if f.Rename || f.Copy {
		if h.from == "" || h.to == "" || h.from == h.to {
			return fail("is renamed or copied without two names")
		}
		if h.named {
			if from, to := stripRename(h.oldName, h.newName); from != h.from || to != h.to {
				return fail("names different files in its header lines")
			}
		}
		f.Old, f.New = h.from, h.to
		return nil
	}
	if !h.named {
		return fail("has names that cannot be told apart")
	}
	same, ok := stripPair(h.oldName, h.newName)
	if !ok {
		return fail("names two different files, and is neither renamed nor copied")
	}
	if !h.deleted {
		f.New = same
	}
	if !h.created {
		f.Old = same
	}
	return nil
}

// confirmNames reads the "--- " and "+++ " lines, which must say the same as the lines before.
func (p *parser) confirmNames(h *gitHeader) error {
	for _, side := range []struct{ prefix, path, full string }{
		{"--- ", h.file.Old, h.oldName}, {"+++ ", h.file.New, h.newName},
	} {
		if !strings.HasPrefix(p.peek(0), side.prefix) {
			return p.fail(Unparsable, "is not the expected line "+strings.TrimSpace(side.prefix))
		}
		name, err := p.nameOf(side.prefix)
		if err != nil {
			return err
		}
		switch {
		case side.path == "":
			if name != devNull {
				return p.fail(Unparsable, "names a file where /dev/null is expected")
			}
		case h.named && name != side.full, !h.named && stripOne(name) != side.path && name != side.path:
			return p.fail(Unparsable, "names another file than the lines before")
		}
		p.at++
	}
	return nil
}

func readMode(s string, mode *Mode) bool {
	n, err := strconv.ParseUint(s, 8, 32)
	*mode = Mode(n)
	switch *mode {
	case ModeFile, ModeExecutable, ModeSymlink, ModeSubmodule:
		return err == nil
	}
	return false
}

func readName(s string, name *string) bool {
	if strings.HasPrefix(s, `"`) {
		unquoted, tail, ok := unquote(s)
		*name = unquoted
		return ok && tail == ""
	}
	*name = s
	return s != ""
}

func isHex(s string) bool {
	for i := 0; i < len(s); i++ {
		if !(s[i] >= '0' && s[i] <= '9' || s[i] >= 'a' && s[i] <= 'f') {
			return false
		}
	}
	return len(s) >= 4 && len(s) <= 64
}
