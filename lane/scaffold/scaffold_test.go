package scaffold_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vallane/lane/lane/scaffold"
	"github.com/vallane/lane/lane/spec"
)

func folder(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func TestDetectsHowAProjectIsTested(t *testing.T) {
	for name, c := range map[string]struct {
		files         map[string]string
		run, reporter string
		notes         string // a part of them
	}{
		"go":                       {map[string]string{"go.mod": "module x"}, "go test ./...", "go", ""},
		"go with modules":          {map[string]string{"go.mod": "module x", "go.sum": "y"}, "go test ./...", "go", "go mod vendor"},
		"python without a word":    {map[string]string{"cart.py": ""}, "pytest -q", "pytest", ""},
		"pytest by its functions":  {map[string]string{"setup.py": "", "tests/test_a.py": "def test_a(): pass"}, "pytest -q", "pytest", ""},
		"pytest by its settings":   {map[string]string{"pyproject.toml": "[tool.pytest.ini_options]", "tests/test_a.py": "import unittest"}, "pytest -q", "pytest", ""},
		"pytest by its conftest":   {map[string]string{"setup.py": "", "tests/conftest.py": "", "tests/test_a.py": "import unittest"}, "pytest -q", "pytest", ""},
		"unittest at the top":      {map[string]string{"setup.py": "", "test_a.py": "import unittest"}, "python3 -m unittest", "unittest", ""},
		"unittest in a package":    {map[string]string{"setup.py": "", "tests/__init__.py": "", "tests/test_a.py": "import unittest"}, "python3 -m unittest", "unittest", ""},
		"unittest in a folder":     {map[string]string{"setup.py": "", "tests/test_a.py": "import unittest"}, "python3 -m unittest discover -s tests", "unittest", ""},
		"tests of others":          {map[string]string{"setup.py": "", "venv/x/test_a.py": "import unittest"}, "pytest -q", "pytest", ""},
		"python with requirements": {map[string]string{"requirements.txt": "x==1"}, "pytest -q", "pytest", "requirements.txt names packages"},
		"python below src":         {map[string]string{"setup.py": "", "src/x.py": ""}, "pytest -q", "pytest", "PYTHONPATH"},
		"node without a word":      {map[string]string{"package.json": "{}"}, "node --test", "node", ""},
		"node with npm's own word": {map[string]string{"package.json": `{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}`}, "node --test", "node", ""},
		"node --test with files":   {map[string]string{"package.json": `{"scripts": {"test": "node --test test/"}}`}, "node --test test/", "node", ""},
		"node --test, watched and among others": {map[string]string{"package.json": `{"scripts": {"test": "npm run test:unit && npm run types", "test:unit": "c8 --100 node --test", "types": "tsd"}}`},
			"node --test", "node", "which shows each test"},
		"a script that runs itself": {map[string]string{"package.json": `{"scripts": {"test": "npm run test"}}`}, "sh -c npm run test", "exit", "exit status alone"},
		"vitest":                    {map[string]string{"package.json": `{"scripts": {"test": "vitest run"}}`}, "node node_modules/vitest/vitest.mjs run", "vitest", ""},
		"jest in a pipe":            {map[string]string{"package.json": `{"scripts": {"test": "jest | cat"}}`}, "sh -c jest | cat", "exit", "exit status alone"},
		"node with a script":        {map[string]string{"package.json": `{"scripts": {"test": "node test.js"}}`}, "node test.js", "exit", "exit status alone"},
		"node with another runner": {map[string]string{"package.json": `{"scripts": {"test": "tape 'test/*.js'"}, "devDependencies": {"tape": "5"}}`},
			"sh -c tape 'test/*.js'", "exit", "must be in the tree"},
	} {
		p, err := scaffold.Detect(folder(c.files), "")
		if err != nil || strings.Join(p.Run, " ") != c.run || p.Reporter != c.reporter || !strings.Contains(strings.Join(p.Notes, "\n"), c.notes) || c.notes == "" && len(p.Notes) > 0 {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
}

func TestSaysWhatItCannotTell(t *testing.T) {
	for name, c := range map[string]struct {
		files    map[string]string
		language string
		says     string
	}{
		"no project":          {map[string]string{"README": ""}, "", "there is no go.mod"},
		"two of them":         {map[string]string{"go.mod": "", "package.json": "{}"}, "", "written in go and node"},
		"a language unknown":  {nil, "cobol", `"cobol" is no language`},
		"a broken package":    {map[string]string{"package.json": "{"}, "", "read package.json"},
		"a broken test suite": {map[string]string{"package.json": `{"scripts": 3}`}, "", "read package.json"},
	} {
		if _, err := scaffold.Detect(folder(c.files), c.language); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
	if p, err := scaffold.Detect(folder(map[string]string{"go.mod": "", "package.json": "{}"}), "node"); err != nil || p.Language != "node" {
		t.Errorf("a language that was named: %v, %v", p, err)
	}
}

// project makes a folder in a git repository whose branch is the one given.
func project(t *testing.T, branch, below string) string {
	t.Helper()
	top := filepath.Join(t.TempDir(), "My Shop")
	dir := filepath.Join(top, below)
	for name, text := range map[string]string{filepath.Join(top, ".git", "HEAD"): "ref: refs/heads/" + branch + "\n", filepath.Join(dir, "cart.py"): ""} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTheSpecIsOneThatLaneReads(t *testing.T) {
	for _, toolchain := range []string{scaffold.Nixpkgs, scaffold.Registry} {
		for _, language := range scaffold.Languages() {
			for _, below := range []string{"", "services/cart"} {
				d, err := scaffold.New(project(t, "trunk", below), scaffold.Options{Language: language, Toolchain: toolchain})
				if err != nil {
					t.Fatal(err)
				}
				i := slices.IndexFunc(d.Files, func(f scaffold.File) bool { return f.Name == "lane.toml" })
				s, err := spec.Parse("lane.toml", d.Files[i].Data)
				if err != nil {
					t.Fatalf("%v\n%s", err, d.Files[i].Data)
				}
				pins := len(s.Env.Extras) > 0
				if s.Source.Base != "trunk" || s.Source.Head != "WORKTREE" || s.Env.Flake != map[string]string{"": ".", "services/cart": "services/cart"}[below]+"#lane-env" ||
					d.Pins != (toolchain == scaffold.Registry && language != scaffold.Go) || pins != d.Pins || pins && s.Env.Extras[0] != filepath.Join(below, "debian.json") {
					t.Errorf("%s from %s below %q: %+v, pins %v\n%s", language, toolchain, below, s.Env, d.Pins, d.Files[i].Data)
				}
			}
		}
	}
}

func TestNothingIsReplaced(t *testing.T) {
	dir := project(t, "main", "")
	d, err := scaffold.New(dir, scaffold.Options{})
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "flake.lock")
	if err := os.WriteFile(own, []byte("own"), 0o644); err != nil {
		t.Fatal(err)
	}
	var there *scaffold.Exists
	if err := d.Write(dir); !errors.As(err, &there) || !slices.Equal(there.Names, []string{"flake.lock"}) {
		t.Errorf("a file of the project's own: %v", err)
	}
	if data, _ := os.ReadFile(own); string(data) != "own" {
		t.Errorf("it is now %q", data)
	}
	if _, err := os.Stat(filepath.Join(dir, "lane.toml")); err == nil {
		t.Error("half of the files were written")
	}
}

// A flake that serves already is the project's, and stays.
func TestAFlakeWithALaneEnvIsKept(t *testing.T) {
	dir := project(t, "main", "")
	if err := os.WriteFile(filepath.Join(dir, "flake.nix"), []byte("{ lane-env = 1; }"), 0o644); err != nil {
		t.Fatal(err)
	}
	d, err := scaffold.New(dir, scaffold.Options{})
	if err != nil || len(d.Files) != 1 || d.Files[0].Name != "lane.toml" || !slices.Equal(d.Kept, []string{"flake.nix"}) {
		t.Fatalf("%+v, %v", d, err)
	}
	if err := d.Write(dir); err != nil {
		t.Error(err)
	}
	var out bytes.Buffer
	if err := d.Report(&out); err != nil || !strings.Contains(out.String(), "kept flake.nix") {
		t.Errorf("%s, %v", out.String(), err)
	}
}

func TestOutsideOfARepository(t *testing.T) {
	var none *scaffold.NoRepository
	if _, err := scaffold.New(t.TempDir(), scaffold.Options{Language: "go"}); !errors.As(err, &none) {
		t.Errorf("got %v", err)
	}
}

// The flakes are the ones that the examples use and that `nix flake init` gives.
func TestFlakesAreTheSameEverywhere(t *testing.T) {
	for _, language := range scaffold.Languages() {
		for mine, other := range map[string]string{
			"flakes/registry/" + language + "/flake.nix": "../../examples/" + language + "/project/flake.nix",
			"flakes/nixpkgs/" + language + "/flake.nix":  "../../nix/templates/" + language + "/flake.nix",
			"flakes/nixpkgs/" + language + "/flake.lock": "../../nix/templates/" + language + "/flake.lock",
		} {
			a, err := os.ReadFile(mine)
			if err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(other)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a, b) {
				t.Errorf("lane/scaffold/%s and %s differ: copy the one that is right over the other", mine, strings.TrimPrefix(other, "../../"))
			}
		}
	}
}
