package patch

import (
	"bytes"
	"fmt"
	"strings"
)

// Apply returns the content that the file has after the patch. old is its content before, oldID the
// blob id of that content. The error is an *Error of kind Unbound.
func (f *File) Apply(old []byte, oldID string) ([]byte, error) {
	if len(f.Hunks) == 0 {
		return old, nil
	}
	lines := bytes.SplitAfter(old, []byte("\n"))
	if n := len(lines); len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	bound := f.OldID != "" && strings.HasPrefix(oldID, f.OldID) && len(f.OldID) >= 7
	places, err := f.places(lines, bound)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(old)+1024)
	next := 0 // line of old to copy next
	for i, h := range f.Hunks {
		out = append(out, bytes.Join(lines[next:places[i]], nil)...)
		for _, l := range h.Lines {
			if l.Op != '-' {
				out = append(out, l.Text...)
			}
		}
		next = places[i] + h.OldLines
	}
	tail := bytes.Join(lines[next:], nil)
	if len(tail) > 0 && len(out) > 0 && out[len(out)-1] != '\n' {
		return nil, f.unbound(len(f.Hunks)-1, "ends the file without a newline, and the file goes on")
	}
	return append(out, tail...), nil
}

// places returns the line of the old file, from 0, at which each hunk lies.
func (f *File) places(lines [][]byte, bound bool) ([]int, error) {
	places := make([]int, len(f.Hunks))
	exact := true
	for i := range f.Hunks {
		h := &f.Hunks[i]
		if err := f.anchored(i, lines, bound); err != nil {
			return nil, err
		}
		places[i] = h.place()
		if !h.liesAt(lines, places[i], bound) {
			exact = false
		}
	}
	if exact {
		return places, nil
	}
	if bound {
		i := f.firstAstray(lines, bound)
		return nil, f.unbound(i, "does not fit the very file that the patch says it was made from: the patch was edited afterwards")
	}
	// The base is not the one that the patch was made from. Every hunk now has to prove its place.
	from := 0
	for i := range f.Hunks {
		h := &f.Hunks[i]
		var found []int
		for at := from; at+h.OldLines <= len(lines) && len(found) < 2; at++ {
			if h.liesAt(lines, at, false) {
				found = append(found, at)
			}
		}
		switch {
		case len(found) == 0:
			return nil, f.unbound(i, h.describeMismatch(lines))
		case len(found) > 1:
			return nil, f.unbound(i, fmt.Sprintf("does not lie at line %d, and fits at lines %d and %d: it cannot be told which is meant", h.OldStart, found[0]+1, found[1]+1))
		}
		places[i] = found[0]
		from = found[0] + h.OldLines
	}
	return places, nil
}

// place is the line, from 0, that the hunk's header names. A stretch of no lines is counted from
// the line before it.
func (h *Hunk) place() int {
	if h.OldLines == 0 {
		return h.OldStart
	}
	return h.OldStart - 1
}

// anchored refuses a hunk that has nothing to hold on to.
func (f *File) anchored(i int, lines [][]byte, bound bool) error {
	h := &f.Hunks[i]
	leading, trailing := h.context()
	wholeFile := h.place() == 0 && h.OldLines == len(lines)
	if leading == 0 && trailing == 0 && !bound && !wholeFile {
		return f.unbound(i, "has no line of context, and the file is not the one that the patch was made from")
	}
	return nil
}

// liesAt tells whether the hunk's old lines are those of the file from line at on. A hunk with less
// context at one end was cut off by that end of the file, so it must lie there.
func (h *Hunk) liesAt(lines [][]byte, at int, bound bool) bool {
	if at < 0 || at+h.OldLines > len(lines) {
		return false
	}
	if !bound {
		_, trailing := h.context()
		if trailing == 0 && at+h.OldLines != len(lines) || h.OldStart <= 1 && at != 0 {
			return false
		}
	}
	for _, l := range h.Lines {
		if l.Op == '+' {
			continue
		}
		if !bytes.Equal(lines[at], l.Text) {
			return false
		}
		at++
	}
	return true
}

func (f *File) firstAstray(lines [][]byte, bound bool) int {
	for i := range f.Hunks {
		if !f.Hunks[i].liesAt(lines, f.Hunks[i].place(), bound) {
			return i
		}
	}
	return 0
}

// describeMismatch says which line differs where the hunk should lie.
func (h *Hunk) describeMismatch(lines [][]byte) string {
	at := h.place()
	for _, l := range h.Lines {
		if l.Op == '+' {
			continue
		}
		if at >= len(lines) {
			return fmt.Sprintf("wants line %d, and the file has %d", at+1, len(lines))
		}
		if !bytes.Equal(lines[at], l.Text) {
			return fmt.Sprintf("does not fit: line %d of the file is %s, the patch expects %s", at+1, quote(lines[at]), quote(l.Text))
		}
		at++
	}
	return "has no context after its last change, and the file goes on there"
}

// quote shows a line of a file in a message, whatever bytes it holds.
func quote(line []byte) string {
	const most = 60
	if len(line) > most {
		return fmt.Sprintf("%q...", line[:most])
	}
	return fmt.Sprintf("%q", line)
}

func (f *File) unbound(hunk int, msg string) error {
	return &Error{Kind: Unbound, Line: f.Hunks[hunk].Line, Path: f.Path(), Hunk: hunk + 1, Msg: msg}
}
