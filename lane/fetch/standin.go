package fetch

import (
	"path"
	"path/filepath"

	"github.com/BurntSushi/toml"
)

// standIns are the empty files that lie in a fetch box for code that is not there: Cargo reads no manifest whose targets are missing.
// Paths have slashes and lie in the tree.
func (p *Phase) standIns() (names []string) {
	for name, data := range p.Manifests {
		if path.Base(name) != "Cargo.toml" {
			continue
		}
		for _, target := range crateFiles(data) {
			at := path.Join(path.Dir(name), target)
			if _, there := p.Manifests[at]; !there && filepath.IsLocal(at) {
				names = append(names, at)
			}
		}
	}
	return names
}

// crateFiles are the files that a Cargo.toml says are there, by its own words or by Cargo's rules.
func crateFiles(manifest []byte) (files []string) {
	type target struct{ Name, Path string }
	var m struct {
		Package *struct {
			Build any // a path, or false
			Links string
		}
		Lib                       *target
		Bin, Example, Test, Bench []target
	}
	if toml.Unmarshal(manifest, &m) != nil || m.Package == nil {
		return nil // Cargo says what is wrong, or it is a workspace alone
	}
	lib := "src/lib.rs"
	if m.Lib != nil && m.Lib.Path != "" {
		lib = m.Lib.Path
	}
	files = append(files, lib)
	for _, kind := range []struct {
		dir     string
		targets []target
	}{{"src/bin", m.Bin}, {"examples", m.Example}, {"tests", m.Test}, {"benches", m.Bench}} {
		for _, t := range kind.targets {
			switch {
			case t.Path != "":
				files = append(files, t.Path)
			case t.Name != "":
				files = append(files, path.Join(kind.dir, t.Name+".rs"))
			}
		}
	}
	if build, ok := m.Package.Build.(string); ok {
		files = append(files, build)
	} else if m.Package.Links != "" {
		files = append(files, "build.rs")
	}
	return files
}
