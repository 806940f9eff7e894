package spec

import (
	"path"
	"strings"
)

// maxGlob keeps a pattern from a stranger's spec cheap to match.
const maxGlob = 500 // bytes

// checkGlob refuses patterns that Match would read otherwise than their writer
// meant, or that lead out of the tree.
func checkGlob(pattern string) *complaint {
	if c := checkInside(pattern, inside{pattern, "a pattern", treeRoot}); c != nil {
		return c
	}
	switch {
	case len(pattern) > maxGlob:
		return complain("", "cannot be %s: more than %d bytes", quote(pattern), maxGlob)
	case strings.ContainsAny(pattern, "{}"):
		return complain("write one pattern for each", "cannot be %s: { } has no meaning here", quote(pattern))
	case strings.HasPrefix(pattern, "!"):
		return complain("list what is meant instead", "cannot be %s: a pattern cannot take files away", quote(pattern))
	case strings.HasSuffix(pattern, "/"):
		return complain("write "+quote(pattern+"**"), "cannot be %s: it ends with /", quote(pattern))
	case strings.Contains(pattern, "//"):
		return complain("", "cannot be %s: it has an empty part", quote(pattern))
	}
	for i, part := range strings.Split(pattern, "/") {
		if part == "." && i > 0 {
			return complain("", "cannot be %s: it has an empty part", quote(pattern))
		}
		if part != "**" && strings.Contains(part, "**") {
			return complain("** stands alone between slashes, as in src/**/*.go", "cannot be %s: it has ** inside a name", quote(pattern))
		}
		if _, err := path.Match(part, ""); err != nil {
			return complain("a set is written [abc], [a-z] or [^abc]", "cannot be %s: a [ without its ]", quote(pattern))
		}
	}
	return nil
}

const treeRoot = "the root of the tree"

// inside says how to speak of a path that has to stay below a folder.
type inside struct {
	whole string // the value that the path is, or is part of
	what  string // as in "a pattern"
	root  string // as in "the root of the tree"
}

// checkInside refuses paths that are absolute, climb out of their folder or are
// written for another system.
func checkInside(p string, in inside) *complaint {
	relative := "write it relative to " + in.root
	switch {
	case p == "":
		return complain(relative, "cannot be %s: it names nothing", quote(in.whole))
	case strings.Contains(p, `\`):
		return complain("separate folders by /", "cannot be %s: it has a backslash", quote(in.whole))
	case strings.HasPrefix(p, "/"), len(p) > 1 && p[1] == ':':
		return complain(relative, "cannot be %s: %s is never absolute", quote(in.whole), in.what)
	case strings.HasPrefix(p, "~"):
		return complain(relative, "cannot be %s: there is no home folder", quote(in.whole))
	}
	for _, part := range strings.Split(p, "/") {
		if part == ".." {
			return complain(relative, "cannot be %s: %s never has a .. in it", quote(in.whole), in.what)
		}
	}
	return checkLine(in.whole)
}

func cleanFolder(p string) string { return path.Clean(p) }

// Match reports whether a slash path of the tree, such as "src/cart/sum.go",
// matches a pattern:
//
//   - any characters of one name
//     ?      one character of a name
//     [a-z]  one character out of a set, [^a-z] one that is not in it
//     **     any number of names, none included
//
// Each part between slashes matches one name. A pattern whose last part has
// none of these also covers everything below the folder of that name. Case
// matters, and names that begin with a dot are like any other. A malformed
// pattern matches nothing.
func Match(pattern, name string) bool {
	parts := strings.Split(strings.TrimPrefix(pattern, "./"), "/")
	if pattern == "." {
		parts[0] = "**"
	}
	if !strings.ContainsAny(parts[len(parts)-1], "*?[") {
		parts = append(parts, "**")
	}
	return matchParts(parts, strings.Split(name, "/"))
}

// matchParts goes through names once, keeping the set of positions in parts
// that can have been reached, so that many ** cost no more than one.
func matchParts(parts, names []string) bool {
	reached := make([]bool, len(parts)+1)
	reached[0] = true
	spread := func(reached []bool) {
		for i, part := range parts {
			if reached[i] && part == "**" {
				reached[i+1] = true
			}
		}
	}
	spread(reached)
	for _, name := range names {
		next := make([]bool, len(parts)+1)
		for i, part := range parts {
			switch {
			case !reached[i]:
			case part == "**":
				next[i] = true
			default:
				if ok, err := path.Match(part, name); ok && err == nil {
					next[i+1] = true
				}
			}
		}
		spread(next)
		reached = next
	}
	return reached[len(parts)]
}
