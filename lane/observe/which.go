package observe

import (
	"io/fs"
	"os"
	"path"
	"strings"
)

// Which finds the program that a name would start in the box: its path there and on this machine, links resolved. ok is
// false where the closure does not hold it.
func (r Request) Which(name string) (box, host string, ok bool) {
	if strings.Contains(name, "/") {
		return r.follow(name)
	}
	for _, dir := range r.Path {
		if box, host, ok = r.follow(path.Join(dir, name)); ok {
			return box, host, true
		}
	}
	return "", "", false
}

// follow resolves the links of a path as the box would, with each step looked up where the closure lies on this machine.
// Above the closure nothing is known, and nothing needs to be.
func (r Request) follow(name string) (box, host string, ok bool) {
	if !path.IsAbs(name) {
		return "", "", false
	}
	store := r.Store
	if store == nil {
		store = func(p string) string { return p }
	}
	todo := strings.Split(strings.Trim(path.Clean(name), "/"), "/")
	at := "/"
	for links := 0; len(todo) > 0; {
		at, todo = path.Join(at, todo[0]), todo[1:]
		here := store(at)
		if here == "" {
			continue
		}
		info, err := os.Lstat(here)
		if err != nil {
			return "", "", false
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		target, err := os.Readlink(here)
		if links++; err != nil || links > 40 {
			return "", "", false
		}
		if !path.IsAbs(target) {
			target = path.Join(path.Dir(at), target)
		}
		todo = append(strings.Split(strings.Trim(path.Clean(target), "/"), "/"), todo...)
		at = "/"
	}
	if host = store(at); host == "" {
		return "", "", false
	}
	info, err := os.Stat(host)
	return at, host, err == nil && info.Mode().IsRegular()
}
