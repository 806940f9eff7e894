package testclosure

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/vallane/lane/warmup"
)

// Twin lays the offline twin of warmup/flake.nix into a new folder: the environments of the examples under one flake. extras are the files that it
// reads, and environments what each of its packages comes to.
func Twin(t testing.TB) (dir string, extras []string, environments map[string]*warmup.Closure) {
	t.Helper()
	dir, environments = t.TempDir(), map[string]*warmup.Closure{}
	lay := func(name string, data []byte) {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	lay("flake.nix", ExampleFlake("twin"))
	for part, example := range map[string]string{"go": "go", "node": "node", "python": "python", "shell": "any"} {
		files := []string{"flake.nix"}
		lay(part+"/flake.nix", ExampleFlake(example))
		if example == "go" {
			environments[part] = Go(t)
		} else {
			var pins []byte
			environments[part], pins = pinned(t, example)
			lay(part+"/"+pinsFile, pins)
			files = append(files, pinsFile)
		}
		for _, f := range files {
			extras = append(extras, part+"/"+f)
		}
	}
	return dir, extras, environments
}
