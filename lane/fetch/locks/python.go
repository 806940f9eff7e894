package locks

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// pythonClients are the clients of Python that have lock files.
func pythonClients() []client {
	return []client{
		{name: "uv", locks: map[string]reader{"uv.lock": uv}},
		{name: "pipenv", locks: map[string]reader{"Pipfile.lock": pipenv}},
		{name: "pip", locks: map[string]reader{"pylock.toml": pylock}},
	}
}

// python returns the gaps of pip, uv and Pipenv. Which files they read is said by the commands: those that a command names, or all where no
// command names one.
func (p Phase) python() (out []Gap) {
	if !p.filled("pip", "wheels", "python", "uv") {
		return nil
	}
	read := map[string]bool{}
	for _, command := range p.Commands {
		out = append(out, p.pythonCommand(words(command), read)...)
	}
	if len(read) > 0 || len(out) > 0 {
		return out
	}
	files := p.requirements(nil)
	for _, name := range files {
		out = append(out, p.requirementsGap(name, false, read)...)
	}
	if len(files) == 0 {
		out = append(out, Gap{Why: "what pip or uv brought is named by no lock file"})
	}
	return out
}

// pythonCommand returns the gaps of one command, and notes the files that it reads.
func (p Phase) pythonCommand(w []string, read map[string]bool) (out []Gap) {
	has := func(list ...string) bool {
		return slices.ContainsFunc(w, func(word string) bool { return slices.Contains(list, path.Base(word)) })
	}
	pip := slices.ContainsFunc(w, func(word string) bool { return isPip(path.Base(word)) })
	strict := has("--require-hashes")
	files := p.requirements(w)
	for _, name := range files {
		// uv holds to the hashes that are there, and asks for none, unless it is told to.
		if has("uv") && !strict && !p.strict(name) && !read[name] {
			read[name] = true
			out = append(out, Gap{File: name, Why: "is read by uv without --require-hashes, which fetches also what has none"})
			continue
		}
		out = append(out, p.requirementsGap(name, strict, read)...)
	}
	for _, c := range pythonClients() {
		if c.name == "uv" && has("uv") && !pip && has("sync", "export", "run") || c.name == "pipenv" && has("pipenv") || c.name == "pip" && has("pylock.toml") {
			for _, name := range p.files(c) {
				read[name] = true
			}
			return append(out, p.of(c)...)
		}
	}
	if pip && len(files) == 0 && has("install", "download", "wheel") {
		out = append(out, Gap{Why: "`" + strings.Join(w, " ") + "` fetches what no lock file names"})
	}
	return out
}

func isPip(word string) bool {
	return word == "pip" || strings.HasPrefix(word, "pip3") || word == "pip2"
}

// requirements are the requirements files whose names are among the words; all of them for nil.
func (p Phase) requirements(w []string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(p.Manifests)) {
		base := path.Base(name)
		if !strings.HasSuffix(base, ".txt") || strings.HasPrefix(base, "constraints") {
			continue
		}
		if w == nil || slices.ContainsFunc(w, func(word string) bool { return path.Base(strings.TrimPrefix(word, "-r")) == base }) {
			names = append(names, name)
		}
	}
	return names
}

// strict reports whether a requirements file asks for hashes of everything.
func (p Phase) strict(name string) bool {
	return slices.Contains(words([]string{string(p.Manifests[name])}), "--require-hashes")
}

// requirementsGap is that of a requirements file and of those that it reads. strict says that the client refuses what has no hash.
func (p Phase) requirementsGap(name string, strict bool, read map[string]bool) (out []Gap) {
	data, ok := p.Manifests[name]
	if read[name] || !ok {
		return nil
	}
	read[name] = true
	r := requirements(data)
	if !strict && !r.strict && len(r.unhashed) > 0 {
		out = append(out, Gap{File: name, Why: "has no hash", Names: r.unhashed})
	}
	for _, other := range r.files {
		out = append(out, p.requirementsGap(path.Join(path.Dir(name), other), strict, read)...)
	}
	return out
}

// uv reads a uv.lock. What has no archive is part of the tree.
func uv(data []byte) (unhashed []string, err error) {
	type file struct{ Hash string }
	var lock struct {
		Package []struct {
			Name   string
			Source map[string]any
			Sdist  *file
			Wheels []file
		}
	}
	if err := toml.Unmarshal(data, &lock); err != nil {
		return nil, err
	}
	for _, p := range lock.Package {
		files := p.Wheels
		if p.Sdist != nil {
			files = append(files, *p.Sdist)
		}
		git, isGit := p.Source["git"].(string)
		if slices.ContainsFunc(files, func(f file) bool { return f.Hash == "" }) || isGit && !isCommit(git) {
			unhashed = append(unhashed, p.Name)
		}
	}
	return unhashed, nil
}

// pylock reads a pylock.toml (PEP 751).
func pylock(data []byte) (unhashed []string, err error) {
	type file struct{ Hashes map[string]string }
	var lock struct {
		Packages []struct {
			Name    string
			Wheels  []file
			Sdist   *file
			Archive *file
			VCS     *struct {
				Commit string `toml:"commit-id"`
			}
		}
	}
	if err := toml.Unmarshal(data, &lock); err != nil {
		return nil, err
	}
	for _, p := range lock.Packages {
		files := p.Wheels
		for _, f := range []*file{p.Sdist, p.Archive} {
			if f != nil {
				files = append(files, *f)
			}
		}
		if slices.ContainsFunc(files, func(f file) bool { return len(f.Hashes) == 0 }) || p.VCS != nil && !isCommit(p.VCS.Commit) {
			unhashed = append(unhashed, p.Name)
		}
	}
	return unhashed, nil
}

// pipenv reads a Pipfile.lock.
func pipenv(data []byte) (unhashed []string, err error) {
	var lock map[string]map[string]json.RawMessage
	if err := json.Unmarshal(data, &lock); err != nil {
		return nil, err
	}
	delete(lock, "_meta")
	for _, group := range slices.Sorted(maps.Keys(lock)) {
		for _, name := range slices.Sorted(maps.Keys(lock[group])) {
			var p struct {
				Hashes []string
				Ref    string
				Path   string
			}
			if err := json.Unmarshal(lock[group][name], &p); err != nil {
				return nil, err
			}
			if len(p.Hashes) == 0 && p.Path == "" && !isCommit(p.Ref) {
				unhashed = append(unhashed, name)
			}
		}
	}
	return unhashed, nil
}
