package gotest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/vallane/lane/lane/observe"
)

// A toolchain is the go command of a closure.
type toolchain struct {
	root    string // GOROOT as the box sees it
	command string // the go command as the box sees it, links resolved
	version string // e.g. "go1.26.8"
	minor   int    // 26
	c       bool   // PATH holds a C compiler
	store   func(string) string
}

// compilers are the names under which the go command looks for a C compiler.
var compilers = []string{"gcc", "clang", "cc"}

// findToolchain finds the go command that argv would run in the box.
func findToolchain(r observe.Request) (*toolchain, error) {
	t := &toolchain{store: r.Store}
	if t.store == nil {
		t.store = func(p string) string { return p }
	}
	var name string
	for _, dir := range r.Path {
		if t.c {
			break
		}
		for _, cc := range compilers {
			if _, err := t.resolve(path.Join(dir, cc)); err == nil {
				t.c = true
			}
		}
	}
	candidates := make([]string, 0, len(r.Path)+1)
	if len(r.Argv) > 0 && path.IsAbs(r.Argv[0]) && path.Base(r.Argv[0]) == "go" {
		candidates = append(candidates, r.Argv[0])
	}
	for _, dir := range r.Path {
		candidates = append(candidates, path.Join(dir, "go"))
	}
	for _, c := range candidates {
		if resolved, err := t.resolve(c); err == nil {
			name = resolved
			break
		}
	}
	if name == "" {
		return nil, &observe.Missing{Command: "go", Path: r.Path}
	}
	t.command = name
	return t, t.findRoot()
}

// findRoot finds GOROOT as the go command itself does: from where it lies.
func (t *toolchain) findRoot() error {
	above := path.Dir(path.Dir(t.command))
	for _, root := range []string{above, path.Join(above, "share/go"), path.Join(above, "lib/go")} {
		if _, err := t.resolve(path.Join(root, "src/testing/testing.go")); err == nil {
			t.root = root
			break
		}
	}
	if t.root == "" {
		return &observe.Unparsed{
			Reporter: "go",
			What:     "cannot find the source of package testing near " + t.command,
			Advice:   "put the go command itself, not a script around it, on the closure's PATH",
		}
	}
	b, err := t.readStd("VERSION")
	if err != nil {
		return unparsed(t.root, "cannot read VERSION: %v", err)
	}
	t.version, _, _ = strings.Cut(strings.TrimSpace(string(b)), "\n")
	t.minor, err = minorOf(t.version)
	if err != nil {
		return unparsed(t.version, "cannot read VERSION: %v", err)
	}
	if t.minor < 21 {
		return unparsed(t.version, "package testing is older than Lane knows")
	}
	return nil
}

// minorOf returns 26 for go1.26.8, go1.26rc1 and the like.
func minorOf(version string) (int, error) {
	s, ok := strings.CutPrefix(version, "go1.")
	if !ok {
		return 0, fmt.Errorf("unknown version %q", version)
	}
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	return strconv.Atoi(s[:end])
}

// readStd reads a file below GOROOT.
func (t *toolchain) readStd(name string) ([]byte, error) {
	resolved, err := t.resolve(path.Join(t.root, name))
	if err != nil {
		return nil, err
	}
	return os.ReadFile(t.store(resolved))
}

var errNotInClosure = errors.New("not in the closure")

// resolve follows the links of a path as the box would, with each step looked up where the closure lies on this machine.
func (t *toolchain) resolve(name string) (string, error) {
	todo := strings.Split(strings.Trim(path.Clean(name), "/"), "/")
	at := "/"
	for links := 0; len(todo) > 0; {
		next := path.Join(at, todo[0])
		todo = todo[1:]
		host := t.store(next)
		if host == "" {
			// Above the store nothing is known; what lies below it may be.
			at = next
			continue
		}
		info, err := os.Lstat(host)
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		if links++; links > 40 {
			return "", fmt.Errorf("resolve %s: too many links", name)
		}
		target, err := os.Readlink(host)
		if err != nil {
			return "", err
		}
		if !path.IsAbs(target) {
			target = path.Join(at, target)
		}
		todo = append(strings.Split(strings.Trim(path.Clean(target), "/"), "/"), todo...)
		at = "/"
	}
	host := t.store(at)
	if host == "" {
		return "", errNotInClosure
	}
	if _, err := os.Lstat(host); err != nil {
		return "", err
	}
	return at, nil
}
