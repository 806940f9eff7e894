package lane

import (
	"path"
	"slices"
	"strings"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/javascript"
)

// languages are the suffixes of files that hold faults of the kinds that operators put in. What is not among them (styles,
// templates, queries) has its hunks put back to base, and nothing else is expected of it.
var languages = strings.Fields(".go .py .js .mjs .cjs .ts .mts .cts .jsx .tsx .rs .java .kt .rb .sh .bash .c .h .cc .cpp .hpp .cs .php .pl .lua .swift .scala .zig")

// maxUnmutated bounds how many files a verdict lists as unmutated.
const maxUnmutated = 50

// unmutated lists the files of code under verification that Lane's operators do not take: in whose language there are none, and
// those that cannot be read.
func (j *job) unmutated() (out []string) {
	speaksJavaScript := javascript.Extensions()
	for _, name := range j.code() {
		ext := path.Ext(name)
		known := ext == ".go" || j.untyped.read(name, j.changedLines)
		switch { // by the file: one that cannot be read is not among them, whatever else is
		case ext == ".py":
			known = j.foundPython != nil && j.foundPython.Read(name)
		case slices.Contains(speaksJavaScript, ext):
			known = javascript.IsDeclaration(name) || j.foundJavaScript != nil && j.foundJavaScript.Read(name)
		}
		if slices.Contains(languages, ext) && !known && len(out) < maxUnmutated {
			out = append(out, name)
		}
	}
	return out
}

// code lists the files of code that the verdict is about: those that the change touches, or all of them.
func (j *job) code() (out []string) {
	for _, f := range j.evidence.Plan.Change.Files {
		if f.Kind == assurance.FileCode && !j.whole() {
			out = append(out, f.Path)
		}
	}
	if !j.whole() {
		return out
	}
	all, err := j.repo.List(j.change.HeadTree)
	if err != nil {
		return nil
	}
	for name := range all {
		if isSource(name) && !isInstalled(name) && !isVendored(name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// setCommentsApart marks hunks put back that hold nothing but comments and blank lines, in languages whose own tools do not
// say it: no test can notice them.
func setCommentsApart(reverts []mutate.Mutant) {
	for i := range reverts {
		m := &reverts[i]
		sign, ok := commentSign(m.File)
		if ok && m.Kind == mutate.Edit && m.Arid == "" &&
			onlyComments(string(m.Original), sign) && onlyComments(string(m.Replacement), sign) {
			m.Arid = "comments alone"
		}
	}
}

func commentSign(name string) (string, bool) {
	switch path.Ext(name) {
	case ".sh", ".bash", ".rb":
		return "#", true
	case "": // of a script, which nothing but its first line says: configuration has other signs, too
		return "#", kindOf(name) == assurance.FileOther
	case ".rs", ".java", ".kt":
		return "//", true
	}
	return "", false
}

// onlyComments reports whether every line is blank or begins with the sign. The first line of a script that names its
// interpreter is none.
func onlyComments(text, sign string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, sign) || strings.HasPrefix(line, "#!") {
			return false
		}
	}
	return true
}
