package worktree

import (
	"fmt"
	"strings"
)

// quotePath writes a path for objects/info/alternates and its like: as a C string where it holds
// what would end or hide the line.
func quotePath(path string) string {
	if !strings.ContainsAny(path, "\n\"\\:") && !strings.HasPrefix(path, "#") {
		return path
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ':
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// unquotePath reads what quotePath wrote, and git's one-letter escapes.
func unquotePath(s string) string {
	var b strings.Builder
	s = strings.TrimSuffix(strings.TrimPrefix(s, `"`), `"`)
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if k := strings.IndexByte("abtnvfr", s[i]); k >= 0 {
			b.WriteByte("\a\b\t\n\v\f\r"[k])
		} else if i+2 < len(s) && s[i] >= '0' && s[i] <= '3' {
			b.WriteByte((s[i]-'0')<<6 | (s[i+1]-'0')<<3 | (s[i+2] - '0'))
			i += 2
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
