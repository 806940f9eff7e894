package golang

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/vallane/lane/mutate"
)

// Profile adds a coverage profile of one test (as "go test -coverprofile" writes it) to a reach map. Files outside of
// the tree's modules are left out. Each test has to have a profile of its own; blocks that were not entered make
// their place known.
func Profile(reach *mutate.Reach, tree fs.FS, test string, profile io.Reader) error {
	ms := modules(tree)
	reach.Measured(test)
	sc := bufio.NewScanner(profile)
	sc.Buffer(nil, 1<<20)
	for n := 1; sc.Scan(); n++ {
		line := sc.Text()
		if line == "" || strings.HasPrefix(line, "mode:") {
			continue
		}
		i := strings.LastIndexByte(line, ':')
		if i < 0 {
			return fmt.Errorf("read coverage of %s: line %d has no position", test, n)
		}
		var b mutate.Block
		var stmts, hits int
		if _, err := fmt.Sscanf(line[i+1:], "%d.%d,%d.%d %d %d", &b.StartLine, &b.StartCol, &b.EndLine, &b.EndCol, &stmts, &hits); err != nil {
			return fmt.Errorf("read coverage of %s: line %d: %v", test, n, err)
		}
		file, ok := treePath(ms, line[:i])
		switch {
		case !ok:
		case hits > 0:
			reach.Add(test, file, b)
		default:
			reach.Known(file, b)
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("read coverage of %s: %v", test, err)
	}
	return nil
}

// treePath turns import path + file name into a path of the tree.
func treePath(ms []module, file string) (string, bool) {
	pkg, name := path.Split(file)
	pkg = strings.TrimSuffix(pkg, "/")
	dir, ok := dirOf(ms, pkg)
	return path.Join(dir, name), ok
}

// dirOf returns the folder of a package that lies in one of the modules; the longest module path wins. Two modules of
// one path tell nothing.
func dirOf(ms []module, pkg string) (string, bool) {
	var best *module
	twice := false
	for i := range ms {
		m := &ms[i]
		if m.path == "" || (pkg != m.path && !strings.HasPrefix(pkg, m.path+"/")) {
			continue
		}
		switch {
		case best == nil || len(m.path) > len(best.path):
			best, twice = m, false
		case len(m.path) == len(best.path):
			twice = true
		}
	}
	if best == nil || twice {
		return "", false
	}
	return path.Join(best.dir, strings.TrimPrefix(strings.TrimPrefix(pkg, best.path), "/")), true
}
