package patch

import (
	"fmt"
	"strconv"
	"strings"
)

// hunks reads the hunks that follow the names of a file.
func (p *parser) hunks(f *File) error {
	for strings.HasPrefix(p.peek(0), "@@ ") {
		h, err := p.hunk()
		if err != nil {
			return err
		}
		if n := len(f.Hunks); n > 0 {
			if last := f.Hunks[n-1]; h.OldStart < last.OldStart+last.OldLines || h.NewStart < last.NewStart+last.NewLines {
				return &Error{Kind: Unparsable, Line: h.Line, Path: f.Path(), Hunk: n + 1, Msg: "overlaps the hunk before it"}
			}
		}
		f.Hunks = append(f.Hunks, h)
	}
	if strings.HasPrefix(p.peek(0), "@@@") {
		return p.fail(Unparsable, "is a combined diff of a merge; make it against one parent")
	}
	return nil
}

func (p *parser) hunk() (Hunk, error) {
	h := Hunk{Line: p.at + 1}
	if !h.readHeader(p.peek(0)) {
		return h, p.fail(Unparsable, "is not a hunk header: want @@ -start,lines +start,lines @@")
	}
	p.at++
	oldLeft, newLeft := h.OldLines, h.NewLines
	changes := 0
	for oldLeft > 0 || newLeft > 0 {
		if p.at >= len(p.lines) {
			return h, p.fail(Unparsable, fmt.Sprintf("ends inside the hunk of line %d", h.Line))
		}
		line := p.lines[p.at]
		l := Line{Op: line[0], Text: line[1:]}
		switch l.Op {
		case '\n': // an empty kept line whose one space a mailer took away
			l = Line{Op: ' ', Text: line}
			fallthrough
		case ' ':
			oldLeft, newLeft = oldLeft-1, newLeft-1
		case '-':
			oldLeft--
			changes++
		case '+':
			newLeft--
			changes++
		default:
			return h, p.fail(Unparsable, fmt.Sprintf("is no line of the hunk of line %d, which has fewer lines than its header says", h.Line))
		}
		if oldLeft < 0 || newLeft < 0 {
			return h, p.fail(Unparsable, fmt.Sprintf("is one line too many in the hunk of line %d", h.Line))
		}
		p.at++
		if strings.HasPrefix(p.peek(0), `\ `) { // "\ No newline at end of file", in any language
			l.Text = l.Text[:len(l.Text)-1]
			p.at++
		} else if l.Text[len(l.Text)-1] != '\n' {
			return h, &Error{Kind: Unparsable, Line: p.at, Msg: "the patch is cut off inside a line"}
		}
		h.Lines = append(h.Lines, l)
	}
	if changes == 0 {
		return h, &Error{Kind: Unparsable, Line: h.Line, Msg: "is a hunk that changes nothing"}
	}
	if err := h.checkNewlines(); err != nil {
		return h, err
	}
	return h, p.afterHunk(h)
}

// afterHunk refuses lines that read as if they belonged to the hunk that has just ended.
func (p *parser) afterHunk(h Hunk) error {
	line := p.peek(0)
	if line == "" || line == "-- " || line == "--" || strings.HasPrefix(line, "--- ") && strings.HasPrefix(p.peek(1), "+++ ") {
		return nil
	}
	if strings.IndexByte(" +-\\", line[0]) >= 0 {
		return p.fail(Unparsable, fmt.Sprintf("goes on after the hunk of line %d, which has more lines than its header says", h.Line))
	}
	return nil
}

// checkNewlines refuses a line without newline that is not the last of its side.
func (h *Hunk) checkNewlines() error {
	oldEnded, newEnded := false, false
	for _, l := range h.Lines {
		if l.Op != '+' && oldEnded || l.Op != '-' && newEnded {
			return &Error{Kind: Unparsable, Line: h.Line, Msg: "goes on after a line without newline, which can only be the last"}
		}
		ended := len(l.Text) == 0 || l.Text[len(l.Text)-1] != '\n'
		oldEnded = oldEnded || ended && l.Op != '+'
		newEnded = newEnded || ended && l.Op != '-'
	}
	return nil
}

// readHeader reads "@@ -a,b +c,d @@", with ",b" and ",d" left out for 1.
func (h *Hunk) readHeader(line string) bool {
	rest, ok := strings.CutPrefix(line, "@@ -")
	if !ok {
		return false
	}
	ranges, _, ok := strings.Cut(rest, " @@")
	if !ok {
		return false
	}
	before, after, ok := strings.Cut(ranges, " +")
	if !ok {
		return false
	}
	return readRange(before, &h.OldStart, &h.OldLines) && readRange(after, &h.NewStart, &h.NewLines) && h.OldLines+h.NewLines > 0
}

func readRange(s string, start, lines *int) bool {
	first, count, counted := strings.Cut(s, ",")
	var err error
	if *start, err = readNumber(first); err != nil {
		return false
	}
	*lines = 1
	if counted {
		if *lines, err = readNumber(count); err != nil {
			return false
		}
	}
	// Only a stretch of no lines may stand before the first line.
	return *start > 0 || *lines == 0
}

func readNumber(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 30)
	return int(n), err
}
