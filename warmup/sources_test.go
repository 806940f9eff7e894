package warmup

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/warmup/nar"
	"github.com/vallane/lane/warmup/stage"
)

// moduleProxy serves example.org/tool at v1.0.0 from a folder, as a machine that
// is configured for it would have it, and returns that configuration and the
// NAR hash of the module with its run bit set.
func moduleProxy(t *testing.T) (environ []string, hash string) {
	t.Helper()
	dir, cache := t.TempDir(), t.TempDir()
	t.Cleanup(func() { makeWritable(cache) })
	at := filepath.Join(dir, "example.org", "tool", "@v")
	tree := filepath.Join(dir, "tree")
	for _, d := range []string{at, filepath.Join(tree, "bin")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	archive, err := os.Create(filepath.Join(at, "v1.0.0.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	z := zip.NewWriter(archive)
	for name, data := range map[string]string{"go.mod": "module example.org/tool\n", "bin/tool": "#!/bin/false\n"} {
		w, err := z.Create("example.org/tool@v1.0.0/" + name)
		if err == nil {
			_, err = w.Write([]byte(data))
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(tree, name), []byte(data), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{
		z.Close(),
		os.Chmod(filepath.Join(tree, "bin", "tool"), 0o755),
		os.WriteFile(filepath.Join(at, "v1.0.0.info"), []byte(`{"Version":"v1.0.0"}`), 0o644),
		os.WriteFile(filepath.Join(at, "v1.0.0.mod"), []byte("module example.org/tool\n"), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	sum, err := nar.Hash(t.Context(), tree)
	if err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), "GOPROXY=file://"+dir, "GOSUMDB=off", "GOMODCACHE="+cache), sum.SRI()
}

// pinned is a flake whose one package is a content that nobody builds.
func pinned(hash string) Source {
	return bare(fmt.Sprintf(`{ outputs = { self }: {
  packages.x86_64-linux.lane-env = derivation {
    name = "tool-1.0.0"; system = "x86_64-linux"; builder = "/run/lane-warm-first"; outputHashMode = "recursive"; outputHash = %q;
  };
  laneSources.x86_64-linux = [ { name = "tool-1.0.0"; narHash = %q; goModule = "example.org/tool@v1.0.0"; executable = [ "bin/*" ]; } ];
}; }`, hash, hash))
}

func TestSourcesSatisfyADerivationThatNobodyBuilds(t *testing.T) {
	t.Parallel()
	environ, hash := moduleProxy(t)
	l := newLab(t)
	l.Environ = environ
	c := l.warm(pinned(hash))
	if c.Sandbox != SandboxNotBuilt || len(c.Paths) != 1 || c.Paths[0].NarHash != hash {
		t.Errorf("closure %+v", c)
	}
	if n := l.heard("fetching Go module"); n != 1 {
		t.Errorf("fetched %d times", n)
	}
	// What the store holds is not fetched again, whoever asks.
	l.State = filepath.Join(t.TempDir(), "other")
	l.Environ = append(os.Environ(), "GOPROXY=off")
	l.warm(pinned(hash))
	if n := l.heard("fetching Go module"); n != 1 {
		t.Errorf("fetched %d times", n)
	}
}

func TestSourceWithAnotherHashReachesNoStore(t *testing.T) {
	t.Parallel()
	environ, hash := moduleProxy(t)
	l := newLab(t)
	l.Environ = environ
	wrong := "sha256-" + strings.Repeat("A", 43) + "="
	_, err := l.Warm(t.Context(), pinned(wrong))
	var r *Refusal
	if !errors.As(err, &r) || r.Code != stage.SourceMismatch || !strings.Contains(r.Msg, hash) || !strings.Contains(r.Msg, wrong) {
		t.Fatalf("got %v", err)
	}
	entries, err := os.ReadDir(l.Private + "/nix/store")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), "tool-1.0.0") && !strings.HasSuffix(e.Name(), ".drv") {
			t.Errorf("%s is in the store", e.Name())
		}
	}
}
