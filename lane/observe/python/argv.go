package python

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// The kinds of test runner that this package knows.
const (
	pytest   = "pytest"
	unittest = "unittest"
)

// A command is a command line of a Python test runner, taken apart.
type command struct {
	kind   string
	name   string   // the interpreter or script that was named
	script bool     // name is a script such as pytest, not an interpreter
	flags  []string // of the interpreter, without those that Lane decides itself
	args   []string // of the runner
}

var interpreterName = regexp.MustCompile(`^python(3(\.[0-9]+)?)?$`)

// parseCommand takes a command line apart; ok is false where it is not plainly a test runner's.
func parseCommand(argv []string) (c command, ok bool) {
	if len(argv) == 0 {
		return c, false
	}
	c.name = argv[0]
	base := path.Base(c.name)
	if base == "pytest" || base == "py.test" {
		c.kind, c.script, c.args = pytest, true, argv[1:]
		return c, true
	}
	if !interpreterName.MatchString(base) {
		return c, false
	}
	for i := 1; i < len(argv); i++ {
		arg := argv[i]
		switch {
		case arg == "-m" && i+1 < len(argv):
			return c.module(argv[i+1], argv[i+2:])
		case strings.HasPrefix(arg, "-m") && len(arg) > 2:
			return c.module(arg[2:], argv[i+1:])
		case (arg == "-W" || arg == "-X") && i+1 < len(argv):
			c.flags = append(c.flags, arg, argv[i+1])
			i++
		case strings.HasPrefix(arg, "-W"), strings.HasPrefix(arg, "-X"):
			c.flags = append(c.flags, arg)
		case len(arg) > 1 && arg[0] == '-' && strings.Trim(arg[1:], "bBdEIOPqsSuv") == "":
			if kept := strings.Map(undecided, arg[1:]); kept != "" {
				c.flags = append(c.flags, "-"+kept)
			}
		default:
			return c, false
		}
	}
	return c, false
}

// undecided drops the flags that say how isolated the interpreter is and what it caches: Lane says so itself.
func undecided(flag rune) rune {
	if strings.ContainsRune("BEIPsS", flag) {
		return -1
	}
	return flag
}

func (c command) module(name string, args []string) (command, bool) {
	switch name {
	case "pytest", "py.test":
		c.kind = pytest
	case "unittest":
		c.kind = unittest
	default:
		return c, false
	}
	c.args = args
	return c, true
}

// positional returns the arguments that name files or folders of the tree, or tests in them, relative to the tree.
func (c command) positional(t *tree, cwd string) []string {
	var list []string
	for _, arg := range c.args {
		file, _, _ := strings.Cut(arg, "::")
		if strings.HasPrefix(arg, "-") || path.IsAbs(file) || file == "" {
			continue
		}
		if at := path.Join(cwd, file); t.exists(at) {
			list = append(list, at)
		}
	}
	return list
}

// typed is the command as a person would type it for the selected tests alone. named are the files and folders that it names
// itself.
func (c command) typed(argv, named []string, cwd string, ids []string) []string {
	if ids == nil {
		return argv
	}
	words := slices.Clone(argv[:len(argv)-len(c.args)])
	for _, arg := range c.args {
		file, _, _ := strings.Cut(arg, "::")
		switch {
		case c.kind == unittest && !slices.Contains(unittestSwitches, arg):
			// What is discovered, and how, is replaced by names.
		case !strings.HasPrefix(arg, "-") && slices.Contains(named, path.Join(cwd, file)):
		default:
			words = append(words, arg)
		}
	}
	return append(words, ids...)
}

// unittestSwitches are the options of unittest that take no value and do not choose tests.
var unittestSwitches = []string{"-v", "--verbose", "-q", "--quiet", "-f", "--failfast", "-c", "--catch", "-b", "--buffer", "--locals"}
