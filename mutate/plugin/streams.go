package plugin

import (
	"errors"
	"strings"
	"unicode"
)

var errTooMuch = errors.New("too much output")

// bounded keeps what is written to it, up to a size; a guest that goes on is stopped.
type bounded struct {
	data []byte
	left int
	over bool
	stop func()
}

func (b *bounded) Write(p []byte) (int, error) {
	if len(p) > b.left {
		b.over = true
		b.stop()
		return 0, errTooMuch
	}
	b.left -= len(p)
	b.data = append(b.data, p...)
	return len(p), nil
}

// tail keeps the end of what is written to it.
type tail struct{ data []byte }

const maxTail = 500

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	t.data = append(t.data, p[max(0, n-maxTail):]...)
	t.data = append([]byte(nil), t.data[max(0, len(t.data)-maxTail):]...)
	return n, nil
}

// text is what a person may be shown of it: one line, without what moves a terminal.
func (t *tail) text() string {
	printable := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(string(t.data), "?"))
	return strings.Join(strings.Fields(printable), " ")
}
