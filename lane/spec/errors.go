package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Error is one problem of a spec file.
type Error struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1; 0 where the problem is the file as a whole
	Col  int    `json:"col"`  // from 1, in Unicode code points
	Msg  string `json:"msg"`
	Hint string `json:"hint,omitempty"` // what to write instead, where one can tell
}

// Error returns the problem on one line: file:line:col: message; hint.
func (e Error) Error() string {
	text := e.Msg
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	switch {
	case e.Line == 0 && e.File == "":
		return text
	case e.Line == 0:
		return fmt.Sprintf("%s: %s", quoteName(e.File), text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", quoteName(e.File), e.Line, e.Col, text)
}

// Errors holds every problem that was found, in the order of the files and of
// their text.
type Errors struct {
	List []Error // at least one
}

// Error returns one line per problem.
func (e *Errors) Error() string {
	lines := make([]string, len(e.List))
	for i, problem := range e.List {
		lines[i] = problem.Error()
	}
	return strings.Join(lines, "\n")
}

// Hint says where the keys are described.
func (e *Errors) Hint() string {
	return "docs/spec-reference.md describes every key of a spec"
}

// problems returns nil for no problem, so that callers can return it as error.
func problems(list []Error) error {
	if len(list) == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.Msg, b.Msg))
	})
	return &Errors{List: slices.Compact(list)}
}

// complaint is a problem whose place is not known yet.
type complaint struct {
	msg, hint string
}

func complain(hint, format string, args ...any) *complaint {
	return &complaint{msg: fmt.Sprintf(format, args...), hint: hint}
}
