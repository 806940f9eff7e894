package locks

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"
)

// A Gap is a way by which something was fetched that no hash stands for.
type Gap struct {
	// File is the manifest or lock file, by its path in the tree; "" where no file of the tree says what was fetched.
	File string
	// Why is what is wrong, as the rest of a sentence about File, or about what the client brought.
	Why string
	// Names are the packages in question, in the order of the file; nil where all are.
	Names []string
}

// Phase is what is known of a fetch phase that ended well.
type Phase struct {
	Commands  [][]string
	Manifests map[string][]byte // by their paths in the tree
	// Filled are the folders that were filled: names of caches, and Modules.
	Filled []string
	// Written are the manifests that the commands wrote or changed in the box.
	Written []string
}

// Modules stands in Phase.Filled for node_modules.
const Modules = "node_modules"

// reader returns the packages of a lock file that no hash stands for.
type reader func(data []byte) (unhashed []string, err error)

// client is a package manager. It is asked about where one of its folders was filled.
type client struct {
	name    string
	folders []string          // what it fills
	locks   map[string]reader // its lock files; one without a reader counts by being there
}

// clients are those whose files say what is fetched. pip's and uv's requirements files are looked at apart: the command says which.
func clients() []client {
	return []client{
		{name: "npm", folders: []string{"npm"}, locks: map[string]reader{"package-lock.json": npm, "npm-shrinkwrap.json": npm}},
		{name: "pnpm", folders: []string{"pnpm"}, locks: map[string]reader{"pnpm-lock.yaml": pnpm}},
		{name: "yarn", folders: []string{"yarn"}, locks: map[string]reader{"yarn.lock": yarn}},
		{name: "bun", folders: nil, locks: map[string]reader{"bun.lock": bun}},
		{name: "cargo", folders: []string{"cargo"}, locks: map[string]reader{"Cargo.lock": cargo}},
		{name: "bundler", folders: []string{"gems"}, locks: map[string]reader{"Gemfile.lock": bundler, "gems.locked": bundler}},
		// Go compares with go.sum itself, when it builds, too: what the file lacks cannot be built.
		{name: "go", folders: []string{"go-mod"}, locks: map[string]reader{"go.sum": nil, "go.work.sum": nil}},
	}
}

// Find returns the gaps of a phase, in the order of their files.
func Find(p Phase) []Gap {
	var out []Gap
	all := clients()
	asked := slices.ContainsFunc(all, func(c client) bool { return isNode(c) && p.filled(c.folders...) })
	for _, c := range all {
		switch {
		case p.filled(c.folders...):
			out = append(out, p.of(c)...)
		case isNode(c) && !asked && p.filled(Modules): // by one whose cache does not cross, or of which nothing was left
			if len(p.files(c)) > 0 {
				out = append(out, p.of(c)...)
			}
		}
	}
	if !asked && p.filled(Modules) && !slices.ContainsFunc(all, func(c client) bool { return isNode(c) && len(p.files(c)) > 0 }) {
		out = append(out, Gap{Why: "node_modules holds what no lock file names"})
	}
	out = append(out, p.python()...)
	slices.SortStableFunc(out, func(a, b Gap) int { return strings.Compare(a.File, b.File) })
	return out
}

func isNode(c client) bool { return slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, c.name) }

func (p Phase) filled(folders ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return slices.Contains(p.Filled, f) })
}

// files are the lock files of a client, in order.
func (p Phase) files(c client) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(p.Manifests)) {
		if _, ok := c.locks[path.Base(name)]; ok {
			names = append(names, name)
		}
	}
	return names
}

// of returns the gaps of a client that brought something.
func (p Phase) of(c client) (out []Gap) {
	files := p.files(c)
	for _, name := range files {
		read := c.locks[path.Base(name)]
		if read == nil {
			continue
		}
		if slices.Contains(p.Written, name) {
			out = append(out, Gap{File: name, Why: "was written anew by the fetch phase, so that it does not say what was fetched"})
			continue
		}
		out = append(out, gap(name, read, p.Manifests[name])...)
	}
	if len(files) == 0 {
		out = append(out, Gap{Why: "what " + c.name + " brought is named by no lock file"})
	}
	return out
}

// gap is that of one file, if it has one.
func gap(name string, read reader, data []byte) []Gap {
	names, err := read(data)
	if err != nil {
		return []Gap{{File: name, Why: "cannot be read: " + err.Error()}}
	}
	if len(names) == 0 {
		return nil
	}
	return []Gap{{File: name, Why: "has no hash", Names: names}}
}

// IsLock reports whether a file is one that a client writes and Find reads.
func IsLock(name string) bool {
	for _, c := range append(clients(), pythonClients()...) {
		if read, ok := c.locks[path.Base(name)]; ok && read != nil {
			return true
		}
	}
	return false
}

// words are those of a command, and those of a script in it.
func words(command []string) (out []string) {
	for _, w := range command {
		out = append(out, strings.FieldsFunc(w, func(r rune) bool { return strings.ContainsRune(" \t\n\"'=;&|()", r) })...)
	}
	return out
}

// isCommit reports whether a text ends in the full hash of a commit, which stands for its content.
func isCommit(s string) bool {
	if i := strings.LastIndexAny(s, "#@"); i >= 0 {
		s = s[i+1:]
	}
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

func lines(data []byte) []string {
	return strings.Split(string(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))), "\n")
}
