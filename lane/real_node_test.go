package lane

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/internal/testsource"
	"github.com/vallane/lane/lane/scaffold"
)

// minimist is stable: runs with every variation, by the TAP that tape prints, call no test unstable.
func TestMinimistIsStable(t *testing.T) {
	o := options(t)
	fetched := t.TempDir()
	testsource.Installed(t, "testdata/minimist", fetched)
	modules := filepath.Join(fetched, "node_modules")
	dir := filepath.Join(modules, "minimist")
	lay(t, dir, map[string]string{"flake.nix": string(testclosure.ExampleFlake("node")), "debian.json": string(testclosure.Pins(t, "node")),
		"lane.toml": fmt.Sprintf(`id = "minimist"
change = "tree"
[env]
extras = ["debian.json"]
[[task]]
name = "unit"
run = ["node", "node_modules/tape/bin/tape", "test/*.js"]
reporter = "tap"
[stability]
runs = %d
vary = ["order", "timezone", "hash-seed"]
[mutation]
budget = "1s"
[assurance]
require = 0
`, stableRuns())})
	repo := filepath.Join(t.TempDir(), "repo")
	if err := os.CopyFS(repo, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	// tape itself uses the installed copy; the tests load the tree's.
	if err := os.CopyFS(filepath.Join(repo, "node_modules"), os.DirFS(modules)); err != nil {
		t.Fatal(err)
	}
	git(t, repo, "init", "-q", "-b", "main")
	git(t, repo, "add", "-fA")
	git(t, repo, "commit", "-q", "-m", "minimist")
	v := mustCheck(t, o, filepath.Join(repo, "lane.toml"))
	if v.Outcome != assurance.OutcomePassed || v.Level != assurance.VAL0 || len(v.Unstable) > 0 {
		t.Errorf("%s %s, unstable: %+v, failed: %+v", v.Outcome, v.Level, v.Unstable, v.Failed)
	}
	if v.Tests.Required < 70 {
		t.Errorf("%d tests are required, want all of minimist's", v.Tests.Required)
	}
}

// Projects of others, of which Lane is told nothing: what lane init finds to run them is enough for a right verdict.
func TestOtherNodeProjects(t *testing.T) {
	for _, c := range []struct {
		pack, tarball, digest, file string
		old, broken                 string
		tests                       int
	}{
		{"@fastify/error@4.2.0", "fastify-error-4.2.0.tgz", "58ec6d9b9c29a78cbe98de68cf8d7b648ca4f8791db6c2d32d8a72e26415245f",
			"index.js", "code.toUpperCase()", "code.toLowerCase()", 25},
		{"process-warning@5.0.0", "process-warning-5.0.0.tgz", "9220188a409e3593eb8fb481d2f4714edfb8514aedfb8711a713fc2338fc6b92",
			"index.js", "warning.emitted = false", "warning.emitted = true", 20},
	} {
		t.Run(c.pack, func(t *testing.T) {
			src := testsource.Npm(t, c.pack, c.tarball, c.digest)
			found, err := scaffold.Detect(os.DirFS(src), "")
			must(t, err)
			spec := stableSpec(found.Run...)
			dir := project(t, src, "node", map[string]string{"lane.toml": spec})
			wantStable(t, dir, c.tests)

			replace(t, dir, c.file, c.old, c.broken)
			git(t, dir, "commit", "-q", "-a", "-m", "break it")
			if v := mustCheck(t, options(t), filepath.Join(dir, "lane.toml")); v.Outcome != assurance.TestsFailed {
				t.Errorf("a broken project is %s", v.Outcome)
			}
		})
	}
}
