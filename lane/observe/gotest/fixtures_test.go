package gotest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// goRoot is the release of Go that the projects are tested with: the one that runs these tests, or the one that GOTEST_GOROOT names.
var goRoot = sync.OnceValues(func() (root, cache string) {
	out, err := exec.Command("go", "env", "GOROOT", "GOCACHE").Output()
	if err != nil {
		panic(err)
	}
	lines := strings.Split(string(out), "\n")
	return orDefault(os.Getenv("GOTEST_GOROOT"), lines[0]), lines[1]
})

// release is the minor number of a release of Go.
func release(t *testing.T, goroot string) int {
	t.Helper()
	version, err := os.ReadFile(filepath.Join(goroot, "VERSION"))
	if err != nil {
		t.Fatal(err)
	}
	minor, err := minorOf(string(version))
	if err != nil {
		t.Fatal(err)
	}
	return minor
}

// layTree writes a tree of files.
func layTree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		at := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}
