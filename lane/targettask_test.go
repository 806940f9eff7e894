package lane

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/lane/observe/exit"
	"github.com/vallane/lane/lane/runner"
	"github.com/vallane/lane/lane/spec"
	"github.com/vallane/lane/warmup"
)

// A double of a browser: a file of its name on the closure's PATH, which is all that Lane looks at. That a real one runs in a box was tried by hand, see docs/target.md.
func TestBrowserDouble(t *testing.T) {
	closure := func(names ...string) *warmup.Closure {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if err := os.Symlink("/nix/store/elsewhere/bin/"+name, filepath.Join(dir, "bin", name)); err != nil {
				t.Fatal(err)
			}
		}
		return &warmup.Closure{Outputs: []string{"/nix/store/a"}, Paths: []warmup.Path{{StorePath: "/nix/store/a", Host: dir}, {StorePath: "/nix/store/b", Host: dir}}}
	}
	for _, c := range []struct{ has, kind, want string }{
		{"sh firefox chromium", spec.TaskBrowser, "chromium"}, {"sh firefox-esr", spec.TaskBrowser, "firefox-esr"}, {"sh", spec.TaskBrowser, "no-browser"}, {"chromium", spec.TaskAPI, ""},
	} {
		j := &job{evidence: assurance.Evidence{Plan: assurance.Plan{Target: &assurance.PlannedTarget{}}}}
		x := &task{spec: spec.Task{Name: "page", Kind: c.kind, Flake: ".#env"}, closure: closure(strings.Fields(c.has)...), runner: &runner.Task{Reporter: exit.Reporter{}}}
		err := j.addAsking(x)
		got := ""
		if r := refusalOf(err); r != nil {
			got = r.Code
		} else if err == nil {
			got = j.evidence.Plan.Target.Tasks[0].Browser
		}
		if got != c.want {
			t.Errorf("%s of %s: %q, %v, want %q", c.kind, c.has, got, err, c.want)
		}
	}
}
