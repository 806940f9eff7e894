package python

import (
	"bytes"
	"io"
	"os"
	"path"
	"strings"

	"github.com/vallane/lane/lane/observe"
)

// findInterpreter returns the interpreter that the command would use, as the box sees it: the one that it names; that of the
// script that it names; else the closure's python3.
func findInterpreter(r observe.Request, c command) (string, error) {
	store := r.Store
	if store == nil {
		store = func(box string) string { return box }
	}
	at := lookup(r.Path, store, c.name)
	if !c.script {
		if at == "" {
			return "", unparsed(c, "the closure holds no "+c.name)
		}
		return at, nil
	}
	if at == "" {
		return "", unparsed(c, "the closure holds no "+c.name)
	}
	if python := shebang(resolve(store, at)); python != "" && exists(store, python) {
		return python, nil
	}
	for _, name := range []string{"python3", "python"} {
		if at := lookup(r.Path, store, name); at != "" {
			return at, nil
		}
	}
	return "", unparsed(c, "the closure holds no python3")
}

func unparsed(c command, what string) error {
	return &observe.Unparsed{Reporter: c.kind, What: what, Advice: "name a package set with python3 and " + c.kind + " in the flake"}
}

// lookup finds a command in the directories of PATH.
func lookup(dirs []string, store func(string) string, name string) string {
	if strings.Contains(name, "/") {
		if path.IsAbs(name) && exists(store, name) {
			return name
		}
		return ""
	}
	for _, dir := range dirs {
		if at := path.Join(dir, name); exists(store, at) {
			return at
		}
	}
	return ""
}

func exists(store func(string) string, box string) bool {
	host := store(box)
	if host == "" {
		return false
	}
	_, err := os.Lstat(host)
	return err == nil
}

// resolve returns where on this machine the file lies that links of the closure lead to; "" where they lead out of it.
func resolve(store func(string) string, box string) string {
	for range 20 {
		host := store(box)
		if host == "" {
			return ""
		}
		target, err := os.Readlink(host)
		if err != nil {
			return host
		}
		if !path.IsAbs(target) {
			target = path.Join(path.Dir(box), target)
		}
		box = target
	}
	return ""
}

// shebang returns the interpreter that a script names in its first line.
func shebang(host string) string {
	f, err := os.Open(host)
	if err != nil {
		return ""
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 512))
	line, _, _ := bytes.Cut(head, []byte("\n"))
	words := strings.Fields(strings.TrimPrefix(string(line), "#!"))
	if !bytes.HasPrefix(line, []byte("#!")) || len(words) == 0 || !interpreterName.MatchString(path.Base(words[0])) {
		return ""
	}
	return words[0]
}
