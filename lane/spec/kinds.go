package spec

import "strings"

// shape is what a value looks like in TOML.
type shape int

const (
	shapeString shape = iota
	shapeBoolean
	shapeInteger
	shapeList     // of strings
	shapeCommands // of lists of strings
	shapeMap      // of strings
	shapeTable
	shapeTables
)

// kind is a type of values: what Setting.Type names.
type kind struct {
	shape shape
	want  string // with its article, as in "a duration"
	doc   string // for the reference page
	// check judges one string: the value, or one element of a list; nil takes any.
	check func(string) *complaint
	// pattern is what of check a regular expression can say.
	pattern string
	// set is a list in which no element may come twice.
	set bool
	// filled is a list with at least one element.
	filled bool
}

const junitPrefix = "junit:"

// kinds returns every type of values by its name.
func kinds() map[string]kind {
	return map[string]kind{
		"table":   {shape: shapeTable, want: "a table"},
		"tables":  {shape: shapeTables, want: "a list of tables"},
		"boolean": {shape: shapeBoolean, want: "true or false", doc: "`true` or `false`"},
		"integer": {shape: shapeInteger, want: "an integer", doc: "a whole number"},
		"id":      {want: "an id", check: checkID, pattern: idPattern, doc: strings.TrimPrefix(idWords, "has ")},
		"ids":     {shape: shapeList, set: true, want: "a list of ids", check: checkID, pattern: idPattern, doc: "a list of ids"},
		"line":    {want: "one line of text", check: checkWords, doc: "text on one line, without control characters"},
		"text":    {want: "a text", check: checkText, doc: "text, also of several lines"},
		"choice":  {want: "one of a few words", doc: "one of the words listed"},
		"choices": {shape: shapeList, set: true, want: "a list of words", doc: "a list of the words listed, each at most once"},
		"duration": {want: "a duration", pattern: durationPattern, doc: "numbers with units (`ms`, `s`, `m`, `h`), as in `90s` or `1h30m`; above 0",
			check: func(s string) *complaint { _, c := readDuration(s); return c }},
		"size": {want: "a size", pattern: sizePattern, doc: "a number with a unit (`B`, `KiB`, `MiB`, `GiB`, `TiB`), as in `512MiB`",
			check: func(s string) *complaint { _, c := readMemory(s); return c }},
		"commit":      {want: "a commit", check: checkCommit, pattern: commitPattern, doc: "the id of a commit: 40 hexadecimal digits in lower case"},
		"repository":  {want: "a path or URL", check: checkRepo, pattern: "^[^-]", doc: "a path, or a URL (https, ssh, git, file) without a password"},
		"revision":    {want: "a branch, tag or commit", check: checkRevision, pattern: "^[^-]", doc: "a branch, tag or commit; not a range"},
		"file":        {want: "a path", check: checkPatch, pattern: "^[^/]", doc: "a path with slashes, relative to the spec's folder, without `..`"},
		"folder":      {want: "a folder", check: checkFolder, pattern: "^[^/]", doc: "a path with slashes, relative to the root of the tree, without `..`"},
		"flake":       {want: "a flake of the tree", check: checkFlake, pattern: flakePattern, doc: "`FOLDER#ATTRIBUTE`, the folder relative to the root of the tree"},
		"target-name": {want: "a name", check: checkTargetName, pattern: `^[^{}]*\{label\}[^{}]*$`, doc: "an id that holds `{label}` once"},
		"url-path":    {want: "a path of a URL", check: checkURLPath, pattern: `^/([^/].*)?$`, doc: "path and query of a URL, beginning with one slash"},
		"globs": {shape: shapeList, set: true, want: "a list of patterns", check: checkGlob, pattern: "^[^/!]",
			doc: "a list of patterns relative to the root of the tree: `*` and `?` within a name, `**` for any number of folders, `[a-z]` for a set of characters; " +
				"a pattern whose last part has none of these covers everything below it"},
		"tests": {shape: shapeList, set: true, want: "a list of tests", check: checkTest, pattern: `\S`, doc: "a list of names of tests, each as its runner gives it"},
		"hosts": {shape: shapeList, set: true, want: "a list of HOST:PORT", check: checkHost, pattern: `^(@(go|npm|pip)|.+:[1-9][0-9]{0,4})$`,
			doc: "a list of `HOST:PORT`, hosts in lower case; `.HOST:PORT` stands for every name below a host, `@go`, `@npm` and `@pip` for the registry that the machine's client is configured to ask"},
		"digests": {shape: shapeList, set: true, want: "a list of digests", check: checkDigest, pattern: "^sha256:[0-9a-f]{64}$",
			doc: "a list of `sha256:` and 64 hexadecimal digits in lower case"},
		"digest":    {want: "a digest", check: checkHex, pattern: "^[0-9a-f]{64}$", doc: "64 hexadecimal digits in lower case, as `sha256sum` prints them"},
		"command":   {shape: shapeList, filled: true, want: "a list of strings", check: checkArgument, doc: "a list of strings, the command first"},
		"commands":  {shape: shapeCommands, want: "a list of commands", check: checkArgument, doc: "a list of commands, each a list of strings"},
		"variables": {shape: shapeMap, want: "a table of strings", check: checkArgument, doc: "a table of strings"},
		"reporter": {want: "a reporter", check: checkReporter, pattern: `^(auto|go|pytest|unittest|node|vitest|jest|mocha|tap|exit|junit:[^/].*)$`,
			doc: "one of the words listed; PATH is relative to the folder the task starts in"},
	}
}

func checkDigest(s string) *complaint {
	hex, ok := strings.CutPrefix(s, "sha256:")
	if !ok || len(hex) != 64 || strings.Trim(hex, "0123456789abcdef") != "" {
		return complain("write sha256: and what sha256sum prints of the file", "cannot be %s: it is no SHA-256 digest", quote(s))
	}
	return nil
}

func checkHex(s string) *complaint {
	if len(s) != 64 || strings.Trim(s, "0123456789abcdef") != "" {
		return complain("write what sha256sum prints of the file", "cannot be %s: it is no SHA-256 digest", quote(s))
	}
	return nil
}

func checkWords(s string) *complaint {
	if strings.TrimSpace(s) == "" {
		return complain("", "cannot be %s: it says nothing", quote(s))
	}
	return checkLine(s)
}

func checkText(s string) *complaint {
	return checkWords(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return ' '
		}
		return r
	}, s))
}

// checkArgument refuses the one character that no argument and no variable of
// a process can hold.
func checkArgument(s string) *complaint {
	if strings.ContainsRune(s, 0) {
		return complain("", "cannot be %s: it has a NUL character", quote(s))
	}
	return nil
}

func checkReporter(s string) *complaint {
	if path, ok := strings.CutPrefix(s, junitPrefix); ok {
		return checkFile(path, inside{s, "a report", "the folder that the task starts in"})
	}
	choices := reporters()
	for _, name := range choices {
		if s == name && s != junitPrefix+"PATH" {
			return nil
		}
	}
	if s == "junit" {
		return complain(`write "junit:PATH" with the report's own path, as in "junit:build/report.xml"`, "cannot be %s: the path is missing", quote(s))
	}
	return notAmong(s, choices)
}

// reporters returns the choices of task.reporter.
func reporters() []string {
	for _, s := range taskSettings() {
		if s.Key == "task[].reporter" {
			return s.Enum
		}
	}
	return nil
}

// notAmong is the complaint about a word that is none of the choices.
func notAmong(word string, choices []string) *complaint {
	hint := ""
	if near, ok := closest(word, choices); ok {
		hint = "did you mean " + quote(near) + "?"
	}
	return complain(hint, "cannot be %s: choose %s", quote(word), orList(choices))
}

func orList(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
