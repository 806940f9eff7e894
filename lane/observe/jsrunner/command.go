package jsrunner

import (
	"path"
	"slices"
	"strings"
)

// A command is one of the runner, taken apart.
type command struct {
	start  []string // what starts the runner, and its subcommand
	args   []string // all that follows, as it stands, but for "--" and what follows that
	rest   []string // that
	flags  []string // those of args that are options, with their values where that is known
	unsure string   // why its tests cannot be selected; "" where they can
}

// installed are the programs of a runner's package, by the end of their path.
func (d *dialect) installed(word string) bool {
	if path.Base(word) == d.name && (!strings.Contains(word, "/") || strings.HasSuffix(path.Dir(word), "node_modules/.bin")) {
		return true
	}
	return slices.ContainsFunc(d.programs, func(p string) bool { return strings.HasSuffix("/"+word, "/node_modules/"+p) })
}

// parse takes a command apart; ok is false where it does not plainly start the runner: by its name, by node and its file, or by npx.
func (d *dialect) parse(argv []string) (c command, ok bool) {
	at := 0
	if len(argv) > 0 && (path.Base(argv[0]) == "node" || path.Base(argv[0]) == "npx") {
		for at = 1; at < len(argv) && strings.HasPrefix(argv[at], "-"); at++ {
			if name := argv[at]; name == "-r" || name == "--require" || name == "--import" || name == "-p" || name == "--package" {
				at++
			}
		}
	}
	if at >= len(argv) || !d.installed(argv[at]) {
		return c, false
	}
	args := argv[at+1:]
	if at++; d.run != "" && len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		if slices.Contains(d.others, args[0]) {
			return c, false
		}
		if args[0] == d.run {
			args, at = args[1:], at+1
		}
	}
	c.start, c.args = argv[:at], args
	if end := slices.Index(args, "--"); end >= 0 {
		c.args, c.rest = args[:end], args[end:]
	}
	d.options(&c)
	return c, true
}

// options takes the options out of a command's words, and leaves those that name files.
func (d *dialect) options(c *command) {
	args := c.args
	for i := 0; i < len(args); i++ {
		name, _, has := strings.Cut(args[i], "=")
		switch {
		case !strings.HasPrefix(name, "-"):
			continue
		case slices.Contains(d.chooses, name):
			c.unsure = name + " chooses tests itself"
		}
		c.flags = append(c.flags, args[i])
		next := i+1 < len(args) && !strings.HasPrefix(args[i+1], "-")
		switch {
		case has || !next || slices.Contains(d.switches, name) || strings.HasPrefix(name, "--no-"):
		case slices.Contains(d.valued, name):
			i++
			c.flags = append(c.flags, args[i])
		default:
			c.unsure = "it is not known whether " + args[i+1] + " is a file or the value of " + name
		}
	}
}

// has reports whether an option is there.
func (c command) has(names ...string) bool {
	return slices.ContainsFunc(c.flags, func(f string) bool {
		name, _, _ := strings.Cut(f, "=")
		return slices.Contains(names, name)
	})
}
