//go:build linux

package gotest

import (
	"slices"
	"strings"
	"testing"
)

// The code of packages is listed by a build with the flags of the tests, and the copies laid over.
func TestListing(t *testing.T) {
	b := newBench(t, "passes")
	r := b.request("go", "test", "-race", "-run=A", "-short", "./...", "-args", "x")
	step, err := Reporter{}.Listing(r, []string{"."}, map[string][]byte{"copies.go": []byte("package p\n")})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(step.Argv, " "); got != "go build -race -o=/dev/null -gcflags=-S ." {
		t.Errorf("listed by %s", got)
	}
	if !strings.Contains(string(step.Files[overlayFile]), "/copies.go") {
		t.Errorf("laid %s", step.Files[overlayFile])
	}
	if r.Argv[1] != "test" || !slices.Contains(r.Argv, "-short") {
		t.Errorf("the request became %q", r.Argv)
	}
	if _, err := (Reporter{}).Listing(b.request("go", "test", "-gcflags=-N", "./..."), []string{"."}, nil); err == nil || !strings.Contains(err.Error(), "gcflags") {
		t.Errorf("with flags for the compiler of its own: %v", err)
	}
	if _, err := (Reporter{}).Listing(b.request("make", "test"), []string{"."}, nil); err == nil {
		t.Error("what a command builds that nobody knows was listed")
	}
}
