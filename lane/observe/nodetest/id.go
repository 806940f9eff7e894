package nodetest

import (
	"path"
	"slices"
	"strings"
)

// separator stands between the names of a test and of what it lies in. Names that hold it are told with another sign in its
// place.
const separator = " > "

// whole is the name of the test that a file as a whole is.
const whole = "(file)"

// Join makes the id of a test.
func Join(unit, test string) string {
	if test == whole {
		return unit
	}
	return unit + separator + test
}

// Parent returns the name of what a test lies in, or "".
func Parent(test string) string {
	i := strings.LastIndex(test, separator)
	if i < 0 {
		return ""
	}
	return test[:i]
}

// top is the name of the outermost test or suite that a test lies in.
func top(test string) string {
	name, _, _ := strings.Cut(test, separator)
	return name
}

// split takes an id apart: the file ends at the first separator.
func split(id string) (unit, test string) {
	unit, test, ok := strings.Cut(id, separator)
	if !ok {
		return id, whole
	}
	return unit, test
}

// Match reports whether a pattern names the test with this id: the whole id; the test's name, with as many of the names
// that it lies in as the person cared to write; or that after the end of the file's path. A name does not name what lies in
// the test.
func (Reporter) Match(pattern, id string) bool {
	pattern = strings.Join(strings.Fields(pattern), " ")
	if pattern == id {
		return true
	}
	unit, test := split(id)
	if test == whole {
		return endOfPath(unit, pattern)
	}
	want, have := strings.Split(pattern, separator), strings.Split(test, separator)
	if endOf(have, want) {
		return true
	}
	return len(want) > 1 && endOfPath(unit, want[0]) && endOf(have, want[1:])
}

func endOf(have, want []string) bool {
	return len(want) <= len(have) && slices.Equal(have[len(have)-len(want):], want)
}

func endOfPath(file, end string) bool {
	end = strings.TrimPrefix(path.Clean(end), "./")
	return end == file || strings.HasSuffix(file, "/"+end)
}
