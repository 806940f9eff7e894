package lane

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/internal/testsource"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// project makes a git repository of a folder, with the closure of a language beside it.
func project(t *testing.T, from, language string, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	must(t, os.CopyFS(dir, os.DirFS(from)))
	write(t, dir, "flake.nix", string(testclosure.ExampleFlake(language)))
	write(t, dir, "debian.json", string(testclosure.Pins(t, language)))
	for name, text := range files {
		write(t, dir, name, text)
	}
	git(t, dir, "init", "-q", "-b", "main")
	must(t, os.WriteFile(filepath.Join(dir, ".git/info/exclude"), []byte("debian.json\n"), 0o644))
	git(t, dir, "add", "-A", "-f", ":!debian.json")
	git(t, dir, "commit", "-q", "-m", "as published")
	return dir
}

// stableSpec runs a suite with every variation.
func stableSpec(command ...string) string {
	return fmt.Sprintf("id = \"stable\"\nchange = \"tree\"\n[env]\nextras = [\"debian.json\"]\n[[task]]\nname = \"unit\"\nrun = [%s]\n"+
		"[stability]\nruns = %d\nvary = [\"order\", \"timezone\", \"hash-seed\"]\n[mutation]\nbudget = \"1s\"\n", `"`+strings.Join(command, `", "`)+`"`, stableRuns())
}

func wantStable(t *testing.T, dir string, least int) {
	t.Helper()
	v := mustCheck(t, options(t), filepath.Join(dir, "lane.toml"))
	if v.Outcome != assurance.OutcomePassed || len(v.Unstable) > 0 {
		t.Errorf("%s, unstable: %+v, failed: %+v", v.Outcome, v.Unstable, v.Failed)
	}
	if v.Tests.Required < least {
		t.Errorf("%d tests are required, want %d", v.Tests.Required, least)
	}
}

// Real suites of Python, as Debian distributes their sources: nothing stable is called unstable.
func TestStablePythonProjectsAreStable(t *testing.T) {
	t.Run("toolz", func(t *testing.T) {
		src := testsource.Debian(t, "toolz", "0.12.0-1", "toolz_0.12.0.orig.tar.gz", "04d555d7ccb3c84301eaad310dd27ba511ae3dcf331ada5828d7cc03942f2c2e")
		// The one test that is left out knows how inspect.signature was before 3.11.9 of Python.
		spec := stableSpec("python3", "-m", "pytest", "toolz", "tlz", "--deselect=toolz/tests/test_inspect_args.py::test_inspect_wrapped_property")
		wantStable(t, project(t, src, "python", map[string]string{"lane.toml": spec}), 150)
	})
	t.Run("sortedcontainers", func(t *testing.T) {
		src := testsource.Debian(t, "sortedcontainers", "2.4.0-2", "sortedcontainers_2.4.0.orig.tar.gz", "70e22f4fd29b204f75f989e3c1e847aa1de267a028aab4233c0db783aaff78c1")
		// The one test that is left out counts the objects of the whole interpreter, before and after.
		spec := stableSpec("python3", "-m", "pytest", "tests", "--deselect=tests/test_coverage_sorteddict.py::test_ref_counts")
		wantStable(t, project(t, src, "python", map[string]string{"lane.toml": spec}), 290)
	})
}
