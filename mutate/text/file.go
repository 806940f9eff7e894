package text

import (
	"path"
	"slices"
	"strings"
)

// style is how a kind of file writes comments, and what else is known of it.
type style struct {
	line  []string // signs of comments that end with the line
	block [][2]string
	code  bool // comparisons and connections are operators
	words bool // `and` and `or` are, too
	lines bool // each line is a setting of its own
	// doubled says that a quotation mark within a text is written twice, and a backslash is nothing.
	doubled bool
}

// styles by the extensions of files.
var styles = byExtension()

func byExtension() map[string]style {
	slashes := style{line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, code: true}
	out := map[string]style{
		".lua": {line: []string{"--"}, block: [][2]string{{"--[[", "]]"}, {"[[", "]]"}}, code: true, words: true},
		".sql": {line: []string{"--", "#"}, block: [][2]string{{"/*", "*/"}}, code: true, words: true, doubled: true},
		".php": {line: []string{"//", "#"}, block: [][2]string{{"/*", "*/"}, {"?>", "<?php"}}, code: true},
		".pl":  {line: []string{"#"}, code: true}, ".proto": {line: []string{"//"}, block: [][2]string{{"/*", "*/"}}},
		".css": {block: [][2]string{{"/*", "*/"}}}, ".html": {block: [][2]string{{"<!--", "-->"}}}, ".xml": {block: [][2]string{{"<!--", "-->"}}},
		".tmpl": {block: [][2]string{{"{{/*", "*/}}"}}}, ".json": {line: []string{"//"}, block: [][2]string{{"/*", "*/"}}},
		".yaml": {line: []string{"#"}}, ".yml": {line: []string{"#"}}, ".toml": {line: []string{"#"}, lines: true},
		".ini": {line: []string{";", "#"}, lines: true}, ".cfg": {line: []string{";", "#"}, lines: true}, ".conf": {line: []string{"#", ";"}, lines: true},
		".env": {line: []string{"#"}, lines: true}, ".properties": {line: []string{"#", "!"}, lines: true},
	}
	for _, ext := range strings.Fields(".kt .cc .cpp .hpp .cs .swift .scala .zig .gradle") {
		out[ext] = slashes
	}
	return out
}

// tools are files of settings that a program's own tests do not read.
var tools = strings.Fields("package.json package-lock.json npm-shrinkwrap.json tsconfig.json jsconfig.json composer.json Cargo.toml pyproject.toml setup.cfg tox.ini " +
	"pytest.ini mypy.ini pom.xml settings.gradle build.gradle gradle.properties lane.toml debian.json docker-compose.yml docker-compose.yaml mkdocs.yml renovate.json")

// IsSource reports whether a file may have mutants. Which of them are tests is not for this package to say.
func IsSource(p string) bool {
	_, known := styles[path.Ext(p)]
	if !known || slices.Contains(tools, path.Base(p)) {
		return false
	}
	for _, dir := range strings.Split(p, "/") {
		if strings.HasPrefix(dir, ".") && dir != ".env" || dir == "node_modules" || dir == "vendor" {
			return false
		}
	}
	return true
}

// Canary returns a file of code in a form that no compiler and no interpreter takes. It knows no configuration: what a program makes of a
// broken one is its own business.
func Canary(p string, src []byte) ([]byte, bool) {
	if s := styles[path.Ext(p)]; !IsSource(p) || !s.code || path.Ext(p) == ".php" || path.Ext(p) == ".sql" {
		return nil, false
	}
	return append(slices.Clone(src), "\n)]}\n"...), true
}
