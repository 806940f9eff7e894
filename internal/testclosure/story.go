package testclosure

import (
	"os"
	"path/filepath"
	"runtime"
)

// Shared is the folder of published locks where checks find the closure of Go without warming it.
func Shared() string {
	if os.Geteuid() == 0 {
		return shared
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return shared
	}
	return filepath.Join(cache, "lane-testclosure")
}

// Flake is the flake.nix of the closure.
func Flake() []byte { return ExampleFlake("go") }

// ExampleFlake is the flake.nix of an example (go, python, node, any), or that of C, which has no example.
func ExampleFlake(example string) []byte {
	_, here, _, _ := runtime.Caller(0)
	data, err := os.ReadFile(filepath.Join(filepath.Dir(here), example, "flake.nix"))
	if err != nil {
		data, err = os.ReadFile(filepath.Join(filepath.Dir(here), "..", "..", "examples", example, "project", "flake.nix"))
	}
	if err != nil {
		panic(err) // the repository itself is broken
	}
	return data
}
