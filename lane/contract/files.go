package contract

import (
	"path"
	"slices"
	"strings"

	"github.com/vallane/lane/assurance/attest"
	"github.com/vallane/lane/lane/spec"
)

// runnerNames configure a runner of tests and nothing else; "*" stands for the rest of a name.
var runnerNames = strings.Fields(`pytest.ini .pytest.ini pytest.toml .pytest.toml tox.ini .coveragerc
	.mocharc .mocharc.* jest.config.* vitest.config.* vitest.workspace.* ava.config.* .taprc .c8rc .c8rc.json .nycrc .nycrc.json karma.conf.js
	.rspec phpunit.xml phpunit.xml.dist nextest.toml`)

// sharedNames configure a runner of tests among other things, so that an honest change may well edit them.
var sharedNames = strings.Fields(`pyproject.toml setup.cfg setup.py conftest.py package.json .npmrc vite.config.* babel.config.* .babelrc
	tsconfig.json go.work Cargo.toml Makefile makefile GNUmakefile justfile CMakeLists.txt meson.build Rakefile Gemfile pom.xml build.gradle
	build.gradle.kts deno.json`)

// Rules say which files of a tree steer a check.
type Rules struct {
	spec     *spec.Spec
	specPath string
	listed   map[string]attest.FileRole
}

// NewRules are those of a spec that lies at path in its tree, "" for one from outside. What a contract lists keeps the role that it has
// there, whatever names this Lane knows.
func NewRules(s *spec.Spec, path string, listed []attest.ContractFile) Rules {
	r := Rules{spec: s, specPath: path, listed: map[string]attest.FileRole{}}
	for _, f := range listed {
		r.listed[f.Path] = f.Role
	}
	return r
}

// Role is that of a file of the tree, a slash path; "" for one that does not steer the check.
func (r Rules) Role(name string) attest.FileRole {
	switch role, ok := r.listed[name]; {
	case ok:
		return role
	case name == r.specPath:
		return attest.RoleSpec
	case r.spec.Assurance.Protects(name):
		return attest.RoleProtected
	case r.isEnvironment(name):
		return attest.RoleEnvironment
	case named(name, runnerNames):
		return attest.RoleRunner
	case named(name, sharedNames):
		return attest.RoleShared
	}
	return ""
}

// isEnvironment reports whether a file makes the closure of a task.
func (r Rules) isEnvironment(name string) bool {
	for _, t := range r.spec.Tasks {
		folder, _ := t.FlakeRef()
		if path.Dir(name) == path.Clean(folder) && slices.Contains([]string{"flake.nix", "flake.lock", "closure.lock"}, path.Base(name)) {
			return true
		}
	}
	return slices.ContainsFunc(r.spec.Env.Extras, func(g string) bool { return spec.Match(g, name) })
}

func named(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, path.Base(name))
		return ok && err == nil
	})
}
