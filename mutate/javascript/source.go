package javascript

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/vallane/lane/mutate/treesitter"
)

// grammars by the extensions of files.
var grammars = map[string]treesitter.Language{
	".js": treesitter.JavaScript, ".mjs": treesitter.JavaScript, ".cjs": treesitter.JavaScript, ".jsx": treesitter.JavaScript,
	".ts": treesitter.TypeScript, ".mts": treesitter.TypeScript, ".cts": treesitter.TypeScript, ".tsx": treesitter.TSX,
}

func grammarOf(file string) treesitter.Language { return grammars[path.Ext(file)] }

// Extensions lists the extensions of files that are read, sorted.
func Extensions() []string {
	var out []string
	for ext := range grammars {
		out = append(out, ext)
	}
	slices.Sort(out)
	return out
}

var (
	testFolders = strings.Fields("test tests __tests__ __snapshots__ __mocks__")
	testStem    = regexp.MustCompile(`^(test|test-.+|.+[._-]test|.+\.spec|.+\.test-d)$`)
)

// IsTest reports whether a path of a tree is a test, or belongs to tests, by what node --test and people go by.
func IsTest(name string) bool {
	dir, base := path.Split(name)
	ext := path.Ext(base)
	for _, d := range strings.Split(strings.Trim(dir, "/"), "/") {
		if slices.Contains(testFolders, d) {
			return grammars[ext] != "" || slices.Contains([]string{".json", ".snapshot", ".snap"}, ext)
		}
	}
	return grammars[ext] != "" && testStem.MatchString(strings.TrimSuffix(base, ext))
}

// IsSource reports whether a path is code that tests may run: no test, no declarations of types, and nothing that was installed
// beside it. Settings of tools are code like all other: a name takes no file out of what is judged.
func IsSource(p string) bool {
	return grammars[path.Ext(p)] != "" && !IsTest(p) && !IsDeclaration(p) && !strings.Contains("/"+p, "/node_modules/") && !strings.Contains("/"+p, "/bower_components/")
}

// IsDeclaration reports whether a path holds types of TypeScript and no code.
func IsDeclaration(p string) bool {
	ext := path.Ext(p)
	return grammars[ext] != "" && strings.HasSuffix(ext, "ts") && strings.HasSuffix(strings.TrimSuffix(p, ext), ".d")
}

// Canary returns a source in a form that no program survives which has loaded it, as a script, as a module and as TypeScript, for
// the engine: a run that does not notice it does not use the file. It knows files of these languages only.
func Canary(p string, src []byte) ([]byte, bool) {
	if !IsSource(p) {
		return nil, false
	}
	eol := "\n"
	if bytes.Contains(src, []byte("\r\n")) {
		eol = "\r\n"
	}
	out := slices.Clone(src)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, eol...)
	}
	// The exception is for those who took the exit away.
	return append(out, `;globalThis.process?.exit(86); throw new Error("canary");`+eol...), true
}
