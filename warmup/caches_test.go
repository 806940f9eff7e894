package warmup

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vallane/lane/warmup/bincache"
)

// shop is a lab whose closure was locked and copied into a cache by Nix, and what a machine without Nix needs of it.
type shop struct {
	src   Source
	want  *Closure
	cache string // folder
	key   bincache.SecretKey
	nix   *lab
	file  string // of the key
}

func newShop(t testing.TB) *shop {
	t.Helper()
	l := newLab(t)
	src := flake(t, two)
	s := &shop{src: src, want: l.warm(src), nix: l}
	var err error
	if s.key, err = bincache.NewKey("lane-test-1"); err != nil {
		t.Fatal(err)
	}
	s.file = filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(s.file, []byte(s.key.Secret()), 0o600); err != nil {
		t.Fatal(err)
	}
	s.fill(t, "zstd")
	var c Committed
	c.Put(s.want.Commit(src))
	if s.src.Lock, err = c.Marshal(); err != nil {
		t.Fatal(err)
	}
	return s
}

// fill has Nix write another cache.
func (s *shop) fill(t testing.TB, compression string) {
	s.cache = t.TempDir()
	s.nix.nixTool("nix", "copy", "--to", "file://"+s.cache+"?compression="+compression+"&secret-key="+s.file, "--from", s.nix.Private, s.want.Root)
}

// visitor is a machine without Nix that knows the shop's cache.
func (s *shop) visitor(t testing.TB) *lab {
	t.Helper()
	l := newLab(t)
	l.WithoutNix, l.Substituters, l.TrustedKeys = true, []string{"file://" + s.cache}, []string{s.key.Public().String()}
	return l
}

// The closure of a machine without Nix is the one of the machine with it, down to the digest, whoever compressed it how.
func TestCachesGiveTheSameClosureAsNix(t *testing.T) {
	s := newShop(t)
	for _, compression := range []string{"xz", "zstd", "none", "bzip2", "gzip"} {
		t.Run(compression, func(t *testing.T) {
			s.fill(t, compression)
			l := s.visitor(t)
			t.Setenv("PATH", "/nowhere")
			c := l.warm(s.src)
			if c.Digest != s.want.Digest || c.Verified != LevelSealed || c.Sandbox != SandboxNotBuilt {
				t.Errorf("digest %s, verified %s, sandbox %s; Nix has %s", c.Digest, c.Verified, c.Sandbox, s.want.Digest)
			}
			if full, err := l.Load(t.Context(), s.src, LevelFull); err != nil {
				t.Error(err)
			} else {
				full.Close()
			}
			if l.heard("fetching") != 1 {
				t.Errorf("it said %q", l.said)
			}
		})
	}
}

// N7: twelve at once realise one closure once.
func TestTwelveColdStartsFetchOnce(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	l := s.visitor(t)
	s.twelve(t, l)
}

// twelve cold starts at once come to one closure, which is fetched once.
func (s *shop) twelve(t testing.TB, l *lab) {
	t.Helper()
	var wait sync.WaitGroup
	for range 12 {
		wait.Go(func() {
			c, err := l.Warm(t.Context(), s.src)
			if err != nil {
				t.Error(err)
				return
			}
			if c.Digest != s.want.Digest {
				t.Errorf("digest %s", c.Digest)
			}
			c.Close()
		})
	}
	wait.Wait()
	if n := l.heard("from binary caches"); n != 1 {
		t.Errorf("it was fetched %d times", n)
	}
}

// What a cache, or the lock, says against the other is told by name, and nothing of it gets into the store.
func TestCachesAreHeldToTheLock(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.fill(t, "none")
	narOf := func(dir, storePath string) string {
		digest := filepath.Base(storePath)[:32]
		info, err := os.ReadFile(filepath.Join(dir, digest+".narinfo"))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(info), "URL: ")
		url, _, _ := strings.Cut(rest, "\n")
		return filepath.Join(dir, url)
	}
	edit := func(t *testing.T, file string, change func([]byte) []byte) {
		t.Helper()
		data, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, change(data), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		change func(t *testing.T, l *lab, src *Source, dir string)
		words  string
	}{
		"one byte of an archive": {func(t *testing.T, _ *lab, _ *Source, dir string) {
			edit(t, narOf(dir, s.want.Root), func(b []byte) []byte {
				return bytes.Replace(b, []byte("env"), []byte("Env"), 1)
			})
		}, "locked is"},
		"an archive cut short": {func(t *testing.T, _ *lab, _ *Source, dir string) {
			edit(t, narOf(dir, s.want.Root), func(b []byte) []byte { return b[:len(b)-100] })
		}, "unexpected EOF"},
		"an archive of another path": {func(t *testing.T, _ *lab, _ *Source, dir string) {
			other := s.want.Paths[0].StorePath
			if other == s.want.Root {
				other = s.want.Paths[1].StorePath
			}
			data, err := os.ReadFile(narOf(dir, other))
			if err != nil {
				t.Fatal(err)
			}
			edit(t, narOf(dir, s.want.Root), func([]byte) []byte { return data })
		}, "locked is"},
		"a key that nobody trusts": {func(_ *testing.T, l *lab, _ *Source, _ string) { l.TrustedKeys = nil }, "no trusted key has signed it"},
		"no cache at all":          {func(_ *testing.T, l *lab, _ *Source, _ string) { l.Substituters = nil }, "no binary cache is configured"},
		"no network is wanted": {func(_ *testing.T, l *lab, _ *Source, _ string) {
			l.Substituters, l.Offline = []string{"http://127.0.0.1:1"}, true
		}, "no binary cache is configured"},
		"no lock": {func(_ *testing.T, _ *lab, src *Source, _ string) { src.Lock = nil }, "no closure.lock beside the flake"},
		"a lock of another flake": {func(_ *testing.T, _ *lab, src *Source, _ string) {
			src.Files = map[string]File{"flake.nix": {Data: append([]byte("# new\n"), src.Files["flake.nix"].Data...)}, "tools/builder": src.Files["tools/builder"]}
		}, "closure.lock is older than the flake beside it: flake.nix is another"},
		"a lock that was edited": {func(_ *testing.T, _ *lab, src *Source, _ string) {
			src.Lock = []byte(strings.Replace(string(src.Lock), `"narSize": `, `"narSize": 1`, 1))
			src.Lock = []byte(strings.Replace(string(src.Lock), `"narHash": "sha256-`, `"narHash": "sha256-A`, 1))
		}, "closure-lock"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(s.cache)); err != nil {
				t.Fatal(err)
			}
			l, src := s.visitor(t), s.src
			l.Substituters = []string{"file://" + dir}
			c.change(t, l, &src, dir)
			got, err := l.Warm(t.Context(), src)
			if err == nil {
				got.Close()
				t.Fatal("it was warmed")
			}
			if !strings.Contains(err.Error(), c.words) {
				t.Errorf("it said %v", err)
			}
			for _, e := range storeEntries(t, l) {
				if strings.HasPrefix(e, ".") || strings.HasSuffix(e, "-env") {
					t.Errorf("the store has %s", e)
				}
			}
		})
	}
}

func storeEntries(t *testing.T, l *lab) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(l.Private, "nix/store"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// N5, without Nix: the changed path alone is fetched again, also beside somebody who uses the closure.
func TestRepairFetchesTheChangedPathAlone(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	l := s.visitor(t)
	c := l.warm(s.src) // in use until the test ends
	file := filepath.Join(c.Host(c.Root), "content")
	if err := errors.Join(os.Chmod(file, 0o644), os.WriteFile(file, []byte("Env"), 0o644), os.Chmod(file, 0o444)); err != nil {
		t.Fatal(err)
	}
	var cold *NotWarm
	if _, err := l.Load(t.Context(), s.src, LevelFull); !errors.As(err, &cold) || cold.Path != c.Root || !cold.Changed {
		t.Errorf("full gave %v", err)
	}
	l.Repair = true
	l.warm(s.src)
	if l.heard("fetching 1 store paths") != 1 || l.heard(c.Root+": ") == 0 {
		t.Errorf("it said %q", l.said)
	}
	full, err := l.Load(t.Context(), s.src, LevelFull)
	if err != nil {
		t.Fatal(err)
	}
	full.Close()
	if names := storeEntries(t, l); len(names) != len(c.Paths) {
		t.Errorf("the store has %q", names)
	}
}

// Nix that is installed later takes over: the same state comes to the same closure in Nix's own store, and the private store, which
// nobody uses any more, goes with a gc, but not while a closure is in use.
func TestNixIsInstalledLater(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	l := s.visitor(t)
	old := l.Private
	c, err := l.Warm(t.Context(), s.src)
	if err != nil {
		t.Fatal(err)
	}
	later := newLab(t)
	later.State = l.State
	if n, err := later.Abandon(t.Context(), old, false); n != 0 || err != nil || !exists(c.Paths[0].Host) {
		t.Errorf("a store in use: %d bytes, %v", n, err)
	}
	c.Close()
	with, err := later.Warm(t.Context(), s.src)
	if err != nil {
		t.Fatal(err)
	}
	if with.Digest != c.Digest || !strings.HasPrefix(with.Paths[0].Host, later.Private) || with.Verified != LevelSealed {
		t.Errorf("with Nix: %+v, without: %+v", with, c)
	}
	with.Close()
	dry, err := later.Abandon(t.Context(), old, true)
	if err != nil || dry == 0 || !exists(c.Paths[0].Host) {
		t.Errorf("dry: %d bytes, %v", dry, err)
	}
	if n, err := later.Abandon(t.Context(), old, false); n != dry || err != nil || exists(old) {
		t.Errorf("%d bytes, %v, there still: %t", n, err, exists(old))
	}
	if n, err := later.Abandon(t.Context(), old, false); n != 0 || err != nil {
		t.Errorf("nothing is there: %d bytes, %v", n, err)
	}
	again, err := later.Load(t.Context(), s.src, LevelFull)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// What no lock names goes, and so does what was never finished; what is being used stays.
func TestGCSweepsThePrivateStore(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	l := s.visitor(t)
	c := l.warm(s.src)
	half := filepath.Join(l.Private, "nix/store", halfway+"1-x")
	if err := os.Mkdir(half, 0o755); err != nil {
		t.Fatal(err)
	}
	report, err := l.GC(t.Context(), GCOptions{All: true})
	if err != nil || len(report.Kept) != 1 || len(storeEntries(t, l)) != len(c.Paths)+1 {
		t.Fatalf("in use: %+v, %v", report, err)
	}
	c.Close()
	report, err = l.GC(t.Context(), GCOptions{All: true})
	if err != nil || report.Deleted != c.Size() {
		t.Errorf("deleted %d of %d, %v", report.Deleted, c.Size(), err)
	}
	if names := storeEntries(t, l); len(names) != 0 {
		t.Errorf("it left %q", names)
	}
	l.warm(s.src)
}

// What Lane pushes, Nix and Lane realise from; what the cache has is not written twice.
func TestPushedCachesServeNixAndLane(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.cache = t.TempDir()
	for want := range 2 {
		n, err := s.nix.Push(t.Context(), s.want, "file://"+s.cache, s.key)
		if err != nil || (n == 0) != (want == 1) {
			t.Fatalf("pushed %d, %v", n, err)
		}
	}
	if c := s.visitor(t).warm(s.src); c.Digest != s.want.Digest {
		t.Errorf("Lane has %s, pushed was %s", c.Digest, s.want.Digest)
	}
	other := newLab(t)
	other.nixTool("nix", "copy", "--from", "file://"+s.cache, "--to", other.Private, "--option", "trusted-public-keys", s.key.Public().String(), s.want.Root)
	if got := other.nixTool("nix", "path-info", "--json", s.want.Root); !strings.Contains(got, narHash(s.want)) {
		t.Errorf("Nix has %s", got)
	}
}

// With Nix, too, a closure that is not the committed one is refused by the name of its path.
func TestACommittedLockBinds(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	if c := s.nix.warm(s.src); !c.Agrees(s.src) {
		t.Error("the lock does not agree with what it was written from")
	}
	l, err := s.nix.Relock(t.Context(), s.src)
	if err != nil {
		t.Fatal(err)
	}
	if diffs, err := s.nix.CheckLock(t.Context(), s.src); diffs != nil || err != nil {
		t.Errorf("it departs: %q, %v", diffs, err)
	}
	other := *l
	other.Paths = slices.Clone(l.Paths)
	other.Paths[0].NarHash = "sha256-2K2SbG1izp0sk1F0iFm06B9yjumIe1+Ds7UNH1wX00M="
	other.seal()
	var c Committed
	c.Put(&other)
	data, err := c.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	edited := s.src
	edited.Lock = data
	for name, use := range map[string]func() (*Closure, error){
		"load": func() (*Closure, error) { return s.nix.Load(t.Context(), edited, LevelSealed) },
		"warm": func() (*Closure, error) { return s.nix.Warm(t.Context(), edited) },
	} {
		var refused *Refusal
		if _, err := use(); !errors.As(err, &refused) || !strings.Contains(refused.Msg, l.Paths[0].Path+" has NAR hash") {
			t.Errorf("%s gave %v", name, err)
		}
	}
	if diffs, err := s.nix.CheckLock(t.Context(), edited); len(diffs) != 1 || err != nil {
		t.Errorf("it departs: %q, %v", diffs, err)
	}
	// One that was made from other inputs says from which.
	l.Inputs, l.Key = map[string]string{"nixpkgs": "sha256-old"}, strings.Repeat("0", 64)
	c = Committed{}
	c.Put(l)
	if edited.Lock, err = c.Marshal(); err != nil {
		t.Fatal(err)
	}
	if diffs, err := s.nix.CheckLock(t.Context(), edited); len(diffs) != 1 || !strings.Contains(diffs[0], "input nixpkgs: nothing in flake.lock, and it was made with sha256-old") || err != nil {
		t.Errorf("it departs: %q, %v", diffs, err)
	}
}

func narHash(c *Closure) string {
	i := slices.IndexFunc(c.Paths, func(p Path) bool { return p.StorePath == c.Root })
	return c.Paths[i].NarHash
}
