package nix

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The store of these tests is a folder of their own (NIX_STORE_DIR and its
// like), so /nix is neither read nor made. `--store` would not do: Nix 2.8 then
// looks for templates in the real /nix/store. What is built would be useless
// below another store folder, but nothing is built.

// No cache, no registry, and no waiting for the disk: the store is thrown away.
const config = `
experimental-features = nix-command flakes
substituters =
flake-registry =
build-users-group =
fsync-metadata = false
eval-cache = false
`

var (
	systems   = []string{"aarch64-darwin", "aarch64-linux", "x86_64-darwin", "x86_64-linux"}
	templates = []string{"go", "node", "python"}
)

// flake is a copy of this repository's flake that a test may break.
type flake struct {
	dir   string // the copy
	state string // the store and everything else that Nix writes
}

// stage copies what Nix needs to evaluate the flake, and the sources asked for.
func stage(t *testing.T, sources ...string) flake {
	t.Helper()
	f := flake{dir: t.TempDir(), state: t.TempDir()}
	for _, name := range append(sources, "flake.nix", "flake.lock", "VERSION", "nix") {
		copyTree(t, filepath.Join("..", name), filepath.Join(f.dir, name))
	}
	t.Cleanup(func() { // store paths are read-only, and TempDir cannot remove those
		filepath.WalkDir(f.state, func(path string, entry fs.DirEntry, _ error) error {
			if entry != nil && entry.IsDir() {
				os.Chmod(path, 0o755)
			}
			return nil
		})
	})
	return f
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	if os.IsNotExist(err) {
		return // as lib.fileset.maybeMissing does
	}
	if err == nil && info.IsDir() {
		err = os.CopyFS(to, os.DirFS(from))
	} else if err == nil {
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		var data []byte
		if data, err = os.ReadFile(from); err == nil {
			err = os.WriteFile(to, data, 0o644)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// nix runs Nix on the flake in the folder sub of the copy, with the stand-in in
// place of nixpkgs, and returns stdout and what it says on stderr.
func (f flake) nix(t *testing.T, sub string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	program, err := exec.LookPath("nix")
	if err != nil {
		t.Fatal("nix: command not found; run `.ci/deps test`, or install Nix")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	args = append(args, "--no-write-lock-file", "--override-input", "nixpkgs", "path:"+filepath.Join(f.dir, "nix/stub-nixpkgs"))
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = filepath.Join(f.dir, sub)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + f.state,
		"NIX_STORE_DIR=" + filepath.Join(f.state, "store"),
		"NIX_STATE_DIR=" + filepath.Join(f.state, "var"),
		"NIX_LOG_DIR=" + filepath.Join(f.state, "log"),
		"NIX_CONF_DIR=" + filepath.Join(f.state, "etc"),
		"NIX_CONFIG=" + config,
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// compare says where the output attr, after the Nix function apply, is not want.
func (f flake) compare(t *testing.T, sub, attr, apply string, want any) (problem string) {
	t.Helper()
	stdout, stderr, err := f.nix(t, sub, "eval", "--json", "path:.#"+attr, "--apply", apply)
	if err != nil {
		return attr + ": " + stderr
	}
	var got any
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		return attr + ": " + err.Error()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		return attr + " (-want +got):\n" + diff
	}
	return ""
}

func perSystem(value any) any {
	all := make(map[string]any)
	for _, system := range systems {
		all[system] = value
	}
	return all
}

// problem returns the first thing that is wrong with the flake's outputs: what
// Nix's own check says, or an output that is not what it should be on every
// system. Nix 2.8 alone lets pass a template without a folder and an app of no
// type.
func (f flake) problem(t *testing.T) string {
	t.Helper()
	for _, command := range [][]string{{"flake", "check", "--no-build", "path:."}, {"flake", "show", "path:."}} {
		if _, stderr, err := f.nix(t, ".", command...); err != nil {
			return strings.Join(command, " ") + ": " + stderr
		}
	}
	version := strings.TrimSpace(readText(t, "../VERSION"))
	derivations := `builtins.mapAttrs (_: builtins.mapAttrs (_: d: builtins.seq d.drvPath d.type))`
	for _, output := range []struct {
		attr, apply string
		want        any
	}{
		{"packages", derivations, perSystem(map[string]any{"default": "derivation", "lane": "derivation"})},
		{"checks", derivations, perSystem(map[string]any{"lane": "derivation", "version": "derivation"})},
		{"devShells", derivations, perSystem(map[string]any{"default": "derivation"})},
		{"formatter", `builtins.mapAttrs (_: d: builtins.seq d.drvPath d.name)`, perSystem("nixfmt-tree")},
		{
			"apps", `builtins.mapAttrs (_: builtins.mapAttrs (_: a: [ a.type (baseNameOf a.program) (a.meta.description != "") ]))`,
			perSystem(map[string]any{"default": []any{"app", "lane", true}, "lane": []any{"app", "lane", true}}),
		},
		{
			"packages.x86_64-linux.lane", `p: { inherit (p) name version; license = p.meta.license.spdxId; program = p.meta.mainProgram; }`,
			map[string]any{"name": "lane-" + version, "version": version, "license": "Apache-2.0", "program": "lane"},
		},
		{
			"overlays", `builtins.mapAttrs (_: overlay: builtins.attrNames (overlay { callPackage = _: _: "made"; } { }))`,
			map[string]any{"default": []any{"lane"}},
		},
		{
			"templates", `builtins.mapAttrs (_: t: builtins.pathExists (t.path + "/flake.nix") && t.description != "")`,
			map[string]any{"default": true, "go": true, "node": true, "python": true},
		},
	} {
		if problem := f.compare(t, ".", output.attr, output.apply, output.want); problem != "" {
			return problem
		}
	}
	return ""
}

func TestEveryOutputEvaluatesOnEverySystem(t *testing.T) {
	if problem := stage(t).problem(t); problem != "" {
		t.Error(problem)
	}
}

func TestTemplatesGiveAnEnvironment(t *testing.T) {
	f := stage(t)
	for _, name := range templates {
		t.Run(name, func(t *testing.T) {
			apply := `builtins.mapAttrs (_: p: builtins.seq p.lane-env.drvPath p.lane-env.name)`
			want := map[string]any{"aarch64-linux": "lane-env", "x86_64-linux": "lane-env"}
			if problem := f.compare(t, "nix/templates/"+name, "packages", apply, want); problem != "" {
				t.Error(problem)
			}
		})
	}
}

// The warm-up flake has an environment for each language, on the systems where checks run.
func TestTheWarmUpFlakeEvaluates(t *testing.T) {
	f := stage(t, "warmup/flake.nix", "warmup/flake.lock")
	apply := `builtins.mapAttrs (_: builtins.mapAttrs (_: p: builtins.seq p.drvPath p.name))`
	all := map[string]any{"go": "go", "node": "node", "python": "python", "rust": "rust", "shell": "shell"}
	if problem := f.compare(t, "warmup", "packages", apply, map[string]any{"aarch64-linux": all, "x86_64-linux": all}); problem != "" {
		t.Error(problem)
	}
}

// A check that cannot say no proves nothing: each row breaks one thing, and
// that is said.
func TestABrokenFlakeIsNoticed(t *testing.T) {
	for _, test := range []struct{ name, file, old, new, says string }{
		{"licence", "nix/package.nix", "licenses.asl20", "licenses.apache", "apache"},
		{"no such package", "flake.nix", "pkgs.gopls", "pkgs.goplz", "goplz"},
		{"no such builder", "nix/package.nix", "buildGo126Module", "buildGo999Module", "buildGo999Module"},
		{"no main program", "nix/package.nix", `mainProgram = "lane";`, "", "mainProgram"},
		{"no such template", "flake.nix", "./nix/templates/node", "./nix/templates/nodejs", "templates"},
		{"malformed hash", "nix/hashes.json", "vendorHash\":", "vendorHash\": \"sha256-AAAA\", \"was\":", "vendorHash"},
		{"no such file", "flake.nix", "./nix/package.nix", "./nix/pakage.nix", "pakage.nix"},
		{"empty version", "VERSION", strings.TrimSpace(readText(t, "../VERSION")), "next", "version"},
		{"wrong kind", "flake.nix", `type = "app";`, `type = "application";`, "apps"},
		{"one system less", "flake.nix", `"aarch64-linux"`, "", "aarch64-linux"},
		{"syntax", "flake.nix", "outputs =", "outputs", "syntax error"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := stage(t)
			file := filepath.Join(f.dir, test.file)
			text := readText(t, file)
			if !strings.Contains(text, test.old) {
				t.Fatalf("%s does not hold %q", test.file, test.old)
			}
			text = strings.ReplaceAll(text, test.old, test.new)
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if problem := f.problem(t); !strings.Contains(problem, test.says) {
				t.Errorf("want a problem that says %q; got:\n%s", test.says, problem)
			}
		})
	}
}

func TestLockPinsNixpkgs(t *testing.T) {
	var lock struct {
		Nodes map[string]struct {
			Locked   map[string]any
			Original map[string]any
			Inputs   map[string]string
		}
		Root    string
		Version int
	}
	readJSON(t, "../flake.lock", &lock)
	want := map[string]any{
		"lastModified": 1786711500.0,
		"narHash":      "sha256-QvnceIGTBeDvDd9oCn+GvdsnkquliuwbVgpiRH68qaQ=",
		"owner":        "NixOS",
		"repo":         "nixpkgs",
		"rev":          "02e08985a27c65ffd33d434eeb2e660a2e4dc84d",
		"type":         "github",
	}
	if diff := cmp.Diff(want, lock.Nodes["nixpkgs"].Locked); diff != "" {
		t.Errorf("nixpkgs in flake.lock (-want +got):\n%s", diff)
	}
	if inputs := lock.Nodes[lock.Root].Inputs; len(inputs) != 1 || len(lock.Nodes) != 2 || lock.Version != 7 {
		t.Errorf("flake.lock has inputs %v, %d nodes, version %d; want nixpkgs alone, version 7", inputs, len(lock.Nodes), lock.Version)
	}
	if readText(t, "../warmup/flake.lock") != readText(t, "../flake.lock") {
		t.Error("the warm-up flake pins another nixpkgs than Lane itself")
	}
	for _, name := range templates {
		if readText(t, "templates/"+name+"/flake.lock") != readText(t, "../flake.lock") {
			t.Errorf("template %s pins another nixpkgs than Lane itself", name)
		}
	}
}

func readText(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
