package patch

import "strings"

const devNull = "/dev/null"

// pairs are the folders that git puts before the old and the new name: a/ and b/, or with
// diff.mnemonicPrefix i(ndex), w(ork tree), c(ommit), o(bject). A reversed diff swaps them.
var pairs = map[string]bool{
	"a b": true, "b a": true, "i w": true, "w i": true, "c i": true, "i c": true, "c w": true, "w c": true, "o w": true, "w o": true,
}

// stripPair returns the name that oldName and newName have in common once their first folders are
// taken away. Equal names have no such folder, whatever they begin with.
func stripPair(oldName, newName string) (string, bool) {
	if oldName == newName {
		return oldName, true
	}
	oldRoot, oldRest, ok1 := strings.Cut(oldName, "/")
	newRoot, newRest, ok2 := strings.Cut(newName, "/")
	if !ok1 || !ok2 || oldRest != newRest || oldRest == "" || oldRoot == "" || newRoot == "" {
		return "", false
	}
	return oldRest, true
}

// stripRename is stripPair for a file that has two names.
func stripRename(oldName, newName string) (oldPath, newPath string) {
	oldRoot, oldRest, ok1 := strings.Cut(oldName, "/")
	newRoot, newRest, ok2 := strings.Cut(newName, "/")
	if ok1 && ok2 && pairs[oldRoot+" "+newRoot] {
		return oldRest, newRest
	}
	return oldName, newName
}

// stripOne takes git's folder from a name that stands alone, the other one being /dev/null.
func stripOne(name string) string {
	if len(name) > 2 && name[1] == '/' && strings.IndexByte("abiwco", name[0]) >= 0 {
		return name[2:]
	}
	return name
}

// splitGitNames splits what follows "diff --git ". Names with spaces are not quoted there, so the
// split is the one that gives the same file on both sides; a renamed file with spaces has none, and
// its names follow in lines of their own.
func splitGitNames(rest string) (oldName, newName string, ok bool) {
	if strings.HasPrefix(rest, `"`) {
		first, tail, ok := unquote(rest)
		if !ok || !strings.HasPrefix(tail, " ") {
			return "", "", false
		}
		second := tail[1:]
		if strings.HasPrefix(second, `"`) {
			second, tail, ok = unquote(second)
			return first, second, ok && tail == ""
		}
		return first, second, second != ""
	}
	if strings.HasSuffix(rest, `"`) {
		if i := strings.Index(rest, ` "`); i > 0 {
			second, tail, ok := unquote(rest[i+1:])
			return rest[:i], second, ok && tail == ""
		}
	}
	if strings.Count(rest, " ") == 1 {
		oldName, newName, _ = strings.Cut(rest, " ")
		return oldName, newName, oldName != "" && newName != ""
	}
	// Both names have the same length but for their first folders, so the split lies near the middle;
	// trying them all is simpler and a header line is short.
	found := 0
	for i := 1; i < len(rest)-1; i++ {
		if rest[i] != ' ' {
			continue
		}
		if _, same := stripPair(rest[:i], rest[i+1:]); same {
			oldName, newName = rest[:i], rest[i+1:]
			found++
		}
	}
	return oldName, newName, found == 1
}

// unquote reads a C string as git writes one, and returns what follows it.
func unquote(s string) (name, tail string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return b.String(), s[i+1:], b.Len() > 0
		case '\\':
			i++
			if i >= len(s) {
				return "", "", false
			}
			if k := strings.IndexByte(`abtnvfr"\`, s[i]); k >= 0 {
				b.WriteByte("\a\b\t\n\v\f\r\"\\"[k])
				continue
			}
			if i+2 >= len(s) || s[i] > '3' || !octal(s[i]) || !octal(s[i+1]) || !octal(s[i+2]) {
				return "", "", false
			}
			b.WriteByte((s[i]-'0')<<6 | (s[i+1]-'0')<<3 | (s[i+2] - '0'))
			i += 2
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

func octal(c byte) bool { return c >= '0' && c <= '7' }
