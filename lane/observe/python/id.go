package python

import (
	"path"
	"strings"
)

// parentOfNode returns the function that a run of a parametrised test is a part of, or "".
func parentOfNode(test string) string {
	at := strings.Index(test, "::")
	if at < 0 || !strings.HasSuffix(test, "]") {
		return ""
	}
	bracket := strings.IndexByte(test[at:], '[')
	if bracket < 0 {
		return ""
	}
	return test[:at+bracket]
}

// parentOfCase returns the method that a subtest is a part of, or "".
func parentOfCase(test string) string {
	method, _, part := strings.Cut(test, " ")
	if !part {
		return ""
	}
	return method
}

// matchNode reports whether a pattern names a test of pytest: its whole id; its end from a slash on; or the names after the
// file alone.
func matchNode(pattern, id string) bool {
	if pattern == id {
		return true
	}
	file, names, ok := strings.Cut(pattern, "::")
	if !strings.HasSuffix(file, ".py") {
		_, rest, found := strings.Cut(id, "::")
		return found && rest == pattern
	}
	idFile, idNames, _ := strings.Cut(id, "::")
	return ok && names == idNames && within(path.Clean(file), idFile, "/")
}

// matchCase reports whether a pattern names a test of unittest: its whole id, or its end from a dot on.
func matchCase(pattern, id string) bool {
	return within(pattern, id, ".")
}

func within(pattern, whole, sep string) bool {
	return pattern != "" && (pattern == whole || strings.HasSuffix(whole, sep+pattern))
}
