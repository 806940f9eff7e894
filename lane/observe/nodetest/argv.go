package nodetest

import (
	"path"
	"slices"
	"strings"
)

// A command is a "node --test" command line, taken apart as Node.js does: everything from the first argument that is no
// option on names files.
type command struct {
	program string
	flags   []string // with their values, as they stand
	paths   []string
	unsure  bool // an option may have taken a value that looks like a path, or the other way round
}

// valued are the options that take their value from the next argument where they have no "=".
var valued = strings.Fields(`-r --require --import --loader --experimental-loader -C --conditions --env-file --env-file-if-exists --test-name-pattern
	--test-skip-pattern --test-reporter --test-reporter-destination --test-concurrency --test-timeout --test-shard --test-isolation
	--experimental-test-isolation --test-coverage-include --test-coverage-exclude --test-coverage-lines --test-coverage-branches
	--test-coverage-functions --test-global-setup --test-random-seed --test-rerun-failures --input-type --title --unhandled-rejections
	--experimental-default-type --stack-trace-limit --diagnostic-dir --icu-data-dir --redirect-warnings --secure-heap --watch-path`)

// switches begin options that take no value.
var switches = strings.Fields(`--test --no- --experimental- --enable- --trace- --expose --harmony --preserve- --watch --disable- --throw- --frozen- --force-
	--allow- --permission --insecure- --pending- --abort-`)

// parseCommand takes a command line apart; ok is false for anything but "node --test".
func parseCommand(argv []string) (c command, ok bool) {
	if len(argv) < 2 || path.Base(argv[0]) != "node" {
		return c, false
	}
	c.program = argv[0]
	args := argv[1:]
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-" {
		if args[0] == "--" {
			args = args[1:]
			break
		}
		n := 1
		name, _, has := strings.Cut(args[0], "=")
		switch {
		case name == "--test":
			ok = true
		case has:
		case slices.Contains(valued, name):
			n = min(2, len(args))
		case !slices.ContainsFunc(switches, func(s string) bool { return strings.HasPrefix(name, s) }):
			c.unsure = c.unsure || len(args) > 1 && !strings.HasPrefix(args[1], "-")
		}
		c.flags, args = append(c.flags, args[:n]...), args[n:]
	}
	c.paths = args
	return c, ok
}

// has reports whether an option is there, and its last value.
func (c command) has(name string) (value string, ok bool) {
	for i, f := range c.flags {
		n, v, eq := strings.Cut(f, "=")
		if n != name {
			continue
		}
		if value, ok = v, true; !eq && i+1 < len(c.flags) {
			value = c.flags[i+1]
		}
	}
	return value, ok
}

// without returns the flags but for those of the given names and their values.
func (c command) without(names ...string) []string {
	var out []string
	for i := 0; i < len(c.flags); i++ {
		name, _, eq := strings.Cut(c.flags[i], "=")
		if !slices.Contains(names, name) {
			out = append(out, c.flags[i])
			continue
		}
		if !eq && slices.Contains(valued, name) {
			i++
		}
	}
	return out
}

// withoutRunner returns the flags that are for a test file itself and not for the runner of all.
func (c command) withoutRunner() []string {
	var names []string
	for _, f := range c.flags {
		name, _, _ := strings.Cut(f, "=")
		if strings.HasPrefix(name, "--test") && name != "--test-force-exit" || strings.HasPrefix(name, "--experimental-test-") {
			names = append(names, name)
		}
	}
	return c.without(names...)
}
