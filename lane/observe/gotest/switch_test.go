//go:build linux

package gotest

import (
	"strings"
	"testing"
)

// Programs that nobody debugs are built without what a debugger reads, unless the command or the closure says how to build them.
func TestProgramsOfMutantsAreBuiltForNoDebugger(t *testing.T) {
	b := newBench(t, "passes")
	for _, tt := range []struct{ argv, env, want string }{
		{"go test ./...", "", "go test -c -o=/cache/programs/0.test -ldflags=-s -w -gcflags=.=-dwarf=false ."},
		{"go test -ldflags=-X=a.b=c ./...", "", "go test -ldflags=-X=a.b=c -c -o=/cache/programs/0.test -gcflags=.=-dwarf=false ."},
		{"go test -gcflags=-N ./...", "", "go test -gcflags=-N -c -o=/cache/programs/0.test -ldflags=-s -w ."},
		{"go test ./...", "GOFLAGS=-ldflags=-X=a.b=c -gcflags=-N", "go test -c -o=/cache/programs/0.test ."},
	} {
		r := b.request(strings.Fields(tt.argv)...)
		if tt.env != "" {
			r.Env = []string{tt.env}
		}
		r.Select = []string{"example.org/passes.TestTotal"}
		plan, err := Reporter{}.Switch(r, map[string][]byte{"cart.go": []byte("package p\n"), "more.go": []byte("package p\n")})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(plan.Build[0].Argv, " "); got != tt.want {
			t.Errorf("%s %s is built by\n%s, want\n%s", tt.env, tt.argv, got, tt.want)
		}
	}
}
