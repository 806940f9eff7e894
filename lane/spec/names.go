package spec

import (
	"fmt"
	"regexp"
	"strings"
)

// idPattern is the part of the id rule that a regular expression can say; the
// JSON Schema holds it too.
const idPattern = `^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`

const (
	idRule  = "an id " + idWords
	idWords = `has 1 to 100 of the characters A-Z a-z 0-9 . _ -, begins with a letter or digit, ` +
		`has no ".." and no "." at its end, and is no device name of Windows`
)

var idForm = regexp.MustCompile(idPattern)

// checkID holds the rule for ids of specs, criteria and tasks. They become
// names of files, branches and cgroups, on file systems that may fold case or
// know devices by name.
func checkID(id string) *complaint {
	var why string
	switch {
	case id == "":
		why = "is empty"
	case len(id) > 100:
		why = fmt.Sprintf("has %d characters", len(id))
	case strings.Contains(id, ".."):
		why = `has ".."`
	case strings.HasSuffix(id, "."):
		why = `ends with "."`
	case !idForm.MatchString(id[:1]):
		why = fmt.Sprintf("begins with %s", quote(firstRune(id)))
	case !idForm.MatchString(id):
		why = fmt.Sprintf("has %s", quote(firstOther(id)))
	case isDevice(id):
		why = "is a device name of Windows"
	default:
		return nil
	}
	return complain(idRule, "cannot be %s: it %s", quote(id), why)
}

func firstRune(s string) string {
	for _, r := range s {
		return string(r)
	}
	return ""
}

func firstOther(id string) string {
	for _, r := range id {
		if !idForm.MatchString("a" + string(r)) {
			return string(r)
		}
	}
	return ""
}

// isDevice knows the names that Windows opens as devices in any folder, with
// any extension.
func isDevice(id string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(id), ".")
	switch stem {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	port, digit := strings.CutPrefix(stem, "COM")
	if !digit {
		port, digit = strings.CutPrefix(stem, "LPT")
	}
	return digit && len(port) == 1 && port[0] >= '0' && port[0] <= '9'
}

const variablePattern = `^[A-Za-z_][A-Za-z0-9_]*$`

var variableForm = regexp.MustCompile(variablePattern)

// closedGroup is a group of variables that task.env may not set; a name that
// ends in * stands for all that begin so.
type closedGroup struct {
	names, reason string
	// flags says that the variable carries flags, which have a better place.
	flags bool
}

func closed() []closedGroup {
	return []closedGroup{
		{"PATH HOME TMPDIR GOCACHE SOURCE_DATE_EPOCH", "Lane sets it itself, the same in every run", false},
		{"TZ PYTHONHASHSEED", "the stability runs vary it", false},
		{"LANE_*", "names that begin with LANE_ are Lane's own", false},
		{"LD_* DYLD_*", "it loads code into every program of the run", false},
		{"GOFLAGS", "it changes what the go command builds and runs", true},
		{"GOWORK GOENV GOROOT GOPATH GOMODCACHE GOPROXY GOTOOLCHAIN", "it changes what the go command builds from", false},
		{"PYTEST_ADDOPTS PYTEST_PLUGINS PYTEST_DISABLE_PLUGIN_AUTOLOAD", "it changes what pytest runs and reports", true},
		{"PYTHONHOME PYTHONSTARTUP PYTHONUSERBASE PYTHONINSPECT", "it loads code into every Python of the run", false},
		{"NODE_OPTIONS", "it changes what Node loads and reports", true},
		{"NODE_PATH NODE_TEST_CONTEXT NODE_REPL_EXTERNAL_MODULE", "it changes what Node loads and reports", false},
		{"MAKEFLAGS MFLAGS GNUMAKEFLAGS", "it changes what make runs", true},
		{"MAKEFILES", "it changes what make runs", false},
		{"BASH_ENV ENV SHELLOPTS BASHOPTS PERL5OPT PERL5LIB RUBYOPT RUBYLIB", "it loads code into every script of the run", false},
		{"JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS", "it loads code into every Java of the run", true},
		{"GIT_*", "it points git at another repository or configuration; GIT_AUTHOR_* and GIT_COMMITTER_* are free", false},
	}
}

// checkVariable says why a task may not set a variable, nil if it may.
func checkVariable(name string) *complaint {
	if !variableForm.MatchString(name) {
		return complain("a name has letters, digits and _, and no digit first", "cannot set the variable %s", quote(name))
	}
	if strings.HasPrefix(name, "GIT_AUTHOR_") || strings.HasPrefix(name, "GIT_COMMITTER_") {
		return nil
	}
	for _, group := range closed() {
		for _, pattern := range strings.Fields(group.names) {
			prefix, open := strings.CutSuffix(pattern, "*")
			if name != pattern && !(open && strings.HasPrefix(name, prefix)) {
				continue
			}
			hint := ""
			if group.flags {
				hint = `write the flags into "run"`
			}
			return complain(hint, "cannot set %s: %s", name, group.reason)
		}
	}
	return nil
}

// checkTest holds what can be said of a test's name without its runner.
func checkTest(name string) *complaint {
	switch {
	case strings.TrimSpace(name) == "":
		return complain("name a test as its runner does", "cannot be %s: an empty name", quote(name))
	case strings.TrimSpace(name) != name:
		return complain("", "cannot be %s: space at its begin or end", quote(name))
	case len(name) > 1000:
		return complain("", "cannot be %s: more than 1000 bytes", quote(name))
	}
	return checkLine(name)
}

// checkLine refuses what would break a line of a report or a terminal.
func checkLine(s string) *complaint {
	for _, r := range s {
		if isHidden(r) {
			return complain("", "cannot be %s: it has the character %+q", quote(s), r)
		}
	}
	return nil
}

// isHidden is true of control characters and of those that reorder or hide the
// text around them.
func isHidden(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r < 0xa0:
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff:
		return true
	case r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return r == 0xad || r == 0x61c
}
