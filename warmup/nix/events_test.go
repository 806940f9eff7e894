package nix

import (
	"slices"
	"strings"
	"testing"
)

func TestEventsTellBuildsErrorsAndLogs(t *testing.T) {
	var said []string
	e := &events{log: func(s string) { said = append(said, s) }}
	for _, line := range []string{
		`@nix {"action":"start","id":1,"level":3,"text":"building '/nix/store/x-a.drv'","type":105,"fields":["/nix/store/x-a.drv","",1,1]}`,
		`@nix {"action":"result","id":1,"type":101,"fields":["\u001b[31mred\u001b[0m line\u0007"]}`,
		`@nix {"action":"start","id":2,"level":3,"text":"copying path","type":100,"fields":["/nix/store/y-b","http://c","local"]}`,
		`@nix {"action":"start","id":3,"level":4,"text":"querying","type":0}`,
		`@nix {"action":"msg","level":1,"msg":"\u001b[35;1mwarning:\u001b[0m beware"}`,
		`@nix {"action":"msg","level":0,"msg":"\u001b[31;1merror:\u001b[0m long\n\n   at /x","raw_msg":"short \u001b[35;1mcause\u001b[0m"}`,
		`@nix {"action":"msg","level":0,"msg":"\u001b[31;1merror:\u001b[0m only long"}`,
		`@nix {"action":"msg","level":0,"msg":"(use '--show-trace' to show detailed location information)"}`,
		`@nix {broken`,
		`error: of an older program`,
		`warning: of an older program`,
		`finding garbage collector roots...`,
	} {
		e.line(line)
	}
	for _, c := range []struct {
		what      string
		got, want []string
	}{
		{"built", e.built, []string{"/nix/store/x-a.drv"}},
		{"errors", e.errors, []string{"short cause", "only long", "of an older program"}},
		{"warnings", e.warnings, []string{"warning: beware", "of an older program"}},
		{"log of the build", e.tail, []string{"red line"}},
		{"said", said, []string{"building '/nix/store/x-a.drv'", "copying path"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, c.got, c.want)
		}
	}
}

// Whatever a build prints, what is kept of it is bounded and harmless.
func FuzzEvents(f *testing.F) {
	f.Add(`@nix {"action":"result","type":101,"fields":["\u001b]0;title\u0007x"]}`)
	f.Add("error: \x1b[2J\x9b31m")
	f.Fuzz(func(t *testing.T, line string) {
		e := &events{}
		for range 2 * keptLogLines {
			e.line(line)
		}
		if len(e.tail) > keptLogLines {
			t.Errorf("%d lines kept", len(e.tail))
		}
		for _, s := range slices.Concat(e.tail, e.errors, e.warnings) {
			if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || (r >= 0x7f && r < 0xa0) }) {
				t.Errorf("%q holds a control byte", s)
			}
		}
	})
}

func TestConfigIsLanesOwn(t *testing.T) {
	c := &Client{
		Home: "/h", Settings: map[string]string{"access-tokens": "x", "sandbox": "false", "accept-flake-config": "true"},
		Substituters: []string{"https://a", "https://b"}, Environ: []string{"PATH=/bin", "NIX_PATH=/evil", "NIX_CONFIG=sandbox = false", "SECRET=1", "https_proxy=p"},
	}
	config, err := c.config()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"sandbox = true\n", "accept-flake-config = false\n", "flake-registry = \n", "use-registries = false\n", "access-tokens = x\n",
		"substituters = https://a https://b\n", "allow-import-from-derivation = false\n", "trusted-public-keys = \n",
	} {
		if !strings.Contains(config, line) {
			t.Errorf("%q is not in\n%s", line, config)
		}
	}
	env, err := c.environ()
	if err != nil {
		t.Fatal(err)
	}
	for _, kv := range []string{"PATH=/bin", "https_proxy=p", "HOME=/h", "NIX_PATH=", "NIX_USER_CONF_FILES="} {
		if !slices.Contains(env, kv) {
			t.Errorf("%q is not in %q", kv, env)
		}
	}
	for _, kv := range env {
		if strings.Contains(kv, "evil") || strings.Contains(kv, "SECRET") || kv == "NIX_CONFIG=sandbox = false" {
			t.Errorf("%q came through", kv)
		}
	}
}

func TestConfigTakesNoSecondLine(t *testing.T) {
	for _, c := range []*Client{
		{Settings: map[string]string{"netrc-file": "x\nsandbox = false"}},
		{Settings: map[string]string{"x\nsandbox": "false"}},
		{Settings: map[string]string{"x = 1 #": "false"}},
		{Substituters: []string{"https://a\nsandbox = false"}},
	} {
		if config, err := c.config(); err == nil {
			t.Errorf("wrote %q", config)
		}
	}
}

func TestQuoteWritesNix(t *testing.T) {
	if got, want := quote("a\"b\\c\n${d}"), `"a\"b\\c\n\${d}"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
