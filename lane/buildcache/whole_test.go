package buildcache

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// With Whole, links and times stay.
func TestWholeKeepsEverything(t *testing.T) {
	o := Options{Dir: t.TempDir(), Whole: true}
	then := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	lease, err := o.Get(context.Background(), Key("x"), "", func(_ context.Context, dir string) error {
		return errors.Join(put(dir, "a/b", "text"), os.Symlink("b", filepath.Join(dir, "a", "link")), os.Chtimes(filepath.Join(dir, "a", "b"), then, then))
	})
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Close()
	st, err := os.Lstat(filepath.Join(lease.Dir, "a", "b"))
	if err != nil || !st.ModTime().Equal(then) {
		t.Errorf("%v, %v", st, err)
	}
	if to, err := os.Readlink(filepath.Join(lease.Dir, "a", "link")); err != nil || to != "b" {
		t.Errorf("%q, %v", to, err)
	}
}

// What a killed process left half done goes after two days, and nothing younger.
func TestCollectTakesWhatNobodyFinishes(t *testing.T) {
	o := Options{Dir: t.TempDir()}
	old := time.Now().Add(-abandoned - time.Minute)
	for _, name := range []string{".new-old", ".manifests-old", ".new-young"} {
		if err := put(o.Dir, name+"/cache/x", "x"); err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(name) != ".new-young" {
			if err := os.Chtimes(filepath.Join(o.Dir, name), old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, dry := range []bool{true, false} {
		if _, err := o.Collect(context.Background(), Bound{Bytes: -1, Dry: dry}); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]bool{".new-old": dry, ".manifests-old": dry, ".new-young": true} {
			if _, err := os.Stat(filepath.Join(o.Dir, name)); (err == nil) != want {
				t.Errorf("dry %t: %s: %v", dry, name, err)
			}
		}
	}
}
