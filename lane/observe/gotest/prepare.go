package gotest

import (
	"fmt"
	"path"
	"runtime"

	"github.com/vallane/lane/lane/observe"
)

// setup is what all plans of one request have in common.
type setup struct {
	req   observe.Request
	tc    *toolchain
	cmd   *command // nil where the command is not go test itself
	scan  *scan
	tree  *tree
	notes []string
}

func (s *setup) close() { s.tree.close() }

func (s *setup) note(format string, args ...any) {
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

// prepare reads toolchain, command and tree. The caller closes what it returns.
func prepare(r observe.Request) (*setup, error) {
	r.TreeBox = orDefault(r.TreeBox, "/tree")
	r.Home = orDefault(r.Home, "/home/lane")
	r.Cache = orDefault(r.Cache, "/cache/go-build")
	s := &setup{req: r}
	var err error
	if s.tc, err = findToolchain(r); err != nil {
		return nil, err
	}
	cwd, tags, err := s.readCommand()
	if err != nil {
		return nil, err
	}
	if s.tree, err = openTree(r.TreeHost); err != nil {
		return nil, err
	}
	if !s.tree.isDir(cwd) {
		s.tree.close()
		return nil, fmt.Errorf("read tree: no folder %s", cwd)
	}
	goos, goarch := envValue(r.Env, "GOOS", "linux"), envValue(r.Env, "GOARCH", runtime.GOARCH)
	s.scan = newScan(s.tree, r.TreeBox, cwd, s.tc, goos, goarch, s.cgo(), tags)
	if s.cmd != nil {
		s.scan.find(s.cmd.packages())
	} else {
		// What the command tests is its own secret; what the tree holds is only where canaries may go.
		s.scan.find([]string{"./..."})
		s.scan.known = false
	}
	s.warn()
	return s, nil
}

// readCommand takes the command line apart: where it runs, relative to the tree, and with which build tags.
func (s *setup) readCommand() (cwd string, tags []string, err error) {
	r := s.req
	cwd = path.Clean(orDefault(r.Dir, "."))
	cmd, ok := parseCommand(r.Argv)
	if !ok {
		return cwd, nil, nil
	}
	if _, own := cmd.flag("overlay"); own {
		return "", nil, unparsed(s.tc.version, "the command has an -overlay of its own")
	}
	if dir, ok := cmd.flag("C"); ok {
		if cwd, ok = inTree(cwd, dir, r.TreeBox); !ok {
			return "", nil, fmt.Errorf("read command: -C %s leads out of the tree", dir)
		}
	}
	v, _ := cmd.flag("tags")
	tags = tagsOf(v)
	if cmd.on("race") {
		tags = append(tags, "race")
	}
	s.cmd = cmd
	return cwd, tags, nil
}

// warn notes what will surprise a person later.
func (s *setup) warn() {
	if want := goLine(s.scan.mod); want > s.tc.minor {
		s.note("go.mod asks for go %s, the closure has %s", s.scan.mod.golang, s.tc.version)
	}
	if s.tc.minor < vetSeesOverlays && !s.req.NoVet {
		s.note("the checks of go vet are left out: that of %s cannot see Lane's files", s.tc.version)
	}
	if s.cmd != nil && s.cmd.on("race") && !s.cgo() {
		s.note("-race needs a C compiler, and the closure has none")
	}
}

// cgo reports whether the go command will use cgo.
func (s *setup) cgo() bool {
	if envValue(s.req.Env, "GOARCH", "") == "wasm" {
		return false
	}
	return envValue(s.req.Env, "CGO_ENABLED", map[bool]string{true: "1", false: "0"}[s.tc.c]) == "1"
}
