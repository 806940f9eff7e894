//go:build linux

package gotest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program that measures coverage needs nothing of the standard library that the seed does not warm.
func TestTheSeedHasWhatCoverageNeeds(t *testing.T) {
	dir := t.TempDir()
	for name, text := range (Reporter{}).Seed() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, cache := goRoot()
	list := func(args ...string) map[string]bool {
		cmd := exec.Command(filepath.Join(root, "bin", "go"), append([]string{"list", "-deps", "-test"}, args...)...)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + t.TempDir(), "GOCACHE=" + cache, "GOTOOLCHAIN=local", "GOFLAGS=", "GOWORK=off", "GOENV=off", "GOROOT=" + root}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list %v: %v", args, err)
		}
		all := map[string]bool{}
		for line := range strings.Lines(string(out)) {
			all[strings.TrimSpace(line)] = true
		}
		return all
	}
	warm, measured := list("./..."), list("-cover", "-covermode=set", "-coverpkg=./...", "./...")
	if !measured["runtime/coverage"] {
		t.Fatal("nothing measures coverage")
	}
	for name := range measured {
		if !warm[name] {
			t.Errorf("%s is compiled again for each build that measures", name)
		}
	}
}
