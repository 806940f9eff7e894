package warmup

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

const (
	pathA = "/nix/store/205mdm4hchpimqvp71dwfdjkd46ka99l-busybox"
	pathB = "/nix/store/5wnr1r0jx5ahcx649crz5a87zccd34na-lane-env"
	hashA = "sha256-QvnceIGTBeDvDd9oCn+GvdsnkquliuwbVgpiRH68qaQ="
	hashB = "sha256-2K2SbG1izp0sk1F0iFm06B9yjumIe1+Ds7UNH1wX00M="
)

func sampleLock() *Lock {
	l := &Lock{
		Key: strings.Repeat("ab", 32), System: "x86_64-linux", Attr: "lane-env", StoreDir: "/nix/store", Outputs: []string{pathB},
		Paths: []LockPath{
			{Path: pathB, Type: "folder", NarHash: hashB, NarSize: 68328, References: []string{pathA}, Signatures: []string{}, Built: SandboxOn},
			{Path: pathA, Type: "folder", NarHash: hashA, NarSize: 2034368, References: []string{}, Signatures: []string{"cache-1:AAAA=="}, CA: "fixed:r:sha256:0"},
		},
	}
	l.Sandbox = worst(l.Paths)
	l.seal()
	return l
}

// closure.lock is a format that users commit and compare.
func TestLockIsWrittenAsTheGoldenFile(t *testing.T) {
	got, err := sampleLock().Marshal()
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "closure.lock")
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("wrote\n%s\nwant\n%s", got, want)
	}
	l, err := ParseLock(want)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := l.Marshal(); err != nil || !bytes.Equal(back, want) {
		t.Errorf("read and written it became\n%s", back)
	}
}

func TestParseLockRefusesWhatIsNotWhole(t *testing.T) {
	good, err := sampleLock().Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, new, words string }{
		{"another hash", hashA, hashB, "its digest is"},
		{"another path", "busybox", "busyboy", "not in it"},
		{"another digest", `"digest": "sha256:`, `"digest": "sha256:0`, "its digest is"},
		{"a path that is in no store", pathA, "/etc/passwd", "no path in /nix/store"},
		{"a path that leaves the store", pathA, "/nix/store/../../etc/shadow-0000000000000000000000000", "no path in /nix/store"},
		{"a reference that is not there", `"references": [` + "\n        \"" + pathA, `"references": [` + "\n        \"" + strings.Replace(pathA, "2", "3", 1), "not in it"},
		{"an output that is not there", `"outputs": [` + "\n    \"" + pathB, `"outputs": [` + "\n    \"" + strings.Replace(pathB, "5", "6", 1), "not among its paths"},
		{"another version", `"version": 1`, `"version": 2`, "version 2"},
		{"an unknown field", `"version": 1`, `"version": 1, "trust": true`, "unknown field"},
		{"a size of nothing", `"narSize": 68328`, `"narSize": 0`, "0 bytes"},
		{"an unknown type", `"type": "folder"`, `"type": "device"`, "device"},
		{"half of it", string(good[len(good)/2:]), "", "read closure.lock"},
	} {
		data := strings.Replace(string(good), c.old, c.new, 1)
		if data == string(good) {
			t.Fatalf("%s: nothing was changed", c.name)
		}
		if _, err := ParseLock([]byte(data)); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s gave %v", c.name, err)
		}
	}
}

// A lock that is not for its key, or could be another's work, is never taken.
func TestLoadTrustsNoForeignLock(t *testing.T) {
	key := strings.Repeat("ab", 32)
	o := Options{State: t.TempDir(), Private: t.TempDir(), StoreDir: "/nix/store"}
	data, err := sampleLock().Marshal()
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Repeat("cd", 32)
	for _, k := range []string{key, other} {
		if err := write(o.State, k, data); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, key, words string }{
		{"for another environment", other, "another environment"},
		{"without its paths", key, "not in the store"},
	} {
		var cold *NotWarm
		if _, err := o.load(t.Context(), c.key, LevelLstat); !errors.As(err, &cold) || !strings.Contains(cold.Msg, c.words) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := os.Chmod(lockPath(o.State, key), 0o664); err != nil {
		t.Fatal(err)
	}
	var cold *NotWarm
	if _, err := o.load(t.Context(), key, LevelLstat); !errors.As(err, &cold) || !strings.Contains(cold.Msg, "another user") {
		t.Errorf("writable by a group: %v", err)
	}
}

func FuzzParseLock(f *testing.F) {
	good, err := sampleLock().Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"version":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := ParseLock(data)
		if err != nil {
			return
		}
		// What is taken says of itself what it is.
		if l.Digest != l.digest() || l.check() != nil {
			t.Errorf("%s was taken", data)
		}
	})
}
