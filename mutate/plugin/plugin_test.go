package plugin_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/mutate"
	"github.com/vallane/lane/mutate/plugin"
	"github.com/vallane/lane/mutate/treesitter"
)

// build compiles a plugin that is written in Go.
func build(t *testing.T, folder, flags string) (wasm []byte, pin string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "plugin.wasm")
	cmd := exec.Command("go", "build", "-ldflags", flags, "-o", out, folder)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(wasm)
	return wasm, hex.EncodeToString(sum[:])
}

// open opens a plugin until the test ends.
func open(t *testing.T, folder string, l plugin.Limits) *plugin.Plugin {
	t.Helper()
	wasm, pin := build(t, folder, "")
	return opened(t, wasm, pin, l)
}

func opened(t *testing.T, wasm []byte, pin string, l plugin.Limits) *plugin.Plugin {
	t.Helper()
	p, err := plugin.Open(t.Context(), "p.wasm", wasm, pin, l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close(t.Context()) })
	return p
}

func TestExample(t *testing.T) {
	p := open(t, "../../examples/plugins/go", plugin.Limits{})
	if p.Name() != "units" || !p.Wants("go") || p.Wants("c") {
		t.Errorf("%s, go %v, c %v", p.Name(), p.Wants("go"), p.Wants("c"))
	}
	src := []byte("package a\n\n// é\nvar wait = 3 * time.Second // time.Second\n")
	ms, err := p.Mutants(t.Context(), "a.go", "go", src, nil)
	if err != nil || len(ms) != 1 {
		t.Fatalf("%v, %v", ms, err)
	}
	m := ms[0]
	if out, err := m.Apply(src); err != nil || !strings.Contains(string(out), "3 * time.Minute // time.Second") {
		t.Errorf("%s, %v", out, err)
	}
	if m.Origin != mutate.Plugin || m.Operator != "units/unit" || m.Line != 4 || m.Description != "`Second` -> `Minute`: units of time are easily confused" {
		t.Errorf("%+v", m)
	}
	if ms, err := p.Mutants(t.Context(), "a.go", "go", []byte("no Go"), nil); err != nil || len(ms) != 0 {
		t.Errorf("%v, %v", ms, err)
	}
}

// What a plugin does that it may not is an error with the reason, and never a mutant. The plugin serves the next file all the same.
func TestAttacks(t *testing.T) {
	wasm, pin := build(t, "./testdata/attack", "")
	p := opened(t, wasm, pin, plugin.Limits{Time: 10 * time.Minute, Memory: 64 << 20, Output: 1 << 20})
	impatient := opened(t, wasm, pin, plugin.Limits{Time: 5 * time.Second})
	src := []byte("ab é\n")
	for _, c := range []struct{ what, want string }{
		{"loops", "it did not end within 5s"},
		{"eats", "it ended with status 2; it said: "},
		{"floods", "it wrote more than 1048576 bytes"},
		{"shouts", "it ended with status 3; it said: "},
		{"garbage", "it wrote no JSON"},
		{"nothing", "it wrote no JSON"},
		{"panics", "it ended with status 2; it said: "},
		{"twice", "it wrote no JSON"},
		{"version", "it speaks version 7 of the messages, and this lane speaks 1"},
		{"key", `its answer is of another form: json: unknown field "more"`},
		{"beyond", "edit 0 (\"x\", bytes 0 to 7): outside of the source, which has 6 bytes"},
		{"before", "outside of the source"},
		{"backwards", "outside of the source"},
		{"huge", "its answer is of another form"},
		{"character", "bytes 3 to 4): it cuts a character in two"},
		{"same", "it changes nothing"},
		{"again", "edits 0 and 1 are the same"},
		{"many", "it made 1001 edits of one file, and 1000 is the most"},
		{"name", "its name has other characters"},
		{"reason", "its reason is no line"},
		{"files", "it ended with status 4; it said: 0 true true true"},
		{"network", "it ended with status 4; it said: true"},
		{"environment", "it ended with status 4; it said: 0 1"},
		{"stdin", "it ended with status 4; it said: 0"},
	} {
		asked := p
		if c.what == "loops" {
			asked = impatient
		}
		ms, err := asked.Mutants(t.Context(), c.what, "x", src, nil)
		var failed *plugin.Error
		if !errors.As(err, &failed) || failed.File != c.what || !strings.Contains(err.Error(), c.want) || len(ms) > 0 {
			t.Errorf("%s: %d mutants, %v, want %s", c.what, len(ms), err, c.want)
		}
		if strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%s: %q moves a terminal", c.what, err)
		}
	}
	ms, err := p.Mutants(t.Context(), "good", "x", src, nil)
	if err != nil || len(ms) != 3 || ms[0].Replacement != "X" || ms[1].Replacement != "Y" || ms[2].Length != 0 {
		t.Errorf("after all that: %v, %v", ms, err)
	}
}

func TestWhatIsNoPlugin(t *testing.T) {
	wasm, pin := build(t, "./testdata/attack", "-X main.protocol=2")
	for _, c := range []struct {
		name string
		wasm []byte
		pin  string
		want string
	}{
		{"of another version", wasm, pin, "it speaks version 2 of the messages, and this lane speaks 1"},
		{"another file", wasm, strings.Repeat("0", 64), "it is not the file that was pinned: its SHA-256 is " + pin},
		{"no WebAssembly", []byte("#!/bin/sh\n"), hexOf("#!/bin/sh\n"), "it is no WebAssembly that can be run"},
		{"another host", wanting(), hexOf(string(wanting())), "it wants a function env.x, and gets those of WASI preview 1 alone"},
	} {
		_, err := plugin.Open(t.Context(), "p.wasm", c.wasm, c.pin, plugin.Limits{})
		var failed *plugin.Error
		if !errors.As(err, &failed) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func hexOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// wanting is a module that imports a function of another host.
func wanting() []byte {
	return []byte("\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x02\x09\x01\x03env\x01x\x00\x00")
}

// A plugin is sent the tree of a source where its language has a grammar.
func TestTree(t *testing.T) {
	parser := treesitter.New(treesitter.C)
	defer parser.Close(t.Context())
	src := []byte("int f(void) { return a < b; }")
	root, err := parser.Parse(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, "./testdata/tree", plugin.Limits{})
	ms, err := p.Mutants(t.Context(), "a.c", "c", src, root)
	if err != nil || len(ms) != 1 || ms[0].Original != "<" || ms[0].Replacement != ">" {
		t.Errorf("%v, %v", ms, err)
	}
}
