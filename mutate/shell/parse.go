package shell

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// maxSource is the size of the largest script that is read, in bytes.
	maxSource = 256 << 10
	// maxFrames is how many calls deep the parser may get. It knows no bound of its own, and a Go program does not survive a stack that
	// grows without end.
	maxFrames = 8000
)

// Unreadable says why a script has no tree.
type Unreadable string

func (e Unreadable) Error() string { return string(e) }

var errDepth = errors.New("it is nested too deeply")

// shallow hands a source to the parser in pieces, and looks at each how deep the parser is by then.
type shallow struct {
	rest   []byte
	frames []uintptr // for counting
}

func (s *shallow) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		return 0, io.EOF
	}
	if runtime.Callers(1, s.frames) == maxFrames {
		return 0, errDepth
	}
	n := copy(p, s.rest[:min(len(s.rest), 1024)])
	s.rest = s.rest[n:]
	return n, nil
}

// parse reads a script in the dialects that it may be in.
func parse(src []byte) (*syntax.File, error) {
	if len(src) > maxSource {
		return nil, Unreadable(fmt.Sprintf("larger than %d bytes", maxSource))
	}
	var err error
	for _, d := range dialects(src) {
		var f *syntax.File
		if f, err = parseAs(d, src); err == nil {
			return f, nil
		}
	}
	return nil, Unreadable(err.Error())
}

func parseAs(d syntax.LangVariant, src []byte) (f *syntax.File, err error) {
	defer func() {
		if recover() != nil {
			f, err = nil, errors.New("the parser did not survive it")
		}
	}()
	f, err = syntax.NewParser(syntax.Variant(d), syntax.KeepComments(true)).Parse(&shallow{src, make([]uintptr, maxFrames)}, "")
	var wrong syntax.ParseError
	if errors.As(err, &wrong) {
		return nil, fmt.Errorf("line %d, column %d: %s", wrong.Pos.Line(), wrong.Pos.Col(), wrong.Text)
	}
	if errors.Is(err, errDepth) {
		return nil, errDepth
	}
	return f, err
}

// dialects are those that a script may be in, the likeliest first. Shells that call themselves sh take more than POSIX says.
func dialects(src []byte) []syntax.LangVariant {
	line, _, _ := bytes.Cut(src, []byte("\n"))
	if strings.HasPrefix(string(line), "#!") && strings.Contains(string(line), "bash") {
		return []syntax.LangVariant{syntax.LangBash}
	}
	return []syntax.LangVariant{syntax.LangPOSIX, syntax.LangBash}
}
