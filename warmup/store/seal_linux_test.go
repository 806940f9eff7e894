package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/vallane/lane/warmup/store"
)

func mustPass(t *testing.T, c store.Checker, p store.Path) {
	t.Helper()
	if err := c.Check(t.Context(), store.Sealed, []store.Path{p}); err != nil {
		t.Fatal(err)
	}
}

// The seal is what is believed: where it holds, nothing is hashed, so that a
// wrong hash in the lock shows whether one was.
func TestSealIsHashedOnce(t *testing.T) {
	p, c := onePath(t), store.Checker{Seals: t.TempDir()}
	mustPass(t, c, p)
	seal := filepath.Join(c.Seals, filepath.Base(p.StorePath))
	sealed, err := os.Stat(seal)
	if err != nil {
		t.Fatal(err)
	}
	if sealed.Mode().Perm()&0o077 != 0 {
		t.Errorf("others can use the seal: %v", sealed.Mode())
	}
	mustPass(t, c, p)
	if again, err := os.Stat(seal); err != nil || !os.SameFile(sealed, again) {
		t.Error("a path whose seal holds was sealed again")
	}
}

// Each of these changes something that a hash in full would see, or cannot be
// told from something that does.
func TestSealBreaks(t *testing.T) {
	for name, change := range map[string]func(host string) error{
		"content, same length and times": func(h string) error {
			f := filepath.Join(h, "lib/deep/c")
			info, err := os.Stat(f)
			if err != nil {
				return err
			}
			if err := os.WriteFile(f, []byte("C"), 0o644); err != nil {
				return err
			}
			return os.Chtimes(f, info.ModTime(), info.ModTime())
		},
		"run bit":     func(h string) error { return os.Chmod(filepath.Join(h, "bin/a"), 0o755) },
		"new file":    func(h string) error { return os.WriteFile(filepath.Join(h, "bin/c"), nil, 0o644) },
		"new at top":  func(h string) error { return os.WriteFile(filepath.Join(h, "c"), nil, 0o644) },
		"file gone":   func(h string) error { return os.Remove(filepath.Join(h, "lib.d/e")) },
		"folder gone": func(h string) error { return os.RemoveAll(filepath.Join(h, "lib/deeper")) },
		"renamed":     func(h string) error { return os.Rename(filepath.Join(h, "bin/a"), filepath.Join(h, "bin/z")) },
		"swapped": func(h string) error {
			a, b, x := filepath.Join(h, "bin/a"), filepath.Join(h, "bin/b"), filepath.Join(h, "x")
			return errors.Join(os.Rename(a, x), os.Rename(b, a), os.Rename(x, b))
		},
		"link": func(h string) error {
			l := filepath.Join(h, "link")
			return errors.Join(os.Remove(l), os.Symlink("bin/b", l))
		},
		"folder for a file": func(h string) error {
			z := filepath.Join(h, "zero")
			return errors.Join(os.Remove(z), os.Mkdir(z, 0o755))
		},
		"folder for a link to it": func(h string) error {
			d := filepath.Join(h, "lib")
			return errors.Join(os.Rename(d, h+"-lib"), os.Symlink(h+"-lib", d))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, c := onePath(t), store.Checker{Seals: t.TempDir()}
			mustPass(t, c, p)
			if err := change(p.Host); err != nil {
				t.Fatal(err)
			}
			err := c.Check(t.Context(), store.Sealed, []store.Path{p})
			var changed *store.Changed
			if !errors.As(err, &changed) || changed.StorePath != p.StorePath {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(changed.Msg, "since it was sealed") && !strings.Contains(changed.Msg, "no such file") {
				t.Errorf("%q does not say what became of the seal", changed.Msg)
			}
		})
	}
}

// What changes without another content is hashed, and sealed anew.
func TestSealIsMadeAnew(t *testing.T) {
	p, c := onePath(t), store.Checker{Seals: t.TempDir()}
	seal := filepath.Join(c.Seals, filepath.Base(p.StorePath))
	mustPass(t, c, p)
	for name, change := range map[string]func() error{
		"a hard link, as Nix makes": func() error { return os.Link(filepath.Join(p.Host, "bin/a"), p.Host+"-hard") },
		"the same bytes again":      func() error { return os.WriteFile(filepath.Join(p.Host, "bin/a"), []byte("a"), 0o644) },
		"a seal that is cut short":  func() error { return os.Truncate(seal, 200) },
		"a seal that is empty":      func() error { return os.Truncate(seal, 0) },
		"a seal that others write":  func() error { return os.Chmod(seal, 0o666) },
		"a seal of something else":  func() error { return os.WriteFile(seal, []byte("lane seal 9 x 1 1\n"), 0o600) },
		"no seal":                   func() error { return os.Remove(seal) },
	} {
		old, err := os.ReadFile(seal)
		if err != nil {
			t.Fatal(err)
		}
		if err := change(); err != nil {
			t.Fatal(err)
		}
		mustPass(t, c, p)
		info, err := os.Stat(seal)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
		if now, err := os.ReadFile(seal); err != nil || len(now) != len(old) {
			t.Errorf("%s: the seal has %d bytes, it had %d (%v)", name, len(now), len(old), err)
		}
	}
}

// A change in the same tick as the hash would carry the same ctime: a seal is
// only made when the last change is some ticks old.
func TestSealWaitsForTheClock(t *testing.T) {
	p, c := onePath(t), store.Checker{Seals: t.TempDir()}
	file := filepath.Join(p.Host, "zero")
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
	mustPass(t, c, p)
	sealed := time.Now()
	// The kernel stamps a change with the time of its last tick, so the file itself says from when to count.
	var st unix.Stat_t
	if err := unix.Lstat(file, &st); err != nil {
		t.Fatal(err)
	}
	if d := sealed.Sub(time.Unix(st.Ctim.Unix())); d < 50*time.Millisecond {
		t.Errorf("sealed %v after a change", d)
	}
}

// A path can be a file by itself, or a symlink.
func TestSealOfAFileAndALink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("x"), 0o644), os.Symlink("file", link)); err != nil {
		t.Fatal(err)
	}
	c := store.Checker{Seals: t.TempDir()}
	for _, host := range []string{file, link} {
		p := pathOf(t, host)
		mustPass(t, c, p)
		mustPass(t, c, p)
	}
	if err := os.WriteFile(file, []byte("y"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := pathOf(t, file)
	p.SHA256[0]++
	if err := c.Check(t.Context(), store.Sealed, []store.Path{p}); err == nil {
		t.Error("a changed file passed")
	}
}
