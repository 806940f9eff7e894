package warmup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
)

func TestWarmLocksWhatNixBuilt(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c := l.warm(flake(t, two))
	if len(c.Paths) != 2 || len(c.Outputs) != 1 || !strings.HasSuffix(c.Root, "-env") {
		t.Fatalf("closure %+v", c)
	}
	if c.Verified != LevelSealed || c.Sandbox != SandboxOn || !strings.HasPrefix(c.Digest, "sha256:") {
		t.Errorf("verified %s, sandbox %s, digest %s", c.Verified, c.Sandbox, c.Digest)
	}
	if got, err := os.ReadFile(filepath.Join(c.Host(c.Root), "content")); err != nil || string(got) != "env" {
		t.Errorf("the path lies elsewhere than said: %q, %v", got, err)
	}
	if want := []string{c.Root + "/bin"}; !slices.Equal(c.PathDirs(), want) {
		t.Errorf("PATH %q", c.PathDirs())
	}
	for _, p := range c.Paths {
		if nix := l.nixTool("nix-store", "--query", "--hash", p.StorePath); nix == "" || p.NarSize == 0 {
			t.Errorf("%s: Nix does not know it", p.StorePath)
		}
	}
}

// A warm start is a check of files: no Nix, no other program, nothing on PATH.
func TestLoadStartsNoProcess(t *testing.T) {
	l := newLab(t)
	src := flake(t, two)
	want := l.warm(src)
	bin := t.TempDir()
	mark := filepath.Join(bin, "ran")
	for _, name := range []string{"nix", "nix-store", "sh", "git"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\ntouch "+mark+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	for _, level := range []Level{LevelNone, LevelLstat, LevelSealed, LevelFull} {
		c, err := l.Load(t.Context(), src, level)
		if err != nil {
			t.Fatal(err)
		}
		if c.Digest != want.Digest || c.Verified != level {
			t.Errorf("%s: digest %s, verified %s", level, c.Digest, c.Verified)
		}
		c.Close()
	}
	// Warm of what is warm is a check as well.
	l.warm(src)
	if exists(mark) {
		t.Error("a program was run")
	}
}

func TestLoadOfAColdEnvironmentSaysWhatToDo(t *testing.T) {
	l := newLab(t)
	_, err := l.Load(t.Context(), bare(`{ outputs = _: { }; }`), LevelLstat)
	var cold *NotWarm
	if !errors.As(err, &cold) || cold.Hint() != "run lane warm" {
		t.Errorf("got %v", err)
	}
}

// N7: of twelve at once one realises, the others wait, and all succeed.
func TestTwelveWarmUpsRealiseOnce(t *testing.T) {
	t.Parallel()
	twelveWarmUps(t, newLab(t), flake(t, slow))
}

// slow is a closure that takes long enough to build for twelve to meet.
const slow = `lane-env = mk "slow" { slow = "300ms"; };`

func twelveWarmUps(t testing.TB, l *lab, src Source) {
	t.Helper()
	digests := make([]string, 12)
	var g errgroup.Group
	for i := range digests {
		g.Go(func() error {
			c, err := l.Warm(t.Context(), src)
			if err != nil {
				return err
			}
			digests[i] = c.Digest
			return c.Close()
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := l.heard("-slow.drv"); n != 1 {
		t.Errorf("built %d times", n)
	}
	if len(slices.Compact(digests)) != 1 {
		t.Errorf("digests %q", digests)
	}
}

// Another environment in the same state keeps what is known of the builds that
// the two share.
func TestSandboxOfSharedPathsIsRemembered(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.warm(flake(t, two))
	src := flake(t, two+"\n    # another flake")
	if c := l.warm(src); c.Sandbox != SandboxOn || l.heard("-env.drv") != 1 {
		t.Errorf("sandbox %s after %d builds", c.Sandbox, l.heard("-env.drv"))
	}
	// A state that knows nothing says so, rather than that nothing was built.
	l.State = filepath.Join(t.TempDir(), "other")
	if c := l.warm(src); c.Sandbox != SandboxUnknown {
		t.Errorf("sandbox %s of builds that nobody measured", c.Sandbox)
	}
}
