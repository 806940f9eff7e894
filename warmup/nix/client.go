package nix

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vallane/lane/warmup/process"
)

// Client is how Nix is called. The zero value of every field but Home works.
type Client struct {
	// Home is an empty folder that Nix may write to: its HOME, its caches and
	// its (empty) configuration folder.
	Home string
	// Remote is the store in Nix's notation: "" is the machine's own (the daemon
	// where there is one), "unix:///path" a daemon's socket, "/dir" a private
	// store whose paths lie in /dir/nix/store.
	Remote string
	// Substituters are the binary caches that Nix may ask; none by default.
	Substituters []string
	// TrustedKeys are the keys whose signatures on a cache's paths count.
	TrustedKeys []string
	// Offline fetches nothing, neither inputs of flakes nor paths from caches behind a network.
	Offline bool
	// Netrc is a file of user names and passwords for caches; "" is none.
	Netrc string
	// Settings are further lines of nix.conf, as for access tokens. They cannot
	// replace those that Lane sets itself.
	Settings map[string]string
	// NoSandbox builds without Nix's sandbox. It exists so that a test can show
	// that Lane notices.
	NoSandbox bool
	// EvalTimeout bounds each evaluation; 0 is two minutes.
	EvalTimeout time.Duration
	// Environ is the environment of which PATH, TMPDIR, proxies and certificates
	// are handed on; nil is this process's.
	Environ []string
	// Log gets one line per step of Nix's that takes time; nil drops them.
	Log func(string)
}

// Error is what Nix said when it would not do what it was asked.
type Error struct {
	Doing    string   // as in "evaluate the flake"
	Messages []string // Nix's own, without colours, first the first
	BuildLog []string // the last lines of a build that failed
	Status   int
}

func (e *Error) Error() string {
	msg := strings.Join(e.Messages, "; ")
	if msg == "" {
		msg = fmt.Sprintf("nix ended with exit status %d and no message", e.Status)
	}
	if len(e.BuildLog) > 0 {
		msg += "; the build's last lines: " + strings.Join(e.BuildLog, " | ")
	}
	return e.Doing + ": " + msg
}

// Says reports whether one of Nix's messages contains text.
func (e *Error) Says(text string) bool {
	return slices.ContainsFunc(e.Messages, func(m string) bool { return strings.Contains(m, text) })
}

// Missing says that this machine has no Nix.
type Missing struct{ Program string }

func (m *Missing) Error() string { return "call Nix: " + m.Program + " is not installed" }

// Hint says how to get it.
func (m *Missing) Hint() string {
	return "install Nix (on Debian: apt install nix-bin), or use an environment that root has warmed and published"
}

// config is the whole of Nix's configuration: the machine's nix.conf is not
// read, so that the same spec means the same everywhere.
func (c *Client) config() (string, error) {
	own := map[string]string{
		"experimental-features":        "nix-command flakes",
		"flake-registry":               "",
		"use-registries":               "false",
		"accept-flake-config":          "false",
		"allow-import-from-derivation": "false",
		"pure-eval":                    "true",
		"eval-cache":                   "false",
		"sandbox":                      fmt.Sprint(!c.NoSandbox),
		"builders":                     "",
		"substituters":                 strings.Join(c.Substituters, " "),
		"trusted-public-keys":          strings.Join(c.TrustedKeys, " "),
		"require-sigs":                 "true",
		"connect-timeout":              "5",
		"stalled-download-timeout":     "30",
		"download-attempts":            "2",
		"build-users-group":            buildGroup(),
	}
	if c.Netrc != "" {
		own["netrc-file"] = c.Netrc
	}
	all := maps.Clone(c.Settings)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, own)
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if strings.ContainsAny(name+all[name], "\r\n") || strings.ContainsAny(name, " \t=#") {
			return "", fmt.Errorf("configure Nix: setting %q = %q is no line of a nix.conf", name, all[name])
		}
		fmt.Fprintf(&b, "%s = %s\n", name, all[name])
	}
	return b.String(), nil
}

// buildGroup is the group of Nix's build users where root has one. Without it
// Nix would refuse to build as root at all.
func buildGroup() string {
	if os.Geteuid() != 0 {
		return ""
	}
	if _, err := user.LookupGroup("nixbld"); err != nil {
		return ""
	}
	return "nixbld"
}

func (c *Client) environ() ([]string, error) {
	config, err := c.config()
	if err != nil {
		return nil, err
	}
	host := c.Environ
	if host == nil {
		host = os.Environ()
	}
	env := process.Keep(host, append(process.Network(), "PATH", "TMPDIR")...)
	env = append(env,
		// Nix wants a name also for a user whom /etc/passwd does not know.
		"USER=lane", "HOME="+c.Home, "XDG_CACHE_HOME="+filepath.Join(c.Home, "cache"), "XDG_CONFIG_HOME="+filepath.Join(c.Home, "config"),
		"NIX_CONF_DIR="+filepath.Join(c.Home, "conf"), "NIX_USER_CONF_FILES=", "NIX_PATH=",
		"NIX_CONFIG="+config, "LC_ALL=C.UTF-8", "GIT_TERMINAL_PROMPT=0")
	if c.Remote != "" {
		env = append(env, "NIX_REMOTE="+c.Remote)
	}
	return env, nil
}

// run starts one program of Nix in dir and returns its output and what it
// reported on the way.
func (c *Client) run(ctx context.Context, doing, dir string, argv ...string) ([]byte, *events, error) {
	ev := &events{log: c.Log}
	env, err := c.environ()
	if err != nil {
		return nil, ev, err
	}
	out, err := process.Run(ctx, process.Command{Argv: argv, Env: env, Dir: dir, Line: ev.line})
	var missing *process.Missing
	var failed *process.Failed
	switch {
	case errors.As(err, &missing):
		return nil, ev, &Missing{Program: argv[0]}
	case errors.As(err, &failed):
		return nil, ev, &Error{Doing: doing, Messages: ev.errors, BuildLog: ev.tail, Status: failed.Status}
	case err != nil:
		return nil, ev, fmt.Errorf("%s: %w", doing, err)
	}
	return out, ev, nil
}

// flake runs the nix command on the staged folder dir. The folder is named
// relative to itself: old releases do not decode a path in a URL.
func (c *Client) flake(ctx context.Context, doing, dir string, args ...string) ([]byte, *events, error) {
	argv := []string{"nix", "--log-format", "internal-json"}
	if c.Offline {
		// What Nix itself would fetch. The builder of a derivation whose result is named by a hash has a network all the same.
		argv = append(argv, "--offline")
	}
	argv = append(argv, args...)
	return c.run(ctx, doing, dir, argv...)
}

func (c *Client) evalContext(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := cmp.Or(c.EvalTimeout, 2*time.Minute)
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("it did not end within %v", limit))
}
