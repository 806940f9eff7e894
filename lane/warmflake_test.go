package lane

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/warmup"
)

// Each package of a flake becomes a closure, that of the spec which names it. Without Nix they are those of the committed lock.
func TestWarmFlake(t *testing.T) {
	dir, extras, environments := testclosure.Twin(t)
	o := options(t)
	w := WarmOptions{Verify: "lstat", Flake: dir, Extras: extras}
	for i := range 2 { // the closures may be warm before, by an earlier run of this test
		got, err := Warm(t.Context(), o, nil, w)
		if err != nil || len(got) != len(environments) {
			t.Fatalf("%+v, %v", got, err)
		}
		for n, name := range []string{"go", "node", "python", "shell"} {
			g := got[n]
			if g.Flake != dir+"#"+name || g.Digest != environments[name].Digest || i > 0 && g.Fresh {
				t.Errorf("time %d: %+v, want %s of digest %s", i, g, name, environments[name].Digest)
			}
		}
	}
	src, err := readFlake(dir, extras)
	must(t, err)
	var lock warmup.Committed
	src.Attr = "shell"
	l, err := o.closures(nil).Relock(t.Context(), src)
	must(t, err)
	lock.Put(l)
	data, err := lock.Marshal()
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, warmup.LockName), data, 0o644))
	src, err = readFlake(dir, extras)
	must(t, err)
	offline := o
	offline.WithoutNix = true
	if names, err := offline.closures(nil).Packages(t.Context(), src); err != nil || len(names) != 1 || names[0] != "shell" {
		t.Errorf("without Nix: %v, %v", names, err)
	}
}

func TestWarmFlakeRefuses(t *testing.T) {
	for _, c := range []struct {
		name, flake, code string
		extras            []string
	}{
		{"no flake.nix", "", "no-flake", nil},
		{"no package for this system", `{ outputs = { self }: { packages.x86_64-other = { }; }; }`, "broken-flake", nil},
		{"a set without packages", `{ outputs = { self }: { packages.` + system() + ` = { }; }; }`, "broken-flake", nil},
		{"what is not staged", `{ outputs = { self }: { packages = import ./more.nix; }; }`, "broken-flake", nil},
		{"an extra that is not there", `{ outputs = { self }: { }; }`, "", []string{"more.nix"}},
		{"an extra outside", `{ outputs = { self }: { }; }`, "", []string{"../more.nix"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if c.flake != "" {
				write(t, dir, "flake.nix", c.flake)
			}
			_, err := Warm(t.Context(), options(t), nil, WarmOptions{Verify: "lstat", Flake: dir, Extras: c.extras})
			r := refusalOf(err)
			if err == nil || (r != nil) != (c.code != "") || r != nil && r.Code != c.code {
				t.Errorf("%v, %+v, want %q", err, r, c.code)
			}
		})
	}
}
