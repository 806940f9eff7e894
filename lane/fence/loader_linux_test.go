//go:build amd64 || arm64

package fence_test

import (
	"os"
	"testing"

	"github.com/vallane/lane/lane/fence"
)

// A closure that brings the loader of ordinary programs is where they find it and their libraries.
func TestLoaderComesFromTheClosure(t *testing.T) {
	const store = "/nix/store/00000000000000000000000000000000-libs"
	paths := []string{"/lib/libc", "/lib64/libc", "/usr/lib/libc"}
	for name, c := range map[string]struct {
		files map[string]string
		want  string // what lies at the paths, "-" for nothing
	}{
		"with a loader on x86-64": {map[string]string{"bin/": "", "lib64/ld-linux-x86-64.so.2": "", "lib64/libc": "64 ", "lib/libc": "lib "}, "lib 64 lib "},
		"with one on arm64":       {map[string]string{"bin/": "", "lib/ld-linux-aarch64.so.1": "", "lib/libc": "lib "}, "lib -lib "},
		"with libraries only":     {map[string]string{"bin/": "", "lib/libc": "lib ", "lib64/libc": "64 "}, "---"},
	} {
		t.Run(name, func(t *testing.T) {
			config := config(t, "")
			dir := folder(t, c.files)
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			config.StorePaths = append(config.StorePaths, fence.Mount{Host: dir, Box: store})
			config.Path = append(config.Path, store+"/bin")
			b := open(t, config)
			var got string
			for _, p := range paths {
				if r := run(t, b, "cat", p); r.Exit == 0 {
					got += r.Stdout.String()
				} else {
					got += "-"
				}
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
