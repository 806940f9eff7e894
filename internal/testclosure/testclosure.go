// Package testclosure gives tests the closure that the Go examples use, warmed
// once per machine and shared by all test binaries that run at the same time.
//
// It is for tests only. It fails a test where Nix is not installed, and never
// skips one.
package testclosure

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/vallane/lane/warmup"
)

// shared is where a run of the suite as root publishes, so that a run as an
// ordinary user finds it.
const shared = "/var/lib/lane/testclosure"

// Options are those of the closures that tests use. As root, they are in the
// machine's own store; as an ordinary user, in a private store of his.
func Options(t testing.TB) warmup.Options {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	o := warmup.Options{State: filepath.Join(cache, "lane-testclosure"), Log: func(s string) { t.Log(s) }}
	if os.Geteuid() == 0 {
		o.Publish = shared
	} else {
		o.Shared = []string{shared}
		o.Private = filepath.Join(cache, "lane-testclosure", "store")
	}
	return o
}

// Source is the environment of examples/go.
func Source(t testing.TB) warmup.Source {
	t.Helper()
	return exampleSource(t, "go")
}

func exampleSource(t testing.TB, example string) warmup.Source {
	t.Helper()
	return warmup.Source{
		Files:  map[string]warmup.File{"flake.nix": {Data: ExampleFlake(example)}},
		Attr:   "lane-env",
		System: System(),
	}
}

// System is Nix's name of this machine.
func System() string {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	return arch + "-" + runtime.GOOS
}

// Go returns the closure of the Go examples: a Go toolchain, sealed. It is in
// use until the test ends.
func Go(t testing.TB) *warmup.Closure {
	t.Helper()
	return warm(t, Source(t))
}

// Python returns the closure of examples/python: Python 3.11, pytest, busybox and a glibc.
func Python(t testing.TB) *warmup.Closure {
	t.Helper()
	c, _ := pinned(t, "python")
	return c
}

// Node returns the closure of examples/node: Node.js 20, busybox and a glibc.
func Node(t testing.TB) *warmup.Closure {
	t.Helper()
	c, _ := pinned(t, "node")
	return c
}

// C returns a closure with a small C compiler, called cc, busybox and a glibc.
func C(t testing.TB) *warmup.Closure {
	t.Helper()
	c, _ := pinned(t, "c")
	return c
}

// Memcached returns a closure with memcached, busybox and a glibc.
func Memcached(t testing.TB) *warmup.Closure {
	t.Helper()
	c, _ := pinned(t, "memcached")
	return c
}

func warm(t testing.TB, src warmup.Source) *warmup.Closure {
	t.Helper()
	c, err := Options(t).Warm(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}
