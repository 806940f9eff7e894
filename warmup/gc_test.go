package warmup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/vallane/lane/internal/flock"
)

// age sets when a closure was last used.
func (l *lab) age(c *Closure, ago time.Duration) {
	l.t.Helper()
	at := time.Now().Add(-ago)
	if err := os.Chtimes(usePath(l.State, c.Key), at, at); err != nil {
		l.t.Fatal(err)
	}
}

func keys(entries []Entry) []string {
	var k []string
	for _, e := range entries {
		k = append(k, e.Key)
	}
	return k
}

// threeWarm are closures of which a and b share a path, last used one, two and
// three hours ago, none of them in use.
func threeWarm(t *testing.T) (l *lab, a, b, c *Closure) {
	t.Helper()
	l = newLab(t)
	a = l.warm(flake(t, two))
	b = l.warm(flake(t, two+"\n    # b\n    "))
	c = l.warm(flake(t, alone))
	for i, x := range []*Closure{a, b, c} {
		x.Close()
		l.age(x, time.Duration(i+1)*time.Hour)
	}
	return l, a, b, c
}

func TestGC(t *testing.T) {
	t.Parallel()
	l, a, b, c := threeWarm(t)
	t.Run("lists shared paths apart", func(t *testing.T) { listsSharedPathsApart(t, l, a, b, c) })
	t.Run("keeps what is in use", func(t *testing.T) { keepsWhatIsInUse(t, l, a, b, c) })
	t.Run("keeps to its budget", func(t *testing.T) { keepsToItsBudget(t, l, a, b, c) })
}

func listsSharedPathsApart(t *testing.T, l *lab, a, b, c *Closure) {
	t.Helper()
	all, err := l.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{c.Key, b.Key, a.Key}; !slices.Equal(keys(all), want) {
		t.Fatalf("listed %q, want %q", keys(all), want)
	}
	if all[0].Size != c.Size() || all[0].Own != c.Size() || all[2].Size != a.Size() || all[2].Own != 0 {
		t.Errorf("sizes %+v", all)
	}
}

func keepsWhatIsInUse(t *testing.T, l *lab, a, b, c *Closure) {
	t.Helper()
	use, err := l.Load(t.Context(), flake(t, alone), LevelLstat)
	if err != nil {
		t.Fatal(err)
	}
	defer use.Close()
	l.age(c, 3*time.Hour)
	report, err := l.GC(t.Context(), GCOptions{All: true, DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{b.Key, a.Key}; !slices.Equal(keys(report.Removed), want) {
		t.Errorf("removed %q, want %q", keys(report.Removed), want)
	}
	if len(report.Kept) != 1 || !report.Kept[0].InUse {
		t.Errorf("kept %+v", report.Kept)
	}
	if err := l.forget(t.Context(), Entry{Key: c.Key}); !errors.Is(err, flock.ErrHeld) || !exists(lockPath(l.State, c.Key)) {
		t.Errorf("taken into use after it was listed, it was removed: %v", err)
	}
}

func keepsToItsBudget(t *testing.T, l *lab, a, b, c *Closure) {
	t.Helper()
	for _, g := range []struct {
		name    string
		options GCOptions
		removed []string
	}{
		{"no limit", GCOptions{}, nil},
		{"room for all", GCOptions{MaxBytes: a.Size() + c.Size()}, nil},
		{"dry", GCOptions{MaxBytes: 1, DryRun: true}, []string{c.Key, b.Key, a.Key}},
		{"one byte too many", GCOptions{MaxBytes: a.Size() + c.Size() - 1}, []string{c.Key}},
		{"older than", GCOptions{OlderThan: 90 * time.Minute}, []string{b.Key}},
		{"all", GCOptions{All: true}, []string{a.Key}},
	} {
		report, err := l.GC(t.Context(), g.options)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(keys(report.Removed), g.removed) {
			t.Errorf("%s: removed %q, want %q", g.name, keys(report.Removed), g.removed)
		}
		if g.name == "older than" && report.Freed != 0 {
			t.Error("a path that another closure has was counted as freed")
		}
		if g.name == "all" && (report.Freed != a.Size() || report.Deleted != a.Size()) {
			t.Errorf("freed %d, deleted %d of %d", report.Freed, report.Deleted, a.Size())
		}
	}
	for _, x := range []*Closure{a, b, c} {
		for _, p := range x.Paths {
			if exists(p.Host) {
				t.Errorf("%s is still in the store", p.StorePath)
			}
		}
		for _, p := range []string{envDir(l.State, x.Key), rootLink(l.State, x.Key)} {
			if exists(p) {
				t.Errorf("%s is left", p)
			}
		}
	}
	if left, err := os.ReadDir(filepath.Join(l.State, "seals")); err != nil || len(left) != 0 {
		t.Errorf("seals %v, %v", left, err)
	}
}

// What root published is in use also where only another user's state knows.
func TestGCSeesTheUseOfWhatWasPublished(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.Publish = filepath.Join(t.TempDir(), "shared")
	src := flake(t, two)
	l.warm(src).Close()
	other := Options{State: t.TempDir(), Shared: []string{l.Publish}, Private: l.Private}
	use, err := other.Load(t.Context(), src, LevelLstat)
	if err != nil {
		t.Fatal(err)
	}
	report, err := l.GC(t.Context(), GCOptions{All: true})
	if err != nil || len(report.Removed) != 0 {
		t.Errorf("removed %q, %v", keys(report.Removed), err)
	}
	use.Close()
	if _, err := l.GC(t.Context(), GCOptions{All: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Load(t.Context(), src, LevelLstat); err == nil {
		t.Error("a published closure outlived its removal")
	}
}

// N4: Nix's own collector, in mid-check, leaves a closure alone.
func TestNixCollectorLeavesARootedClosure(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	src := flake(t, two)
	c := l.warm(src)
	stray := filepath.Join(t.TempDir(), "stray")
	if err := os.WriteFile(stray, []byte("stray"), 0o644); err != nil {
		t.Fatal(err)
	}
	unrooted := l.nixTool("nix-store", "--add", stray)
	l.nixTool("nix-store", "--gc")
	if exists(l.Private + unrooted) {
		t.Error("the collector collected nothing: this shows nothing")
	}
	for _, p := range c.Paths {
		if !exists(p.Host) {
			t.Errorf("%s was collected", p.StorePath)
		}
	}
	again, err := l.Load(t.Context(), src, LevelFull)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()

	// Without its root it is cold, before anything is collected.
	if err := os.Remove(rootLink(l.State, c.Key)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Load(t.Context(), src, LevelLstat); err == nil {
		t.Error("a closure without a root was taken")
	}
	l.warm(src).Close()
	auto := filepath.Join(l.Private, "nix/var/nix/gcroots/auto")
	links, err := os.ReadDir(auto)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range links {
		if err := os.Remove(filepath.Join(auto, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Load(t.Context(), src, LevelLstat); err == nil {
		t.Error("a closure whose root is not registered was taken")
	}
}

const alone = `lane-env = mk "alone" { content = "alone"; };`
