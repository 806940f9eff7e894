package spec

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vallane/lane/lane/spec/position"
)

// MaxSize is the most bytes that a spec file may have.
const MaxSize = 1 << 20

// readable returns the text of a file without a byte order mark, or the one
// reason why it is no text at all.
func readable(name string, data []byte) (string, *Error) {
	whole := func(msg, hint string) *Error { return &Error{File: name, Msg: msg, Hint: hint} }
	if len(data) > MaxSize {
		return "", whole("a spec file has at most 1 MiB, this one has more", "is it the right file?")
	}
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(data, []byte(mark)) {
			return "", whole("the file is UTF-16", "save it as UTF-8")
		}
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	for i, r := range text {
		var msg, hint string
		switch {
		case r == utf8.RuneError && invalidAt(text, i):
			msg, hint = "the byte 0x"+strconv.FormatUint(uint64(text[i]), 16)+" is not UTF-8", "save the file as UTF-8"
		case r == 0 && i < 4:
			msg, hint = "a NUL byte", "the file looks like UTF-16; save it as UTF-8"
		case r == '\r' && !strings.HasPrefix(text[i:], "\r\n"):
			msg, hint = "a carriage return without a line feed", "end lines by LF or CR LF"
		case r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f:
			msg, hint = "the control character "+strconv.QuoteRuneToASCII(r), `TOML wants it escaped, as in "\u001b"`
		default:
			continue
		}
		at := position.At(text, i)
		return "", &Error{File: name, Line: at.Line, Col: at.Col, Msg: msg, Hint: hint}
	}
	return text, nil
}

func invalidAt(text string, i int) bool {
	_, size := utf8.DecodeRuneInString(text[i:])
	return size == 1
}

// quote shows a value from a file: on one line, of bounded length, with nothing
// that moves a terminal's cursor or hides what it says.
func quote(s string) string {
	const most = 80
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "…"
	}
	return strconv.Quote(s)
}

// quoteName shows a file name plainly where that is harmless.
func quoteName(name string) string {
	if quoted := strconv.Quote(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}
