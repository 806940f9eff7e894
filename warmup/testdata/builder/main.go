// The builder of test flakes: static, so that it runs in Nix's sandbox with
// nothing else. It makes $out a folder with the file "content", which holds
// $content, and with a link to $dep where there is one. With $slow it waits
// that long before, with $fail it prints that and fails.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func main() {
	if err := build(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func build() error {
	if msg := os.Getenv("fail"); msg != "" {
		return fmt.Errorf("%s", msg)
	}
	if d, err := time.ParseDuration(os.Getenv("slow")); err == nil {
		time.Sleep(d)
	}
	out := os.Getenv("out")
	if err := os.MkdirAll(filepath.Join(out, "bin"), 0o755); err != nil {
		return err
	}
	if dep := os.Getenv("dep"); dep != "" {
		if err := os.Symlink(dep, filepath.Join(out, "dep")); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(out, "bin", "tool"), []byte("#!\n"), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "content"), []byte(os.Getenv("content")), 0o644)
}
