package main

import (
	"bytes"
	"os"

	"golang.org/x/term"
)

// passing hands what a command in a box prints to one of Lane's own streams.
type passing struct {
	p    *printer
	to   *os.File
	show bool // control characters are shown: somebody's terminal would obey them
	half bool // the last byte was the first half of what may be a control character in UTF-8
}

// passing returns the writer for a stream; as is says that the command has the terminal to itself.
func (p *printer) passing(to *os.File, asIs bool) *passing {
	return &passing{p: p, to: to, show: !asIs && term.IsTerminal(int(to.Fd()))}
}

func (w *passing) Write(data []byte) (int, error) {
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	w.p.wipe()
	out := data
	if w.show {
		out = w.shown(data)
	}
	if _, err := w.to.Write(out); err != nil {
		return 0, err
	}
	return len(data), nil
}

// shown writes control characters as ^X, all but tabs and line ends; those of the second set, which UTF-8 writes in two bytes
// from 0xc2 on, as a question mark.
func (w *passing) shown(data []byte) []byte {
	var b bytes.Buffer
	for i, c := range data {
		half := w.half
		w.half = false
		switch {
		case half && c >= 0x80 && c <= 0x9f:
			b.WriteByte('?')
			continue
		case half:
			b.WriteByte(0xc2)
		}
		switch {
		case c == 0xc2:
			w.half = true
		case c == '\n', c == '\t', c >= 0x20 && c != 0x7f, c == '\r' && i+1 < len(data) && data[i+1] == '\n':
			b.WriteByte(c)
		default:
			b.Write([]byte{'^', c ^ 0x40})
		}
	}
	return b.Bytes()
}
