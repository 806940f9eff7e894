package runner

import (
	"testing"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/observe"
)

// TestUnbuilt holds whose words about a failed build count: the Go command's, and not those of a test that speaks of one.
func TestUnbuilt(t *testing.T) {
	silent, reported := observe.Unit{ID: "u", Expected: true}, observe.Unit{ID: "u", Expected: true, Started: true}
	failed := []observe.Test{{ID: "u.TestBuild", Unit: "u", Status: observe.Failed}}
	for _, x := range []struct {
		name    string
		exit    int
		stdout  string
		stderr  string
		session observe.Session
		want    bool
	}{
		{"a package does not compile", 1, "FAIL\tu [build failed]\n", "", observe.Session{Units: []observe.Unit{silent}}, true},
		{"one without tests does not, and all tests pass", 1, "FAIL\tv [build failed]\n", "", observe.Session{Units: []observe.Unit{reported}, Records: 4}, true},
		{"go.mod and vendor do not fit", 1, "", "go: inconsistent vendoring in /src:\n", observe.Session{Units: []observe.Unit{silent}}, true},
		{"the process of the tests says so and dies", 1, "", "go: inconsistent vendoring\n", observe.Session{Units: []observe.Unit{reported}, Records: 1}, false},
		{"a test failed with a word about a build", 1, "got [build failed]\n", "", observe.Session{Units: []observe.Unit{reported}, Records: 4, Tests: failed}, false},
		{"the command said yes", 0, "[build failed]\n", "", observe.Session{Units: []observe.Unit{silent}}, false},
	} {
		x.session.Expected = true
		seen := Seen{Plan: observe.Plan{Builds: true}, Session: &x.session, Box: fence.Result{End: fence.Exited, Exit: x.exit,
			Stdout: fence.Tail{Head: []byte(x.stdout)}, Stderr: fence.Tail{Head: []byte(x.stderr)}}}
		if got := seen.unbuilt(); got != x.want {
			t.Errorf("%s: %v, want %v", x.name, got, x.want)
		}
		if seen.Plan.Builds = false; seen.unbuilt() {
			t.Errorf("%s: so it is said of a command that builds nothing", x.name)
		}
	}
}
