package gotest

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/observe"
)

func readTesting(t *testing.T) func(string) ([]byte, error) {
	t.Helper()
	goroot, _ := goRoot()
	return func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(goroot, "src/testing", name)) }
}

// TestHooksKeepLineNumbers: what a panic or a failing test says of package testing must stay true.
func TestHooksKeepLineNumbers(t *testing.T) {
	read := readTesting(t)
	files, err := patchTesting("go1.x", read)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range hookedFiles {
		src, err := read(name)
		if err != nil {
			t.Fatal(err)
		}
		was, is := bytes.Split(src, []byte("\n")), bytes.Split(files[name], []byte("\n"))
		if len(was) != len(is) {
			t.Errorf("%s has %d lines, had %d", name, len(is), len(was))
		}
		if bytes.Equal(src, files[name]) {
			t.Errorf("%s has no hook", name)
		}
	}
}

// TestUnknownReleaseIsRefused takes one place after the other away: each must be missed by name.
func TestUnknownReleaseIsRefused(t *testing.T) {
	read := readTesting(t)
	for _, tt := range []struct{ file, old, new, miss string }{
		{"testing.go", "func tRunner(", "func testRunner(", "func tRunner"},
		{"testing.go", "\t\tt.report()", "\t\tt.reported()", "t.report() in tRunner"},
		{"testing.go", "doPanic := func(err any)", "panicNow := func(err any)", "doPanic in tRunner"},
		{"testing.go", "doPanic := func(err any)", "doPanic := func(err any, more int)", "func doPanic(err any) in tRunner"},
		{"testing.go", "c.failed = true", "c.failed.Store(true)", "c.failed = true in common.Fail"},
		{"testing.go", "func (m *M) Run() (code int)", "func (m *M) Start() (code int)", "func M.Run"},
		{"testing.go", "test timed out after", "took too long:", "alarm in M.startAlarm"},
		{"testing.go", "type common struct", "type shared struct", "type common struct"},
		{"testing.go", "func (c *common) Fatalf(", "func (c *common) Dief(", "func common.Fatalf"},
		{"fuzz.go", "\t\tf.report()", "\t\tf.say()", "f.report() in fRunner"},
		{"example.go", "passed = false", "passed = !true", "passed = false in InternalExample.processRunResult"},
		{"run_example.go", "func runExample(", "func doExample(", "func runExample"},
	} {
		_, err := patchTesting("go1.x", func(name string) ([]byte, error) {
			src, err := read(name)
			if name != tt.file {
				return src, err
			}
			changed := bytes.ReplaceAll(src, []byte(tt.old), []byte(tt.new))
			if bytes.Equal(changed, src) {
				t.Errorf("%s holds no %q", name, tt.old)
			}
			return changed, err
		})
		var u *observe.Unparsed
		if !errors.As(err, &u) || !strings.Contains(u.What, tt.miss) || !strings.Contains(u.What, tt.file) || u.Hint() == "" {
			t.Errorf("without %q: %v, want it to name %q", tt.old, err, tt.miss)
		}
	}
}

// TestToolchainBehindLinks finds the go command as a box would, through links between store paths that lie elsewhere on this machine.
func TestToolchainBehindLinks(t *testing.T) {
	store := t.TempDir()
	for _, err := range []error{
		os.MkdirAll(filepath.Join(store, "a-env/bin"), 0o755),
		os.MkdirAll(filepath.Join(store, "b-go/bin"), 0o755),
		os.MkdirAll(filepath.Join(store, "b-go/share/go/bin"), 0o755),
		os.MkdirAll(filepath.Join(store, "b-go/share/go/src/testing"), 0o755),
		os.Symlink("/nix/store/b-go/bin/go", filepath.Join(store, "a-env/bin/go")),
		os.Symlink("../share/go/bin/go", filepath.Join(store, "b-go/bin/go")),
		os.WriteFile(filepath.Join(store, "b-go/share/go/bin/go"), nil, 0o755),
		os.WriteFile(filepath.Join(store, "b-go/share/go/src/testing/testing.go"), nil, 0o644),
		os.WriteFile(filepath.Join(store, "b-go/share/go/VERSION"), []byte("go1.25.3\ntime 2025-01-01T00:00:00Z\n"), 0o644),
		os.MkdirAll(filepath.Join(store, "c-cc/bin"), 0o755),
		os.WriteFile(filepath.Join(store, "c-cc/bin/cc"), nil, 0o755),
		os.MkdirAll(filepath.Join(store, "d-wrapped/bin"), 0o755),
		os.WriteFile(filepath.Join(store, "d-wrapped/bin/go"), []byte("#!/bin/sh\n"), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	r := observe.Request{Path: []string{"/nix/store/none/bin", "/nix/store/a-env/bin"}, Store: func(p string) string {
		rest, ok := strings.CutPrefix(p, "/nix/store/")
		if !ok {
			return ""
		}
		return filepath.Join(store, rest)
	}}
	tc, err := findToolchain(r)
	if err != nil {
		t.Fatal(err)
	}
	if tc.root != "/nix/store/b-go/share/go" || tc.command != "/nix/store/b-go/share/go/bin/go" || tc.version != "go1.25.3" || tc.minor != 25 || tc.c {
		t.Errorf("found %+v", tc)
	}
	r.Path = append(r.Path, "/nix/store/c-cc/bin")
	if tc, err = findToolchain(r); err != nil || !tc.c {
		t.Errorf("compiler not found: %+v, %v", tc, err)
	}
	r.Path = []string{"/nix/store/d-wrapped/bin"}
	var u *observe.Unparsed
	if _, err = findToolchain(r); !errors.As(err, &u) {
		t.Errorf("a script around the go command: %v", err)
	}
	r.Path = nil
	if _, err = findToolchain(r); err == nil {
		t.Error("a go command was found in an empty closure")
	}
}
