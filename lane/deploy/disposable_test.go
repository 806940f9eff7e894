package deploy

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/vallane/lane/internal/flock"
)

// What a killed Lane left of a server goes at the next start; what somebody uses, or is not a server's, stays.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".apiserver-left", ".apiserver-used", "other"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{lockName, "tokens.csv"} {
			if err := os.WriteFile(filepath.Join(dir, name, file), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	used, err := flock.Try(filepath.Join(dir, ".apiserver-used", lockName), flock.Exclusive)
	if err != nil {
		t.Fatal(err)
	}
	defer used.Release()
	sweep(dir)
	for name, want := range map[string]bool{".apiserver-left": false, ".apiserver-used": true, "other": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", name, err == nil, want)
		}
	}
}
