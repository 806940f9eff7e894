package testclosure

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/vallane/lane/warmup"
	"github.com/vallane/lane/warmup/sources"
)

// pinsFile is the extra in which the flakes of the examples find Debian's versions.
const pinsFile = "debian.json"

// Pins returns the debian.json of an example (python, node), with which its flake is warm.
func Pins(t testing.TB, example string) []byte {
	t.Helper()
	_, pins := pinned(t, example)
	return pins
}

// pinned warms an example whose flake takes packages of Debian's: with the pins that a test before this
// one wrote down, or that root published, as long as the packages are there, else with new ones.
func pinned(t testing.TB, example string) (*warmup.Closure, []byte) {
	t.Helper()
	src := exampleSource(t, example)
	sum := sha256.Sum256(src.Files["flake.nix"].Data)
	name := filepath.Join("pins", example+"-"+hex.EncodeToString(sum[:8])+".json")
	o := Options(t)
	own := filepath.Join(o.State, name)
	if o.Publish != "" {
		own = filepath.Join(o.Publish, name)
	}
	if err := os.MkdirAll(filepath.Dir(own), 0o755); err != nil {
		t.Fatal(err)
	}
	lock, err := os.OpenFile(own+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{filepath.Join(shared, name), own} {
		data, err := os.ReadFile(at)
		if err != nil {
			continue
		}
		src.Files[pinsFile] = warmup.File{Data: data}
		c, err := o.Warm(t.Context(), src)
		if err == nil {
			t.Cleanup(func() { c.Close() })
			return c, data
		}
		if gone := (*sources.Gone)(nil); !errors.As(err, &gone) {
			t.Fatal(err)
		}
	}
	src, _, err = o.Pin(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	data := src.Files[pinsFile].Data
	c := warm(t, src)
	if err := os.WriteFile(own, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return c, data
}
