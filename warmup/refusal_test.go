package warmup

import (
	"errors"
	"strings"
	"testing"

	"github.com/vallane/lane/warmup/stage"
)

// N1, C38: what is not locked, brings settings or builds while it is evaluated
// is refused by name, with real Nix behind the last word.
func TestWarmRefusesByName(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	inner := func(hash string) map[string]File {
		return map[string]File{
			"sub/flake.nix": {Data: []byte(`{ outputs = { self }: { answer = 42; }; }`)},
			"flake.lock": {Data: []byte(`{"nodes":{"root":{"inputs":{"tools":"tools"}},"tools":{"locked":` +
				`{"lastModified":1,"narHash":"` + hash + `","path":"./sub","type":"path"},"original":{"path":"./sub","type":"path"}}},"root":"root","version":7}`)},
		}
	}
	const usesInner = `{ inputs.tools.url = "path:./sub"; outputs = { self, tools }: { packages.x86_64-linux.lane-env =
		derivation { name = "x-${toString tools.answer}"; system = "x86_64-linux"; builder = "/bin/false"; }; }; }`
	const innerHash = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

	for _, c := range []struct {
		name, nix string
		extra     map[string]File
		code      stage.Code
		words     string
	}{
		{"an input and no lock", `{ inputs.nixpkgs.url = "github:NixOS/nixpkgs"; outputs = { self, nixpkgs }: { }; }`, nil, stage.UnlockedFlake, "nixpkgs"},
		{"an input whose name is computed", `{ inputs = { ${"nix" + "pkgs"}.url = "github:NixOS/nixpkgs"; }; outputs = _: { }; }`, nil, stage.UnlockedFlake, "nixpkgs"},
		{"settings whose name is computed", `{ ${"nix" + "Config"}.flake-registry = "x"; outputs = { self }: { }; }`, nil, stage.FlakeConfig, "nixConfig"},
		{"a name computed from the machine", `{ ${builtins.readFile "/etc/hostname"} = 1; outputs = { self }: { }; }`, nil, stage.BrokenFlake, "forbidden"},
		{"an input with another content than locked", usesInner, inner(innerHash), stage.LockEdited, "tools " + innerHash},
		{"a lock that Nix would write anew", strings.Replace(usesInner, "./sub", "./sub/../sub", 1), inner(""), stage.UnlockedFlake, "tools"},
		{"import from derivation", `{ outputs = { self }: { packages.x86_64-linux.lane-env =
			import (derivation { name = "gen"; system = "x86_64-linux"; builder = "/bin/false"; }); }; }`, nil, stage.ImportFromDerivation, "gen.drv"},
		{"no such attribute", `{ outputs = { self }: { }; }`, nil, stage.BrokenFlake, "lane-env"},
		{"a syntax error", `{ outputs = { self }: { `, nil, stage.BrokenFlake, "syntax error"},
		{"a file that was not declared", `{ outputs = { self }: import ./more.nix; }`, nil, stage.BrokenFlake, "more.nix"},
		{"a file of the machine", `{ outputs = { self }: import /etc/passwd; }`, nil, stage.BrokenFlake, "/etc forbidden"},
		{"a download without hash", `{ outputs = { self }: import (builtins.fetchurl "http://127.0.0.1:1/x"); }`, nil, stage.BrokenFlake, "fetchurl"},
		{"sources that are no list", `{ outputs = { self }: { laneSources.x86_64-linux = 3; }; }`, nil, stage.BadSource, "laneSources"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := bare(c.nix)
			for name, f := range c.extra {
				src.Files[name] = f
			}
			_, err := l.Warm(t.Context(), src)
			var r *Refusal
			if !errors.As(err, &r) || r.Code != c.code {
				t.Fatalf("got %v, want %s", err, c.code)
			}
			for _, w := range strings.Fields(c.words) {
				if !strings.Contains(r.Msg, w) {
					t.Errorf("%q does not name %s", r.Msg, w)
				}
			}
			if exists(lockPath(l.State, src.Key())) || exists(rootLink(l.State, src.Key())) {
				t.Error("something of it was kept")
			}
		})
	}
}

// A builder that fails is the flake's doing, and its last words are shown.
func TestFailedBuildShowsItsLog(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	_, err := l.Warm(t.Context(), flake(t, `lane-env = mk "bad" { fail = "out of luck"; };`))
	var r *Refusal
	if !errors.As(err, &r) || r.Code != stage.BrokenFlake || !strings.Contains(r.Msg, "out of luck") {
		t.Errorf("got %v", err)
	}
}

func TestMissingNixIsSaid(t *testing.T) {
	l := newLab(t)
	src := flake(t, two)
	t.Setenv("PATH", t.TempDir())
	_, err := l.Warm(t.Context(), src)
	var hint interface{ Hint() string }
	if err == nil || !strings.Contains(err.Error(), "nix is not installed") || !errors.As(err, &hint) || !strings.Contains(hint.Hint(), "apt install nix-bin") {
		t.Errorf("got %v", err)
	}
	var r *Refusal
	if errors.As(err, &r) {
		t.Error("a machine without Nix was blamed on the flake")
	}
}
