package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// module lays a repository like Lane's own: it vendors dep, which lies beside
// the program so that nothing is downloaded, and whose package extra is used
// by a folder that the Nix package is not built from.
func module(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":            "module example.org/app\n\ngo 1.26.0\n\nrequire example.org/dep v0.0.0\n\nreplace example.org/dep => ./dep\n",
		"cmd/app/main.go":   "package main\n\nimport \"example.org/dep\"\n\nfunc main() { dep.Run() }\n",
		"dep/go.mod":        "module example.org/dep\n\ngo 1.26.0\n",
		"dep/dep.go":        "package dep\n\nfunc Run() {}\n",
		"dep/extra/more.go": "package extra\n",
		"nix/source.json":   `["go.mod", "go.sum", "cmd", "dep", "not-there"]`,
		"nix/hashes.json":   "{\n  \"vendorHash\": null\n}\n",
		"tools/tool.go":     "package tools\n\nimport _ \"example.org/dep/extra\"\n",
	} {
		write(t, filepath.Join(root, name), content)
	}
	return root
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func vendorhash(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestHashIsWhatNixSaysOfTheVendorFolder(t *testing.T) {
	root := module(t)
	code, got, stderr := vendorhash(t, "--root", root)
	if code != 0 {
		t.Fatalf("vendorhash: exit %d: %s", code, stderr)
	}

	// Built again without this program: without tools/, as Nix would not see it.
	if err := os.RemoveAll(filepath.Join(root, "tools")); err != nil {
		t.Fatal(err)
	}
	vendor := exec.Command("go", "mod", "vendor")
	vendor.Dir = root
	vendor.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := vendor.CombinedOutput(); err != nil {
		t.Fatalf("go mod vendor: %v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(root, "vendor/example.org/dep/dep.go")); err != nil {
		t.Fatalf("the control vendored nothing: %v", err)
	}
	if _, err := os.Stat(filepath.Join(root, "vendor/example.org/dep/extra")); err == nil {
		t.Fatal("the control vendored a package that only tools/ imports")
	}
	nix := exec.Command("nix", "--extra-experimental-features", "nix-command", "hash", "path", "--sri", filepath.Join(root, "vendor"))
	nix.Env = append(os.Environ(), "HOME="+t.TempDir())
	want, err := nix.Output()
	if err != nil {
		t.Fatalf("nix hash path: %v (run `.ci/deps test` to install Nix)", err)
	}
	if got != string(want) {
		t.Errorf("vendorhash printed %q, Nix hashes the same folder to %q", got, want)
	}
}

func TestCheckFailsUntilUpdated(t *testing.T) {
	root := module(t)
	if code, _, stderr := vendorhash(t, "--root", root, "--check"); code != 1 || !strings.Contains(stderr, "make vendorhash") {
		t.Errorf("check of a null hash: exit %d, %q; want 1 and what to run", code, stderr)
	}
	if code, _, stderr := vendorhash(t, "--root", root, "--update"); code != 0 {
		t.Fatalf("update: exit %d: %s", code, stderr)
	}
	if code, _, stderr := vendorhash(t, "--root", root, "--check"); code != 0 {
		t.Errorf("check after update: exit %d: %s", code, stderr)
	}

	write(t, filepath.Join(root, "cmd/app/more.go"), "package main\n\nimport _ \"example.org/dep/extra\"\n")
	if code, _, _ := vendorhash(t, "--root", root, "--check"); code != 1 {
		t.Errorf("check after a new import: exit %d, want 1", code)
	}
}

func TestWrongUse(t *testing.T) {
	for _, test := range []struct {
		name   string
		source string
		args   []string
		code   int
		stderr string
	}{
		{name: "both", args: []string{"--check", "--update"}, code: 2, stderr: "usage"},
		{name: "argument", args: []string{"now"}, code: 2, stderr: "usage"},
		{name: "outside", source: `["../secrets"]`, code: 1, stderr: "leaves the repository"},
		{name: "not a list", source: `{}`, code: 1, stderr: "source.json"},
		{name: "no go.mod", source: `["cmd"]`, code: 1, stderr: "go mod vendor"},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := module(t)
			if test.source != "" {
				write(t, filepath.Join(root, "nix/source.json"), test.source)
			}
			code, _, stderr := vendorhash(t, append([]string{"--root", root}, test.args...)...)
			if code != test.code || !strings.Contains(stderr, test.stderr) {
				t.Errorf("exit %d, stderr %q; want %d, %q", code, stderr, test.code, test.stderr)
			}
		})
	}
}
