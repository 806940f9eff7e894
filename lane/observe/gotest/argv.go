package gotest

import (
	"path"
	"slices"
	"strings"
)

// A command is a "go test" command line, taken apart as the go command does.
type command struct {
	words   []word
	changed bool
}

// A word is one argument. Values that stand in an argument of their own belong to the word of their flag.
type word struct {
	kind  wordKind
	name  string // of a flag, without dashes and without "test."
	value string // of a flag
	args  []string
}

type wordKind int

const (
	wordGo wordKind = iota // the command and "test"
	wordFlag
	wordPackage
	wordRest // -args and what follows, and positional arguments of the test binary
)

// boolFlags are the flags of go test that take no value in an argument of their own.
var boolFlags = strings.Fields("a n x v i c race msan asan work cover json trimpath modcacherw linkshared buildvcs benchmem failfast short fullpath artifacts")

// valueFlags are the flags of go test that take one.
var valueFlags = strings.Fields(`C o p exec vet tags mod modfile overlay asmflags buildmode compiler covermode coverpkg gccgoflags gcflags
	installsuffix ldflags pgo pkgdir toolexec bench benchtime blockprofile blockprofilerate count coverprofile cpu cpuprofile fuzz fuzzminimizetime
	fuzztime list memprofile memprofilerate mutexprofile mutexprofilefraction outputdir parallel run shuffle skip timeout trace`)

// argsFlags end what the go command itself reads.
var argsFlags = []string{"--", "-args", "--args"}

// parseCommand takes a command line apart; ok is false for anything but "go test".
func parseCommand(argv []string) (c *command, ok bool) {
	if len(argv) < 2 || path.Base(argv[0]) != "go" || argv[1] != "test" {
		return nil, false
	}
	c = &command{words: []word{{kind: wordGo, args: argv[:2]}}}
	c.parse(argv[2:])
	return c, true
}

func (c *command) parse(args []string) {
	packages, inList, afterUnknown := false, false, false
	for len(args) > 0 {
		arg := args[0]
		wasAfterUnknown := afterUnknown
		afterUnknown = false
		if slices.Contains(argsFlags, arg) {
			c.words = append(c.words, word{kind: wordRest, args: args})
			return
		}
		if len(arg) < 2 || arg[0] != '-' {
			switch {
			case packages && !inList && wasAfterUnknown:
				c.words = append(c.words, word{kind: wordFlag, args: args[:1]})
			case packages && !inList:
				c.words = append(c.words, word{kind: wordRest, args: args})
				return
			default:
				packages, inList = true, true
				c.words = append(c.words, word{kind: wordPackage, value: arg, args: args[:1]})
			}
			args = args[1:]
			continue
		}
		inList = false
		name, value, has := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		name = strings.TrimPrefix(name, "test.")
		w := word{kind: wordFlag, name: name, value: value, args: args[:1]}
		switch {
		case slices.Contains(valueFlags, name):
			if !has && len(args) > 1 {
				w.value, w.args = args[1], args[:2]
			}
		case slices.Contains(boolFlags, name):
			if !has {
				w.value = "true"
			}
		default:
			// Nothing after an unknown flag can be told to be a package.
			packages, afterUnknown = true, !has
		}
		args = args[len(w.args):]
		c.words = append(c.words, w)
	}
}

// flag returns the last value of a flag.
func (c *command) flag(name string) (value string, ok bool) {
	for _, w := range c.words {
		if w.kind == wordFlag && w.name == name {
			value, ok = w.value, true
		}
	}
	return value, ok
}

func (c *command) on(name string) bool {
	v, ok := c.flag(name)
	return ok && v != "false" && v != "0"
}

// packages returns the package arguments; none stands for ".".
func (c *command) packages() []string {
	var list []string
	for _, w := range c.words {
		if w.kind == wordPackage {
			list = append(list, w.value)
		}
	}
	if list == nil {
		list = []string{"."}
	}
	return list
}

// drop removes a flag.
func (c *command) drop(name string) {
	c.changed = true
	c.words = slices.DeleteFunc(c.words, func(w word) bool { return w.kind == wordFlag && w.name == name })
}

// set gives a flag a value, in place of any that it has.
func (c *command) set(name, value string) {
	c.drop(name)
	c.insert(word{kind: wordFlag, name: name, value: value, args: []string{"-" + name + "=" + value}})
}

// insert puts a flag before the packages.
func (c *command) insert(w word) {
	at := slices.IndexFunc(c.words, func(w word) bool { return w.kind == wordPackage || w.kind == wordRest })
	if at < 0 {
		at = len(c.words)
	}
	c.words = slices.Insert(c.words, at, w)
}

// setPackages replaces the package arguments.
func (c *command) setPackages(list []string) {
	c.words = slices.DeleteFunc(c.words, func(w word) bool { return w.kind == wordPackage })
	for _, p := range list {
		c.insertPackage(p)
	}
}

func (c *command) insertPackage(p string) {
	at := slices.IndexFunc(c.words, func(w word) bool { return w.kind == wordRest })
	// An unknown flag ends the list of packages, so that they must stand before it.
	if i := slices.IndexFunc(c.words, func(w word) bool { return w.kind == wordFlag && !known(w.name) }); i >= 0 && (at < 0 || i < at) {
		at = i
	}
	if at < 0 {
		at = len(c.words)
	}
	c.words = slices.Insert(c.words, at, word{kind: wordPackage, value: p, args: []string{p}})
}

func known(flag string) bool {
	return slices.Contains(boolFlags, flag) || slices.Contains(valueFlags, flag)
}

func (c *command) clone() *command { return &command{slices.Clone(c.words), c.changed} }

// argv puts the command together again.
func (c *command) argv() []string {
	var args []string
	for _, w := range c.words {
		// A flag may have been taken out that told apart what the test binary is to get.
		if c.changed && w.kind == wordRest && !slices.Contains(argsFlags, w.args[0]) {
			args = append(args, "-args")
		}
		args = append(args, w.args...)
	}
	return args
}
