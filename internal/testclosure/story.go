package testclosure

import (
	"bytes"
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

// ExampleFlake is the flake.nix of an example (go, python, node, any), of "pip", which is python with pip, or of C or memcached, which have no example.
func ExampleFlake(example string) []byte {
	if example == "pip" {
		return withPip(ExampleFlake("python"))
	}
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

// withPip is the flake of examples/python with Debian's pip, which is called as `python3 -m pip`.
func withPip(flake []byte) []byte {
	const before = `(deb "busybox-static" "bin/busybox" "bin/busybox")`
	if !bytes.Contains(flake, []byte(before)) {
		panic("the flake of examples/python has no part " + before) // the repository itself is broken
	}
	return bytes.Replace(flake, []byte(before), []byte(before+"\n"+`            (deb "python3-pip" "usr/lib/python3/dist-packages/pip" "lib/python3.11/site-packages/pip")`), 1)
}
