package buildcache

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func put(dir, name, text string) error {
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func TestACacheIsFilledOnceAndHasItsBaseBelow(t *testing.T) {
	o := Options{Dir: t.TempDir()}
	ctx := context.Background()
	lease, err := o.Get(ctx, Key("base"), "", func(_ context.Context, dir string) error {
		return errors.Join(put(dir, "00/a", "base"), put(dir, "01/b", "base"), os.Symlink("/etc/passwd", filepath.Join(dir, "link")))
	})
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Close()
	base := lease.Dir
	if _, err := os.Lstat(filepath.Join(base, "link")); err == nil {
		t.Error("a link was taken into the cache")
	}
	var fills atomic.Int32
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			lease, err := o.Get(ctx, Key("head"), base, func(_ context.Context, dir string) error {
				fills.Add(1)
				return errors.Join(put(dir, "upper/00/a", "head"), put(dir, "upper/02/c", "head"))
			})
			if err != nil {
				t.Error(err)
				return
			}
			defer lease.Close()
			head := lease.Dir
			for name, want := range map[string]string{"00/a": "head", "01/b": "base", "02/c": "head"} {
				if got := read(t, head, name); got != want {
					t.Errorf("%s: %s, want %s", name, got, want)
				}
			}
		})
	}
	wg.Wait()
	if fills.Load() != 1 {
		t.Errorf("filled %d times by 12 callers", fills.Load())
	}
	if got := read(t, base, "00/a"); got != "base" {
		t.Errorf("filling the second cache changed the first: %s", got)
	}
	if st, _ := os.Stat(filepath.Join(base, "00/a")); st.ModTime().Before(time.Now().AddDate(10, 0, 0)) {
		t.Errorf("entry has time %v: the Go command would touch it", st.ModTime())
	}
}

func TestAFailedFillLeavesNothing(t *testing.T) {
	o := Options{Dir: t.TempDir()}
	no := errors.New("no")
	if _, err := o.Get(context.Background(), "key", "", func(_ context.Context, dir string) error {
		put(dir, "half", "x")
		return no
	}); !errors.Is(err, no) {
		t.Fatalf("error %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(o.Dir, ".new-*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	if _, err := os.Stat(filepath.Join(o.Dir, "key")); err == nil {
		t.Error("a failed cache was published")
	}
}

func TestCollectTakesTheLeastRecentlyUsed(t *testing.T) {
	o := Options{Dir: t.TempDir()}
	ctx := context.Background()
	for i, key := range []string{"used", "old", "middle", "new"} {
		lease, err := o.Get(ctx, key, "", func(_ context.Context, dir string) error { return put(dir, "f", "0123456789") })
		if err != nil {
			t.Fatal(err)
		}
		if key == "used" {
			defer lease.Close()
		} else {
			lease.Close()
		}
		dir := lease.Dir
		at := time.Now().Add(time.Duration(i-4) * time.Hour)
		os.Chtimes(dir, at, at)
	}
	if freed, err := o.Collect(ctx, Bound{Bytes: 30, Dry: true}); err != nil || freed != (Freed{1, 10}) {
		t.Fatalf("dry run would free %v, %v, want 10", freed, err)
	}
	if freed, err := o.Collect(ctx, Bound{Bytes: 30}); err != nil || freed != (Freed{1, 10}) {
		t.Fatalf("freed %v, %v, want 10", freed, err)
	}
	left, _ := filepath.Glob(filepath.Join(o.Dir, "*"))
	var names []string
	for _, l := range left {
		if filepath.Ext(l) != ".lock" {
			names = append(names, filepath.Base(l))
		}
	}
	if strings.Join(names, " ") != "middle new used" {
		t.Errorf("left %v, want middle, new and the one in use", names)
	}
}
