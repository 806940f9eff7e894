package locks

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// recorded are lock files with a hash for everything. npm, pnpm, Yarn, bun, Cargo and Bundler wrote theirs; those of Python's
// clients (uv, pipenv, pip) are written by hand, after their descriptions.
var recorded = []struct {
	file    string   // below testdata
	filled  []string // what the client fills
	command []string
	// hash is what stands for the content of one package, and package is its name.
	hash, name string
}{
	{"npm/package-lock.json", []string{"npm", Modules}, []string{"npm", "ci"}, `"integrity": "sha512-2yy[^"]*",`, "minimist"},
	{"npm/package-lock.json", []string{Modules}, []string{"npm", "ci"}, `"integrity": "sha512-2yy[^"]*",`, "minimist"},
	{"pnpm/pnpm-lock.yaml", []string{"pnpm", Modules}, []string{"pnpm", "install", "--frozen-lockfile"}, `integrity: sha512-2yy[^}]*`, "minimist@1.2.8"},
	{"yarn1/yarn.lock", []string{"yarn", Modules}, []string{"yarn", "install"}, `(?m)(#[0-9a-f]{40}"\n  integrity sha512-2yy.*)$`, "minimist@1.2.8"},
	{"yarn4/yarn.lock", []string{"yarn"}, []string{"yarn", "install"}, `checksum: 10c0/19d3.*`, "minimist@npm:1.2.8"},
	{"bun/bun.lock", []string{Modules}, []string{"bun", "install"}, `, "sha512-2yy[^"]*"`, "minimist"},
	{"cargo/Cargo.lock", []string{"cargo"}, []string{"cargo", "fetch"}, `checksum = ".*"`, "story-dep"},
	{"bundler/Gemfile.lock", []string{"gems"}, []string{"bundle", "cache"}, `sha256=.*`, "story-dep"},
	{"uv/uv.lock", []string{"uv"}, []string{"uv", "sync", "--frozen"}, `, hash = "sha256:edd[^"]*"`, "story-dep"},
	{"uv/uv.lock", []string{"uv"}, []string{"uv", "sync", "--frozen"}, `#8fd9[0-9a-f]*`, "from-git"},
	{"pip/requirements.txt", []string{"pip", "wheels"}, []string{"pip", "download", "--dest", "/fetched/wheels", "-r", "requirements.txt"}, `(?s)\\\n    --hash.*4d37ce`, "story-dep==1.0.0"},
	{"pip/pylock.toml", []string{"pip", "python"}, []string{"sh", "-c", "pip install --target /fetched/python -r pylock.toml"}, `sha256 = ".*"`, "story-dep"},
	{"pipenv/Pipfile.lock", []string{"pip"}, []string{"pipenv", "sync"}, `"sha256:edd[^"]*"`, "story-dep"},
	{"pipenv/Pipfile.lock", []string{"pip"}, []string{"pipenv", "sync"}, `8fd9[0-9a-f]*`, "from-git"},
}

func TestAHashForEverything(t *testing.T) {
	for _, r := range recorded {
		t.Run(fmt.Sprint(r.file, r.filled, r.name), func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", r.file))
			if err != nil {
				t.Fatal(err)
			}
			// The lock of another part of the repository is looked at too.
			name := "sub/" + filepath.Base(r.file)
			p := Phase{Commands: [][]string{{"true"}, r.command}, Filled: r.filled, Manifests: map[string][]byte{name: data}}
			if got := Find(p); len(got) > 0 {
				t.Fatalf("a lock with a hash for everything: %+v", got)
			}
			less := regexp.MustCompile(r.hash).ReplaceAll(data, nil)
			if string(less) == string(data) {
				t.Fatal("the hash is not there")
			}
			p.Manifests[name] = less
			got := Find(p)
			if len(got) != 1 || got[0].File != name || !slices.Equal(got[0].Names, []string{r.name}) {
				t.Errorf("without one hash: %+v, want %s", got, r.name)
			}
			delete(p.Manifests, name)
			if got := Find(p); len(got) != 1 || got[0].File != "" {
				t.Errorf("without the lock: %+v", got)
			}
			if base := filepath.Base(name); base != "requirements.txt" {
				p.Manifests[name], p.Written = data, []string{name}
				if got := Find(p); len(got) != 1 || got[0].File != name || !strings.Contains(got[0].Why, "anew") || !IsLock(name) {
					t.Errorf("a lock that the phase wrote: %+v", got)
				}
			}
			// Nobody is asked who brought nothing.
			p.Filled = nil
			if got := Find(p); len(got) > 0 {
				t.Errorf("nothing was brought: %+v", got)
			}
		})
	}
}

func TestRequirements(t *testing.T) {
	const hashed = "a==1 --hash=sha256:00\n"
	for _, c := range []struct {
		name     string
		commands string
		files    map[string]string
		want     string
	}{
		{"no hash", "pip install -r requirements.txt", map[string]string{"requirements.txt": "a==1\nb>=2 ; python_version > '3'\n"}, "requirements.txt has no hash: a==1 b>=2"},
		{"some", "pip install -r requirements.txt", map[string]string{"requirements.txt": hashed + "b==2 # why\n"}, "requirements.txt has no hash: b==2"},
		{"the file asks for them", "pip install -r requirements.txt", map[string]string{"requirements.txt": "--require-hashes\na==1\n"}, ""},
		{"the command asks for them", "pip install --require-hashes -r requirements.txt", map[string]string{"requirements.txt": "a==1\n"}, ""},
		{"the tree itself", "pip install -r requirements.txt", map[string]string{"requirements.txt": hashed + "-e .\n./lib\n\n# nothing\n"}, ""},
		{"a repository", "pip install -r requirements.txt", map[string]string{"requirements.txt": "-e git+https://git.example.org/a\n"}, "requirements.txt has no hash: git+https://git.example.org/a"},
		{"another file", "pip install -r req/requirements.txt", map[string]string{"req/requirements.txt": "-r ../requirements-base.txt\n" + hashed, "requirements-base.txt": "b==2\n"}, "requirements-base.txt has no hash: b==2"},
		{"a circle", "pip install -r requirements.txt", map[string]string{"requirements.txt": hashed + "-r requirements.txt\n"}, ""},
		{"constraints", "pip install -r requirements.txt -c constraints.txt", map[string]string{"requirements.txt": hashed, "constraints.txt": "b==2\n"}, ""},
		{"a file that no command names", "pip install -r requirements.txt", map[string]string{"requirements.txt": hashed, "requirements-docs.txt": "b==2\n"}, ""},
		{"a script", "sh -c 'pip3 install -r requirements-dev.txt'", map[string]string{"requirements.txt": hashed, "requirements-dev.txt": "b==2\n"}, "requirements-dev.txt has no hash: b==2"},
		{"nobody knows which", "./bring", map[string]string{"requirements.txt": "a==1\n"}, "requirements.txt has no hash: a==1"},
		{"none", "./bring", nil, " what pip or uv brought is named by no lock file: "},
		{"beside a file with hashes", "pip download -r requirements.txt\npip download left", map[string]string{"requirements.txt": hashed}, " `pip download left` fetches what no lock file names: "},
		{"uv", "uv pip install -r requirements.txt", map[string]string{"requirements.txt": hashed}, "requirements.txt is read by uv without --require-hashes, which fetches also what has none: "},
		{"uv asks for them", "uv pip install --require-hashes -r requirements.txt", map[string]string{"requirements.txt": hashed}, ""},
		{"not with a lock beside it", "uv sync", map[string]string{"requirements.txt": "a==1\n", "uv.lock": "version = 1\n"}, ""},
		{"no lock", "uv sync", map[string]string{"requirements.txt": "a==1\n"}, " what uv brought is named by no lock file: "},
		{"no TOML", "uv sync", map[string]string{"uv.lock": "version = \n"}, "uv.lock cannot be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Phase{Filled: []string{"wheels"}, Manifests: map[string][]byte{}}
			for _, line := range strings.Split(c.commands, "\n") {
				p.Commands = append(p.Commands, strings.Fields(line))
			}
			for name, text := range c.files {
				p.Manifests[name] = []byte(text)
			}
			var got []string
			for _, g := range Find(p) {
				got = append(got, g.File+" "+g.Why+": "+strings.Join(g.Names, " "))
			}
			if s := strings.Join(got, "\n"); s != c.want && !(strings.HasSuffix(c.want, "cannot be read") && strings.HasPrefix(s, c.want)) {
				t.Errorf("got  %q\nwant %q", s, c.want)
			}
		})
	}
}

func FuzzReaders(f *testing.F) {
	for _, r := range recorded {
		data, err := os.ReadFile(filepath.Join("testdata", r.file))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, c := range append(clients(), pythonClients()...) {
			for _, read := range c.locks {
				if read != nil {
					read(data)
				}
			}
		}
		requirements(data)
	})
}
