package lane

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/worktree"
	"github.com/vallane/lane/mutate/golang"
	"github.com/vallane/lane/mutate/javascript"
	"github.com/vallane/lane/mutate/python"
	"github.com/vallane/lane/mutate/syntax"
)

var (
	codeSuffixes = strings.Fields(".go .py .pyi .js .mjs .cjs .ts .mts .cts .jsx .tsx .rs .java .kt .rb .sh .bash .c .h .cc .cpp .hpp .cs .php .pl .lua .swift .scala .zig .sql .proto .tmpl .html .css")
	confSuffixes = strings.Fields(".toml .json .yaml .yml .ini .cfg .conf .env .properties .mk .nix .lock .mod .sum .work .xml .gradle")
	confNames    = strings.Fields("Makefile Dockerfile Containerfile Jenkinsfile .gitignore .gitattributes .editorconfig")
	docsSuffixes = strings.Fields(".md .rst .adoc .txt")
	docsNames    = strings.Fields("LICENSE COPYING NOTICE AUTHORS CHANGELOG README")
)

// kindOf classifies a changed path. Code and configuration can hold a fault that a test should notice.
func kindOf(name string) string {
	base := path.Base(name)
	ext := path.Ext(base)
	switch {
	case isTest(name):
		return assurance.FileTest
	case slices.Contains(codeSuffixes, ext):
		return assurance.FileCode
	case slices.Contains(confSuffixes, ext), slices.Contains(confNames, base):
		return assurance.FileConfig
	case slices.Contains(docsSuffixes, ext), slices.Contains(docsNames, base):
		return assurance.FileDocs
	}
	return assurance.FileOther
}

// changedKind classifies a changed file: by its path, and where that says nothing, by its first line. A script without a suffix is code, which only
// its content tells.
func (j *job) changedKind(f worktree.FileChange) (string, error) {
	kind := kindOf(f.Path)
	if kind != assurance.FileOther || path.Ext(f.Path) != "" {
		return kind, nil
	}
	for tree, b := range map[string]worktree.Blob{j.change.HeadTree: f.New, j.change.BaseTree: f.Old} {
		if b.Hash == "" || !b.Mode.IsRegular() {
			continue
		}
		data, err := j.repo.ReadFile(tree, f.Path)
		if err != nil {
			return "", err
		}
		if bytes.HasPrefix(data, []byte("#!")) && !inTestFolder(f.Path) {
			return assurance.FileCode, nil
		}
	}
	return kind, nil
}

// kind classifies a path of the tree, a changed one as the plan does.
func (j *job) kind(name string) string {
	files := j.evidence.Plan.Change.Files
	if i := slices.IndexFunc(files, func(f assurance.ChangedFile) bool { return f.Path == name }); i >= 0 {
		return files[i].Kind
	}
	return kindOf(name)
}

// isSource reports whether a path is code that mutants of it make sense for: what a language's own operators take, and in other
// languages all code, of which hunks are put back to base.
func isSource(name string) bool {
	return golang.IsSource(name) || path.Ext(name) != ".go" && kindOf(name) == assurance.FileCode
}

// isInstalled reports whether a path is of a package that npm put there.
func isInstalled(name string) bool { return strings.Contains("/"+name, "/node_modules/") }

// isVendored reports whether a path is a copy of someone else's code that is kept in the tree: below the folder vendor of the root, of
// another Go module (what is below is named by its host), or of Ruby's bundler. A package of the project that is itself called vendor is
// none. What a change edits there is code like any other; a run over the whole tree passes it over.
func isVendored(name string) bool {
	before, after, ok := strings.Cut("/"+name, "/vendor/")
	if !ok {
		return false
	}
	first, _, _ := strings.Cut(after, "/")
	return before == "" || strings.Contains(after, "/") && (strings.Contains(first, ".") || first == "bundle")
}

// isScript reports whether a file that nothing but its first line tells the kind of is a script, which is code.
func isScript(tree fs.FS, name string) bool {
	if path.Ext(name) != "" || kindOf(name) != assurance.FileOther || inTestFolder(name) {
		return false
	}
	if st, err := fs.Lstat(tree, name); err != nil || !st.Mode().IsRegular() {
		return false // a link: what it leads to is found under its own name
	}
	f, err := tree.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	first := make([]byte, 2)
	_, err = io.ReadFull(f, first)
	return err == nil && string(first) == "#!"
}

// testFolders hold tests and what they need, in languages other than Go.
var testFolders = strings.Fields("test tests t spec specs __tests__")

// isTest reports whether a path is a test, by the habits of its language. Data below a folder of tests belongs to them.
func isTest(name string) bool {
	base := path.Base(name)
	ext := path.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	switch {
	case golang.IsTest(name), python.IsTest(name), javascript.IsTest(name), syntax.IsTest(name):
		return true
	case ext == ".go", ext == ".py":
		return false
	case ext == ".bats", ext == ".t":
		return true
	case !slices.Contains(codeSuffixes, ext):
		return false
	}
	for _, end := range []string{"_test", "-test", ".test", "_spec", ".spec", "Test", "Tests"} {
		if strings.HasSuffix(stem, end) {
			return true
		}
	}
	return inTestFolder(name)
}

func inTestFolder(name string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(name), "/"), func(d string) bool { return slices.Contains(testFolders, d) })
}
