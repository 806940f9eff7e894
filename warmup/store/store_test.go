package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/warmup/nar"
	"github.com/vallane/lane/warmup/store"
)

func TestFixedPathIsWhatNixComputes(t *testing.T) {
	// From `nix-store --add-fixed --recursive sha256` of a Go toolchain.
	sum, err := nar.ParseHash("sha256-2K2SbG1izp0sk1F0iFm06B9yjumIe1+Ds7UNH1wX00M=")
	if err != nil {
		t.Fatal(err)
	}
	const want = "/nix/store/ly6iy7viz9v57khgmh2mfxjphf5paz6l-go-1.26.8"
	if got := store.FixedPath("/nix/store", "go-1.26.8", sum); got != want {
		t.Errorf("got %s, Nix has %s", got, want)
	}
}

func TestCheckPathKnowsWhatNixAllows(t *testing.T) {
	const digest = "ly6iy7viz9v57khgmh2mfxjphf5paz6l"
	for p, ok := range map[string]bool{
		"/nix/store/" + digest + "-go-1.26.8":                       true,
		"/nix/store/" + digest + "-0aA+-._?=":                       true,
		"/nix/store/" + digest + "-" + strings.Repeat("a", 211):     true,
		"/nix/store/" + digest + "-" + strings.Repeat("a", 212):     false,
		"/nix/store/" + digest + "-":                                false,
		"/nix/store/" + digest + "-.hidden":                         false,
		"/nix/store/" + digest + "-a/b":                             false,
		"/nix/store/" + digest + "-a b":                             false,
		"/nix/store/" + digest + "-a\n":                             false,
		"/nix/store/" + digest:                                      false,
		"/nix/store/" + strings.Replace(digest, "l", "e", 1) + "-x": false,
		"/nix/store//" + digest + "-x":                              false,
		"/nix/store/../store/" + digest + "-x":                      false,
		"/gnu/store/" + digest + "-x":                               false,
		digest + "-x":                                               false,
	} {
		if err := store.CheckPath("/nix/store", p); (err == nil) != ok {
			t.Errorf("%q: %v", p, err)
		}
	}
}

func TestLevelsAreSpelled(t *testing.T) {
	for l, name := range map[store.Level]string{store.None: "none", store.Lstat: "lstat", store.DB: "db", store.Sealed: "sealed", store.Full: "full"} {
		if back, err := store.ParseLevel(name); err != nil || back != l || l.String() != name {
			t.Errorf("%s: %v, %v", name, back, err)
		}
	}
	if _, err := store.ParseLevel("most"); err == nil {
		t.Error("an unknown level was read")
	}
}

// onePath lays out a path with a bit of everything, as it would be in a store.
func onePath(t testing.TB) store.Path {
	t.Helper()
	host := filepath.Join(t.TempDir(), "ly6iy7viz9v57khgmh2mfxjphf5paz6l-x")
	for name, data := range map[string]string{"bin/a": "a", "bin/b": "b", "lib/deep/c": "c", "lib/deeper/d": "d", "lib.d/e": "e", "zero": ""} {
		p := filepath.Join(host, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("bin/a", filepath.Join(host, "link")); err != nil {
		t.Fatal(err)
	}
	return pathOf(t, host)
}

func pathOf(t testing.TB, host string) store.Path {
	t.Helper()
	sum, err := nar.Hash(t.Context(), host)
	if err != nil {
		t.Fatal(err)
	}
	typ, err := store.TypeOf(host)
	if err != nil {
		t.Fatal(err)
	}
	return store.Path{StorePath: "/nix/store/" + filepath.Base(host), Host: host, Type: typ, SHA256: sum.SHA256, NarSize: sum.Size}
}

func TestCheckNamesThePathThatIsWrong(t *testing.T) {
	good, bad := onePath(t), onePath(t)
	bad.StorePath += "-bad"
	for name, c := range map[string]struct {
		level  store.Level
		change func(*store.Path)
		words  string
	}{
		"not there":      {store.Lstat, func(p *store.Path) { p.Host += "-not" }, "not in the store"},
		"another type":   {store.Lstat, func(p *store.Path) { p.Type = store.TypeFile }, "is a folder, locked as a file"},
		"another hash":   {store.Full, func(p *store.Path) { p.SHA256[0]++ }, "NAR hash"},
		"another size":   {store.Full, func(p *store.Path) { p.NarSize++ }, "NAR hash"},
		"unsealed, hash": {store.Sealed, func(p *store.Path) { p.SHA256[0]++ }, "NAR hash"},
	} {
		p := bad
		c.change(&p)
		err := store.Checker{Seals: t.TempDir()}.Check(t.Context(), c.level, []store.Path{good, p})
		var changed *store.Changed
		if !errors.As(err, &changed) || changed.StorePath != p.StorePath || !strings.Contains(changed.Msg, c.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, level := range []store.Level{store.None, store.Lstat, store.Sealed, store.Full} {
		if err := (store.Checker{Seals: t.TempDir()}).Check(t.Context(), level, []store.Path{good, bad}); err != nil {
			t.Errorf("%s: %v", level, err)
		}
	}
	for _, level := range []store.Level{store.DB, store.Level(9), store.Sealed} {
		if err := (store.Checker{}).Check(t.Context(), level, []store.Path{good}); err == nil {
			t.Errorf("%s was passed without the means for it", level)
		}
	}
}

func TestCheckEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, level := range []store.Level{store.Sealed, store.Full} {
		if err := (store.Checker{Seals: t.TempDir()}).Check(ctx, level, []store.Path{onePath(t)}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", level, err)
		}
	}
}
