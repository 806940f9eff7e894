package scaffold

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// The languages of which projects are known.
const (
	Go     = "go"
	Python = "python"
	Node   = "node"
)

// Languages lists them.
func Languages() []string { return []string{Go, Python, Node} }

// Project is what was found out about a folder.
type Project struct {
	Language string   // Go, Python or Node
	Run      []string // the command that runs its tests
	Reporter string   // the reporter for it, as a spec names it
	Notes    []string // what its owner should know, each a sentence without full stop
}

// Unknown says that a folder is no project, or several.
type Unknown struct {
	Found []string // languages, where there are several
}

func (u *Unknown) Error() string {
	if len(u.Found) == 0 {
		return "find the project: there is no go.mod, pyproject.toml, package.json or their like"
	}
	return "find the project: it is written in " + strings.Join(u.Found, " and ")
}

// Hint says what to do next.
func (u *Unknown) Hint() string {
	if len(u.Found) == 0 {
		return "name its folder, or its language: lane init --language python DIR; docs/spec-reference.md describes specs for other languages"
	}
	return "name one: lane init --language " + u.Found[0]
}

// Detect looks at the folder; language is one of Languages, or "" for what the folder shows.
func Detect(dir fs.FS, language string) (Project, error) {
	if language == "" {
		found := languagesOf(dir)
		if len(found) != 1 {
			return Project{}, &Unknown{Found: found}
		}
		language = found[0]
	}
	switch language {
	case Go:
		return goProject(dir), nil
	case Python:
		return pythonProject(dir)
	case Node:
		return nodeProject(dir)
	}
	return Project{}, fmt.Errorf("find the project: %q is no language that lane init knows; use %s", language, strings.Join(Languages(), ", "))
}

// languagesOf goes by the files that a project of the language has at its top, and
// for Python, which asks for none, by its modules.
func languagesOf(dir fs.FS) []string {
	var found []string
	for language, names := range map[string][]string{
		Go:     {"go.mod"},
		Python: {"pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "requirements.txt", "Pipfile"},
		Node:   {"package.json"},
	} {
		if slices.ContainsFunc(names, func(n string) bool { return exists(dir, n) }) {
			found = append(found, language)
		}
	}
	if len(found) == 0 {
		if modules, err := fs.Glob(dir, "*.py"); err == nil && len(modules) > 0 {
			found = []string{Python}
		}
	}
	slices.Sort(found)
	return found
}

func goProject(dir fs.FS) Project {
	p := Project{Language: Go, Run: []string{"go", "test", "./..."}, Reporter: "go"}
	if exists(dir, "go.sum") && !exists(dir, "vendor") {
		p.Notes = append(p.Notes, "go.sum names modules, and a box has no network: `go mod vendor` puts them into the tree")
	}
	return p
}

// script is a package.json, as far as it says how to test.
type script struct {
	Scripts         map[string]string
	Dependencies    map[string]any
	DevDependencies map[string]any
}

func nodeProject(dir fs.FS) (Project, error) {
	p := Project{Language: Node, Run: []string{"node", "--test"}, Reporter: "node"}
	data, err := fs.ReadFile(dir, "package.json")
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return p, fmt.Errorf("read package.json: %w", err)
	}
	var s script
	if err := json.Unmarshal(data, &s); err != nil {
		return p, fmt.Errorf("read package.json: %w", err)
	}
	if len(s.Dependencies)+len(s.DevDependencies) > 0 {
		p.Notes = append(p.Notes, "package.json names dependencies, and a box has no network: what the tests load must be in the tree")
	}
	test := s.Scripts["test"]
	words := strings.Fields(test)
	switch {
	case test == "" || strings.Contains(test, "no test specified"):
		return p, nil
	case s.runner(test, 0) != nil:
		p.Run = s.runner(test, 0)
		if !slices.Equal(p.Run, words) {
			p.Notes = append(p.Notes, fmt.Sprintf("of `%s`, Lane runs `%s`, which shows each test", test, strings.Join(p.Run, " ")))
		}
		return p, nil
	case len(words) > 0 && installed[words[0]] != "" && plain(test):
		// A box has no node_modules/.bin on its PATH.
		p.Run = append([]string{"node", "node_modules/" + installed[words[0]]}, words[1:]...)
		p.Reporter = words[0]
		return p, nil
	case len(words) > 1 && words[0] == "node" && plain(test):
		p.Run = words
	default:
		p.Run = []string{"sh", "-c", test}
	}
	p.Reporter = "exit"
	p.Notes = append(p.Notes, fmt.Sprintf("the tests run by `%s`, of which Lane sees the exit status alone: with `node --test` it would see each test", test))
	return p, nil
}

// installed are the programs of runners below node_modules, for which Lane has reporters.
var installed = map[string]string{"vitest": "vitest/vitest.mjs", "jest": "jest/bin/jest.js", "mocha": "mocha/bin/mocha.js"}

// runner finds the `node --test` that a script of package.json comes to: itself, behind what only watches it (c8, nyc), as one of
// several commands, or in a script that it runs. nil where there is none.
func (s script) runner(command string, depth int) []string {
	if depth > 5 {
		return nil
	}
	for _, part := range strings.FieldsFunc(command, func(r rune) bool { return r == '&' || r == ';' }) {
		words := strings.Fields(part)
		if len(words) > 1 && words[0] == "npm" && (words[1] == "run" || words[1] == "run-script") && len(words) > 2 {
			if found := s.runner(s.Scripts[words[2]], depth+1); found != nil {
				return found
			}
			continue
		}
		if len(words) > 0 && (words[0] == "c8" || words[0] == "nyc") {
			at := slices.Index(words, "node")
			words = words[max(at, 0):]
		}
		if len(words) > 1 && words[0] == "node" && slices.Contains(words, "--test") && plain(strings.Join(words, " ")) {
			return words
		}
	}
	return nil
}

// plain says that a shell would do nothing to the command but split it into words.
func plain(command string) bool { return !strings.ContainsAny(command, "\"'\\$`&|;<>()*?[]{}~#=\n") }

func pythonProject(dir fs.FS) (Project, error) {
	p := Project{Language: Python, Run: []string{"pytest", "-q"}, Reporter: "pytest"}
	if exists(dir, "requirements.txt") {
		p.Notes = append(p.Notes, "requirements.txt names packages: what the tests import must be in the closure, or in the tree")
	}
	if exists(dir, "src") && !exists(dir, "conftest.py") && !mentions(dir, "pythonpath", "pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini") {
		p.Notes = append(p.Notes, "the code lies in src: env = { PYTHONPATH = \"src\" } in the task, or pythonpath in pytest's settings, lets the tests import it")
	}
	suite, err := readSuite(dir)
	if err != nil {
		return p, err
	}
	if suite.pytest || !suite.unittest || mentions(dir, "pytest", "pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", "requirements.txt") {
		return p, nil
	}
	p.Reporter = "unittest"
	p.Run = []string{"python3", "-m", "unittest"}
	if suite.folder != "." && !exists(dir, path.Join(suite.folder, "__init__.py")) {
		p.Run = append(p.Run, "discover", "-s", suite.folder)
	}
	return p, nil
}

// suite is what the test files of a Python project show.
type suite struct {
	pytest, unittest bool
	folder           string // of the first file with unittest's tests
}

// readSuite looks at test files, at most three folders down.
func readSuite(dir fs.FS) (suite, error) {
	s := suite{folder: "."}
	err := fs.WalkDir(dir, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if e.IsDir() {
			if name != "." && (strings.HasPrefix(base, ".") || slices.Contains([]string{"node_modules", "venv", "build", "dist"}, base) || strings.Count(name, "/") > 2) {
				return fs.SkipDir
			}
			return nil
		}
		if base == "conftest.py" {
			s.pytest = true
		}
		if !isPythonTest(base) {
			return nil
		}
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		text := "\n" + string(data)
		if strings.Contains(text, "import pytest") || strings.Contains(text, "from pytest") || strings.Contains(text, "\ndef test") {
			s.pytest = true
		}
		if strings.Contains(text, "unittest") && !s.unittest {
			s.unittest, s.folder = true, path.Dir(name)
		}
		return nil
	})
	return s, err
}

func isPythonTest(base string) bool {
	return path.Ext(base) == ".py" && (strings.HasPrefix(base, "test") || strings.HasSuffix(base, "_test.py"))
}

func exists(dir fs.FS, name string) bool {
	_, err := fs.Stat(dir, name)
	return err == nil
}

func mentions(dir fs.FS, word string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		data, err := fs.ReadFile(dir, name)
		return err == nil && strings.Contains(string(data), word)
	})
}
