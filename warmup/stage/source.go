package stage

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Schema is the version of the staged form. It is part of every key, so that a
// Lane that stages or locks differently never takes an older one's closure.
const Schema = "1"

// File is one staged file.
type File struct {
	Data []byte      // its content; for a symlink, the target
	Mode fs.FileMode // 0 is a plain file; any x bit makes it executable; fs.ModeSymlink a symlink
}

// Source is an environment as a tree or a spec declares it.
type Source struct {
	// Files are flake.nix, flake.lock where there is one, and the declared
	// extras, by slash path below the flake's folder.
	Files map[string]File
	// Attr is the flake's attribute, as in "lane-env" or
	// "packages.x86_64-linux.lane-env"; "" is Nix's own "default".
	Attr string
	// System is Nix's name of the machine, as in "x86_64-linux".
	System string
	// Lock is the closure.lock that lies beside the flake; nil where there is none. It is not staged and no part of the key: it says
	// what the staged files came to.
	Lock []byte
}

// What may follow '#' on Nix's command line. Nix's own grammar is wider (quoted
// parts, '^' for outputs); none of that is needed to name an environment.
var (
	attrRule   = regexp.MustCompile(`^$|^[A-Za-z_][A-Za-z0-9_'+-]*(\.[A-Za-z0-9_][A-Za-z0-9_'+-]*)*$`)
	systemRule = regexp.MustCompile(`^[a-z0-9_]+-[a-z0-9_]+$`)
)

// Validate refuses what cannot be staged. Its error is a *Refusal where the files are at fault, and a plain one where the caller is.
func (s Source) Validate() error {
	if !attrRule.MatchString(s.Attr) {
		return fmt.Errorf(`the attribute %q is none that is passed to Nix: write it like ".#lane-env" or ".#packages.x86_64-linux.lane-env"`, s.Attr)
	}
	if !systemRule.MatchString(s.System) {
		return fmt.Errorf("the system %q is none that is passed to Nix", s.System)
	}
	nix, ok := s.Files["flake.nix"]
	if !ok {
		return refuse(NoFlake, "run lane init, or name the flake in the spec's [env]", "no flake.nix in the environment's folder")
	}
	if nix.Mode&fs.ModeSymlink != 0 {
		return refuse(UnsafeFile, "", "flake.nix is a symlink")
	}
	for name, f := range s.Files {
		if err := checkFile(s.Files, name, f); err != nil {
			return err
		}
	}
	return nil
}

func checkFile(all map[string]File, name string, f File) error {
	if !fs.ValidPath(name) || name == "." || strings.ContainsRune(name, 0) {
		return refuse(UnsafeFile, "", "%q is no path below the flake's folder", name)
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, both := all[dir]; both {
			return refuse(UnsafeFile, "", "%q is a file and a folder at once", dir)
		}
	}
	switch t := f.Mode.Type(); {
	case t == 0:
		return nil
	case t != fs.ModeSymlink:
		return refuse(UnsafeFile, "", "%q is neither a file nor a symlink", name)
	}
	target := string(f.Data)
	if target == "" || path.IsAbs(target) || strings.ContainsRune(target, 0) {
		return refuse(UnsafeFile, "", "%q links to %q", name, target)
	}
	if end := path.Join(path.Dir(name), target); end == ".." || strings.HasPrefix(end, "../") {
		return refuse(UnsafeFile, "", "%q links to %q, outside the flake's folder", name, target)
	}
	return nil
}

// Key names the environment: the SHA-256, in hex, over schema version, system,
// attribute and every file. Each part is written with its length before it, so
// that no two sources share an encoding.
func (s Source) Key() string {
	h := sha256.New()
	put(h, "lane environment "+Schema)
	put(h, s.System)
	put(h, s.Attr)
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		f := s.Files[name]
		put(h, name)
		put(h, f.kind())
		put(h, string(f.Data))
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (f File) kind() string {
	switch {
	case f.Mode&fs.ModeSymlink != 0:
		return "link"
	case f.Mode&0o111 != 0:
		return "executable"
	}
	return "file"
}

func put(h hash.Hash, s string) {
	// A hash never fails to write.
	_, _ = io.WriteString(h, strconv.Itoa(len(s))+":"+s+",")
}
