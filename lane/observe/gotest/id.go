package gotest

import (
	"path"
	"regexp"
	"strings"
)

// Join makes the id of a test: import path, dot, name.
func Join(unit, test string) string { return unit + "." + test }

// Parent returns the name of the test that a subtest is a part of, or "".
func Parent(test string) string {
	i := strings.LastIndexByte(test, '/')
	if i < 0 {
		return ""
	}
	return test[:i]
}

// Top returns the name of the top-level test that a test is a part of, or itself.
func Top(test string) string {
	top, _, _ := strings.Cut(test, "/")
	return top
}

// testName finds where the name of a test begins in an id. Import paths hold dots and slashes, names of subtests hold anything.
var testName = regexp.MustCompile(`(?:^|\.)((?:Test|Example|Fuzz|Benchmark)(?:[^\p{Ll}./][^./]*)?(?:/.*)?)$`)

// Split takes an id, or a pattern that names a test, apart; ok is false where it holds no name of a test.
func Split(id string) (unit, test string, ok bool) {
	// The first place fits: whatever looks like a test further on belongs to a subtest.
	for at := 0; at <= len(id); {
		end := strings.IndexByte(id[at:], '.')
		if testName.MatchString(id[at:]) && startsTest(id[at:]) {
			return strings.TrimSuffix(id[:at], "."), id[at:], true
		}
		if end < 0 {
			break
		}
		at += end + 1
	}
	return id, "", false
}

func startsTest(s string) bool {
	m := testName.FindStringSubmatchIndex(s)
	return m != nil && m[2] == 0
}

// Match reports whether a pattern names the test with this id: the whole id; the name alone, in any package; or the name with the
// end of an import path, as "./pkg.TestX" or "pkg.TestX". The name of a test does not name its subtests.
func (Reporter) Match(pattern, id string) bool {
	if pattern == id {
		return true
	}
	where, test, ok := Split(pattern)
	if !ok {
		return false
	}
	unit, ok := strings.CutSuffix(id, "."+test)
	if !ok {
		return false
	}
	if u, t, split := Split(id); split && (u != unit || t != test) {
		return false
	}
	return where == "" || matchUnit(where, unit)
}

func matchUnit(where, unit string) bool {
	where = strings.TrimPrefix(path.Clean(where), "./")
	if where == "." || where == unit || strings.HasSuffix(unit, "/"+where) {
		return true
	}
	// People leave the major version out.
	dir, last := path.Split(unit)
	if len(last) < 2 || last[0] != 'v' || strings.Trim(last[1:], "0123456789") != "" {
		return false
	}
	unit = strings.TrimSuffix(dir, "/")
	return where == unit || strings.HasSuffix(unit, "/"+where)
}
