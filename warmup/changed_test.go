package warmup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// N5: one byte of one path changes, its length and its times do not.
func TestAChangedByteIsFoundAndItsPathNamed(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	src := flake(t, two)
	c := l.warm(src)
	var dep Path
	for _, p := range c.Paths {
		if strings.HasSuffix(p.StorePath, "-dep") {
			dep = p
		}
	}
	file := filepath.Join(dep.Host, "content")
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.Chmod(file, 0o644),
		os.WriteFile(file, []byte("Dep"), 0o644),
		os.Chmod(file, 0o444),
		os.Chtimes(file, before.ModTime(), before.ModTime()),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for level, found := range map[Level]bool{LevelLstat: false, LevelSealed: true, LevelFull: true} {
		c, err := l.Load(t.Context(), src, level)
		var cold *NotWarm
		switch {
		case !found && err == nil:
			c.Close()
		case !found:
			t.Errorf("%s: %v", level, err)
		case !errors.As(err, &cold) || !cold.Changed || cold.Path != dep.StorePath || !strings.Contains(cold.Msg, dep.StorePath):
			t.Errorf("%s gave %v, it should name %s", level, err, dep.StorePath)
		case level == LevelSealed && !strings.Contains(cold.Msg, "content has changed since it was sealed"):
			t.Errorf("%s does not name the file: %v", level, err)
		}
	}
	// While it is in use it cannot be mended, and the warm-up says so.
	var damaged *Damaged
	if _, err := l.Warm(t.Context(), src); !errors.As(err, &damaged) || damaged.Path != dep.StorePath {
		t.Errorf("the warm-up gave %v", err)
	}
	c.Close()
	again := l.warm(src)
	if again.Digest != c.Digest || again.Sandbox != SandboxOn {
		t.Errorf("mended it has digest %s, it was %s; sandbox %s", again.Digest, c.Digest, again.Sandbox)
	}

	if err := os.Rename(c.Host(c.Root), c.Host(c.Root)+"-away"); err != nil {
		t.Fatal(err)
	}
	var cold *NotWarm
	if _, err := l.Load(t.Context(), src, LevelLstat); !errors.As(err, &cold) || cold.Changed || cold.Path != c.Root {
		t.Errorf("an absent path gave %v", err)
	}
}
