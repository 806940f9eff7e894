package wasi_test

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/fence/wasi"
)

func contextThatEnds(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), 700*time.Millisecond)
}

// stamps are the files of a folder with their times.
func stamps(t *testing.T, dir string) map[string]time.Time {
	t.Helper()
	out := map[string]time.Time{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			out[path] = info.ModTime()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestACompiledModuleIsUsedAgain(t *testing.T) {
	c := config(common(t))
	c.Cache = filepath.Join(t.TempDir(), "compiled")
	if err := wasi.OpenCache(c.Cache, 1<<30); err != nil {
		t.Fatal(err)
	}
	prints(t, attack(t, wasi.Open(c), "hello"), "hello hello\n")
	kept := stamps(t, c.Cache)
	if len(kept) == 0 {
		t.Fatal("nothing was kept")
	}
	prints(t, attack(t, wasi.Open(c), "hello"), "hello hello\n")
	if again := stamps(t, c.Cache); !maps.Equal(kept, again) {
		t.Errorf("the second run compiled anew: %v, then %v", kept, again)
	}
}

func TestTheOldestCompiledModulesGo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "compiled")
	if err := wasi.OpenCache(dir, 0); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"new", "old", "middle"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Unix([]int64{3000, 1000, 2000}[i], 0)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, dry := range []wasi.Bound{{Bytes: 0, Dry: true}, {Bytes: -1, Age: time.Hour, Dry: true}} {
		if n, bytes, err := wasi.Collect(dir, dry); n != 3 || bytes != 300 || err != nil || len(stamps(t, dir)) != 3 {
			t.Errorf("%+v would take %d modules of %d bytes (%v), and left %v", dry, n, bytes, err, stamps(t, dir))
		}
	}
	if n, _, err := wasi.Collect(dir, wasi.Bound{Bytes: -1}); n != 0 || err != nil {
		t.Errorf("without a bound %d went: %v", n, err)
	}
	if n, _, err := wasi.Collect(filepath.Join(dir, "nothing"), wasi.Bound{}); n != 0 || err != nil {
		t.Errorf("of no folder %d went: %v", n, err)
	}
	if err := wasi.OpenCache(dir, 250); err != nil {
		t.Fatal(err)
	}
	if got := stamps(t, dir); len(got) != 2 || !got[filepath.Join(dir, "old")].IsZero() {
		t.Errorf("left are %v", got)
	}
	if n, bytes, err := wasi.Collect(dir, wasi.Bound{Bytes: -1, Age: time.Hour}); n != 2 || bytes != 200 || err != nil || len(stamps(t, dir)) != 0 {
		t.Errorf("by age %d modules of %d bytes went (%v), and left are %v", n, bytes, err, stamps(t, dir))
	}
}

// What others can write to, they can put their own machine code into.
func TestAFolderOfCompiledModulesThatOthersCouldWriteToIsRefused(t *testing.T) {
	open := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	if owner := fence.HostID(0); owner > 0 && owner != os.Geteuid() {
		if err := os.Chown(open, owner, owner); err != nil { // so that its mode alone speaks against it
			t.Fatal(err)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(cacheDir, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{open, link} {
		if err := wasi.OpenCache(dir, 1<<30); err == nil {
			t.Errorf("%s was taken", dir)
		}
	}
	if fence.HostID(0) != os.Geteuid() && fence.HostID(0) > 0 {
		foreign := filepath.Join(t.TempDir(), "foreign")
		if err := os.Mkdir(foreign, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := wasi.OpenCache(foreign, 1<<30); err == nil {
			t.Error("a folder of another user was taken")
		}
	}
}
