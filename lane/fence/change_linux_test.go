//go:build amd64 || arm64

package fence_test

import (
	"strings"
	"testing"

	"github.com/vallane/lane/lane/fence"
)

func TestChangesAreForOneRun(t *testing.T) {
	tree := folder(t, map[string]string{"a/b/code.go": "old\n", "a/b/other.go": "other\n", "gone/file": "x"})
	b := open(t, config(t, tree))
	before := ok(t, run(t, b, "list", "/tree"))
	r := runCommand(t, b, fence.Command{
		Argv: []string{"inbox", "list", "/tree"},
		Overlay: map[string]fence.Change{
			"a/b/code.go": {Data: []byte("new\n")},
			"a/new/n.txt": {Data: []byte("n")},
			"gone/file":   {Delete: true},
		},
	})
	got := ok(t, r)
	// nothing but what was asked for differs: not times, modes, owners
	want := strings.NewReplacer("/tree/gone drwxr-xr-x", "-", "/tree/gone/file", "-").Replace(before)
	var rest []string
	for line := range strings.Lines(want) {
		if !strings.HasPrefix(line, "-") {
			rest = append(rest, line)
		}
	}
	for _, line := range rest {
		if !strings.Contains(got, line) {
			t.Errorf("missing or changed: %s", line)
		}
	}
	if !strings.Contains(got, "/tree/a/new/n.txt -rw-r--r-- 1000:1000 1700000000") || strings.Contains(got, "/tree/gone") {
		t.Errorf("got\n%s", got)
	}
	r = runCommand(t, b, fence.Command{Argv: []string{"inbox", "cat", "a/b/code.go"}, Overlay: map[string]fence.Change{"a/b/code.go": {Data: []byte("new\n")}}})
	if got := ok(t, r); got != "new\n" {
		t.Errorf("got %q", got)
	}
	if after := ok(t, run(t, b, "list", "/tree")); after != before {
		t.Errorf("tree differs afterwards:\n%s\nbefore:\n%s", after, before)
	}
}
