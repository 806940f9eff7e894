package stage_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/vallane/lane/warmup/stage"
)

const goodHash = "sha256-QvnceIGTBeDvDd9oCn+GvdsnkquliuwbVgpiRH68qaQ="

// lock writes a flake.lock whose root has one input, "tools".
func lock(locked, original string) string {
	return fmt.Sprintf(`{"nodes":{"root":{"inputs":{"tools":"tools"}},"tools":{"locked":%s,"original":%s}},"root":"root","version":7}`, locked, original)
}

func source(nix, lock string) stage.Source {
	s := stage.Source{Files: map[string]stage.File{"flake.nix": {Data: []byte(nix)}}, Attr: "lane-env", System: "x86_64-linux"}
	if lock != "" {
		s.Files["flake.lock"] = stage.File{Data: []byte(lock)}
	}
	return s
}

// The first words of a refusal say what is wrong, the rest with what: each row
// has to be refused with its code and with all of its words.
func TestCheckRefusesByName(t *testing.T) {
	github := `{"type":"github","owner":"o","repo":"r","rev":"0123456789012345678901234567890123456789","narHash":"` + goodHash + `"}`
	asked := `{"type":"github","owner":"o","repo":"r","ref":"stable"}`
	uses := func(url string) string {
		return `{ inputs.tools.url = "` + url + `"; outputs = { self, tools }: { }; }`
	}
	for _, c := range []struct {
		name, nix, lock string
		code            stage.Code // "" is accepted
		words           string
	}{
		{"no inputs, no lock", `{ outputs = { self }: { }; }`, "", "", ""},
		{"no inputs, an empty lock", `{ outputs = { self }: { }; }`, `{"nodes":{"root":{}},"root":"root","version":7}`, "", ""},
		{"an empty set of inputs", `{ inputs = { }; outputs = { self, ... }: { }; }`, "", "", ""},
		{"a locked input", uses("github:o/r/stable"), lock(github, asked), "", ""},
		{"an input and no lock", uses("github:o/r"), "", stage.UnlockedFlake, `no flake.lock input "tools"`},
		{"two inputs and no lock", `{ inputs = { a.url = "x:y"; b = { url = "z"; }; }; outputs = _: { }; }`, "", stage.UnlockedFlake, `inputs "a", "b"`},
		{"an input that only outputs names", `{ outputs = { self, nixpkgs }: { }; }`, "", stage.UnlockedFlake, `"nixpkgs"`},
		{"one input of two locked", `{ inputs.tools.url = "github:o/r/stable"; inputs.more.url = "github:o/m"; outputs = _: { }; }`,
			lock(github, asked), stage.UnlockedFlake, `no entry for input "more"`},
		{"a locked input that is gone", `{ outputs = { self }: { }; }`, lock(github, asked), stage.UnlockedFlake, `anew "tools"`},
		{"another branch than was locked", uses("github:o/r/unstable"), lock(github, asked), stage.UnlockedFlake, `flake.nix:1 "tools" ref "stable"`},
		{"another owner than was locked", uses("github:x/r/stable"), lock(github, asked), stage.UnlockedFlake, `"tools" owner`},
		{"a commit where the lock has it", uses("github:o/r/abc"), lock(github, `{"type":"github","owner":"o","repo":"r","rev":"abc"}`), "", ""},
		{"no narHash", uses("github:o/r/stable"), lock(`{"type":"github","owner":"o","repo":"r","rev":"0123"}`, asked), stage.UnlockedFlake, `no narHash "tools"`},
		{"a narHash that is none", uses("github:o/r/stable"), lock(strings.Replace(github, goodHash, "sha256-AAAA", 1), asked), stage.LockEdited, `"tools" sha256-AAAA`},
		{"nothing locked", uses("github:o/r/stable"), lock(`{}`, asked), stage.UnlockedFlake, `does not lock "tools"`},
		{"a registry name", uses("nixpkgs"), lock(`{"type":"indirect","id":"nixpkgs","narHash":"`+goodHash+`"}`, `{}`), stage.UnlockedFlake, `"tools" registry`},
		{"a folder of the machine", uses("path:/etc"), lock(`{"type":"path","path":"/etc","narHash":"`+goodHash+`"}`, `{}`), stage.EscapingInput, `"tools" /etc`},
		{"a folder above", uses("path:../x"), lock(`{"type":"path","path":"./a/../../x","narHash":"`+goodHash+`"}`, `{}`), stage.EscapingInput, `"tools" outside`},
		{"a folder beside", uses("path:./x"), lock(`{"type":"path","path":"./x","narHash":"`+goodHash+`"}`, `{}`), "", ""},
		{"a folder beside, as new releases lock it", uses("path:./x"), lock(`{"type":"path","path":"./x"}`, `{}`), "", ""},
		{"a repository of the machine", uses("git+file:///r"), lock(`{"type":"git","url":"file:///r","narHash":"`+goodHash+`"}`, `{}`), stage.EscapingInput, `"tools" file:///r`},
		{"a repository by its path", uses("git+file:."), lock(`{"type":"git","url":".","narHash":"`+goodHash+`"}`, `{}`), stage.EscapingInput, `"tools"`},
		{"an archive of the machine", uses("file:///a.tgz"), lock(`{"type":"tarball","url":"FILE:///a.tgz","narHash":"`+goodHash+`"}`, `{}`), stage.EscapingInput, `"tools"`},
		{"a repository elsewhere", uses("git+ssh://h/r"), lock(`{"type":"git","url":"ssh://h/r","rev":"01","narHash":"`+goodHash+`"}`, `{}`), "", ""},
		{"an input of an input", uses("github:o/r/stable"),
			`{"nodes":{"root":{"inputs":{"tools":"t"}},"t":{"inputs":{"dep":"d","same":["tools"]},"locked":` + github + `},"d":{"locked":{"type":"path","path":"/d"}}},"root":"root","version":7}`,
			stage.EscapingInput, `"tools/dep"`},
		{"inputs that lead in a circle", uses("github:o/r/stable"),
			`{"nodes":{"root":{"inputs":{"tools":"t"}},"t":{"inputs":{"t":"t"},"locked":` + github + `,"original":` + asked + `}},"root":"root","version":7}`, "", ""},
		{"an input that leads nowhere", uses("github:o/r/stable"), `{"nodes":{"root":{"inputs":{"tools":"t"}}},"root":"root","version":7}`, stage.LockEdited, `"tools"`},
		{"a lock that is no lock", uses("github:o/r/stable"), `{"nodes":`, stage.LockEdited, "flake.lock"},
		{"a lock of an old version", uses("github:o/r/stable"), `{"nodes":{"root":{}},"root":"root","version":4}`, stage.UnlockedFlake, "version 4"},
		{"two locks in one", uses("github:o/r/stable"), lock(github, asked) + lock(github, asked), stage.LockEdited, "more than one"},
		{"settings for Nix", "{\n  nixConfig.sandbox = false;\n outputs = { self }: { }; }", "", stage.FlakeConfig, "flake.nix:2"},
		{"settings for Nix in quotes", `{ "nixConfig" = { }; outputs = { self }: { }; }`, "", stage.FlakeConfig, ""},
		{"settings for Nix in ${}", `{ ${"nixConfig"} = { }; outputs = { self }: { }; }`, "", stage.FlakeConfig, ""},
		{"settings for Nix by inherit", `rec { outputs = { self }: { }; inherit (x) nixConfig; }`, "", stage.FlakeConfig, ""},
		{"settings for Nix in a comment", "# { nixConfig = 1; }\n{ /* nixConfig = 2; */ outputs = { self }: { nixConfig = 1; }; }", "", "", ""},
		{"settings for Nix in a string", `{ description = "} nixConfig = 1; ${ "}" }"; outputs = { self }: ''nixConfig = ''${ } ''' ''; }`, "", "", ""},
		{"settings for Nix after a let", `{ outputs = { self }: let a = 1; in with a; assert a; { }; nixConfig = { }; }`, "", stage.FlakeConfig, ""},
		{"a name that only Nix can tell", `{ ${"nix" + "Config"} = { }; outputs = { self }: { }; }`, "", "", ""},
		{"no Nix at all", `not nix`, "", "", ""},
		{"no flake.nix", "", "", stage.NoFlake, "flake.nix"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := source(c.nix, c.lock)
			if c.nix == "" {
				delete(s.Files, "flake.nix")
			}
			mustRefuse(t, stage.Check(s), c.code, c.words)
		})
	}
}

// What no scan can see, Nix says.
func TestCheckOutlineRefusesComputedNames(t *testing.T) {
	s := source(`{ ${"nix" + "Config"} = { }; outputs = { self }: { }; }`, "")
	mustRefuse(t, stage.CheckOutline(s, stage.Outline{Attrs: []string{"nixConfig", "outputs"}}), stage.FlakeConfig, "nixConfig")
	mustRefuse(t, stage.CheckOutline(s, stage.Outline{Args: []string{"self", "nixpkgs"}}), stage.UnlockedFlake, `"nixpkgs"`)
	mustRefuse(t, stage.CheckOutline(s, stage.Outline{Inputs: []string{"self"}, Args: []string{"self"}}), "", "")
}

func TestValidateRefusesWhatCannotBeStaged(t *testing.T) {
	ok := source(`{ outputs = _: { }; }`, "")
	mustRefuse(t, ok.Validate(), "", "")
	for attr, fine := range map[string]bool{
		"": true, "a.b-c.d_e'": true, "packages.x86_64-linux.go": true,
		"a b": false, "a^out": false, "--x": false, ".a": false, "a.": false, "a\nb": false, `"a"`: false,
	} {
		s := ok
		s.Attr = attr
		if err := s.Validate(); (err == nil) != fine {
			t.Errorf("attribute %q: %v", attr, err)
		}
	}
	s := ok
	s.System = "x86_64-linux --impure"
	if s.Validate() == nil {
		t.Errorf("system %q is passed to Nix", s.System)
	}

	link := func(target string) stage.File { return stage.File{Data: []byte(target), Mode: 0o777 | 1<<27} }
	for name, f := range map[string]stage.File{
		"../x": {}, "/x": {}, "a//b": {}, "a/./b": {}, "": {}, ".": {}, "a\x00b": {}, "flake.nix/x": {},
		"out": link("/etc/passwd"), "up": link("../x"), "d/up": link("../../x"), "none": link(""),
		"pipe": {Mode: 1 << 25},
	} {
		s := source(`{ outputs = _: { }; }`, "")
		s.Files[name] = f
		mustRefuse(t, s.Validate(), stage.UnsafeFile, "")
	}
	s = source(`{ outputs = _: { }; }`, "")
	s.Files["d/inside"] = link("../flake.nix")
	mustRefuse(t, s.Validate(), "", "")
	s.Files["flake.nix"] = link("d/x")
	mustRefuse(t, s.Validate(), stage.UnsafeFile, "flake.nix")
}

func mustRefuse(t *testing.T, err error, code stage.Code, words string) {
	t.Helper()
	var r *stage.Refusal
	if code == "" {
		if err != nil {
			t.Errorf("refused: %v", err)
		}
		return
	}
	if !errors.As(err, &r) || r.Code != code {
		t.Errorf("got %v, want %s", err, code)
		return
	}
	for _, w := range strings.Fields(words) {
		if !strings.Contains(r.Msg, w) {
			t.Errorf("%q does not name %q", r.Msg, w)
		}
	}
}
