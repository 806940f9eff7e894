package gotest

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/vallane/lane/lane/observe"
)

// parser returns what reads a profile and names its files as the tree does. It holds nothing of the tree open.
func (s *scan) parser() func([]byte) (observe.Reach, error) {
	prefixes := map[string]string{s.importPath(s.mod.dir): s.mod.dir}
	for _, u := range s.units {
		prefixes[u.id] = u.dir
	}
	if s.noMod {
		prefixes = map[string]string{"_" + s.box: ".", s.box: "."}
	}
	return func(profile []byte) (observe.Reach, error) {
		return parseProfile(profile, func(file string) string { return treePath(prefixes, file) })
	}
}

// treePath finds the folder of a file by the longest import path that it begins with; "" where none fits.
func treePath(prefixes map[string]string, file string) string {
	for at := path.Dir(file); at != "." && at != "/"; at = path.Dir(at) {
		if dir, ok := prefixes[at]; ok {
			name := path.Join(dir, file[len(at):])
			if name == ".." || strings.HasPrefix(name, "../") {
				return ""
			}
			return name
		}
	}
	return ""
}

// parseProfile reads a text profile of the go command, which the code under test may have written. name turns the name of a file
// in the profile into one of the tree, or "" to leave it out.
func parseProfile(profile []byte, name func(string) string) (observe.Reach, error) {
	reach := make(observe.Reach)
	names := make(map[string]string)
	number := 0
	for line := range bytes.Lines(profile) {
		number++
		text := strings.TrimSpace(string(line))
		if text == "" || number == 1 && strings.HasPrefix(text, "mode: ") {
			continue
		}
		file, span, hit, ok := parseBlock(text)
		if !ok {
			return nil, fmt.Errorf("read coverage profile: line %d is not a block", number)
		}
		if !hit {
			continue
		}
		in, seen := names[file]
		if !seen {
			in = name(file)
			names[strings.Clone(file)] = in
		}
		if in != "" {
			reach[in] = append(reach[in], span)
		}
	}
	if number == 0 {
		return nil, fmt.Errorf("read coverage profile: it is empty")
	}
	for file, spans := range reach {
		reach[file] = mergeLines(spans)
	}
	return reach, nil
}

// parseBlock reads "file:line.column,line.column statements count".
func parseBlock(s string) (file string, span observe.Lines, hit, ok bool) {
	s, count, ok1 := cutLast(s, ' ')
	s, _, ok2 := cutLast(s, ' ')
	file, s, ok3 := cutLast(s, ':')
	from, to, ok4 := strings.Cut(s, ",")
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return "", span, false, false
	}
	n, err := strconv.ParseUint(count, 10, 64)
	first, ok5 := lineOf(from)
	last, ok6 := lineOf(to)
	span = observe.Lines{First: first, Last: last}
	return file, span, n > 0, err == nil && ok5 && ok6 && first <= last
}

func cutLast(s string, sep byte) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

func lineOf(s string) (int, bool) {
	line, _, ok := strings.Cut(s, ".")
	n, err := strconv.Atoi(line)
	return n, ok && err == nil && n > 0
}

// mergeLines sorts ranges and joins those that touch.
func mergeLines(spans []observe.Lines) []observe.Lines {
	slices.SortFunc(spans, func(a, b observe.Lines) int { return cmp.Or(a.First-b.First, a.Last-b.Last) })
	merged := spans[:0]
	for _, s := range spans {
		if n := len(merged); n > 0 && s.First <= merged[n-1].Last+1 {
			merged[n-1].Last = max(merged[n-1].Last, s.Last)
			continue
		}
		merged = append(merged, s)
	}
	return slices.Clip(merged)
}
