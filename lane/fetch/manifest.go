package fetch

import (
	"path"
	"slices"
	"strings"
)

// manifests are the files that say what a project depends on, by their names. Files that may hold a password or choose
// another registry (.npmrc, pip.conf, .cargo/config.toml) are not among them.
var manifests = strings.Fields(`
	package.json package-lock.json npm-shrinkwrap.json pnpm-lock.yaml pnpm-workspace.yaml yarn.lock bun.lock
	pyproject.toml uv.lock poetry.lock pdm.lock pylock.toml Pipfile Pipfile.lock
	go.mod go.sum go.work go.work.sum
	Cargo.toml Cargo.lock
	Gemfile Gemfile.lock gems.rb gems.locked
	composer.json composer.lock mix.exs mix.lock`)

// IsManifest reports whether a fetch box sees the file of a tree. path has slashes.
func IsManifest(name string) bool {
	base := path.Base(name)
	if strings.HasSuffix(base, ".txt") && (strings.HasPrefix(base, "requirements") || strings.HasPrefix(base, "constraints")) {
		return true
	}
	if dir := path.Base(path.Dir(name)); dir == "requirements" && strings.HasSuffix(base, ".txt") {
		return true
	}
	return slices.Contains(manifests, base)
}
