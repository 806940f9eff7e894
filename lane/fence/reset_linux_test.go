//go:build amd64 || arm64

package fence_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/lane/fence"
)

func TestRunsStartFromTheSameState(t *testing.T) { // F31, R4
	c := config(t, folder(t, map[string]string{"golden.txt": "old", "dir/file": "x"}))
	warm := folder(t, map[string]string{"entry": "warm"})
	own(t, warm)
	c.Overlays = []fence.Overlay{{Lower: warm, At: "/cache/go-build"}, {At: "/cache/empty"}}
	b := open(t, c)
	state := []string{"list", "/tree", "/tmp", "/var/tmp", "/dev/shm", "/home", "/cache", "/lane"}
	before := ok(t, run(t, b, state...))
	for _, path := range []string{
		"/tree/golden.txt", "/tree/.coverage", "/tree/dir/new/deep", "/tmp/left", "/var/tmp/left", "/dev/shm/left",
		"/home/lane/.config/left", "/cache/go-build/entry", "/cache/go-build/new", "/cache/empty/new",
	} {
		ok(t, run(t, b, "write", path, "left behind"))
	}
	times := func(s string) string { // of the folders that are new in each run
		var keep []string
		for line := range strings.Lines(s) {
			if f := strings.Fields(line); f[0] == "/tmp" || f[0] == "/var/tmp" || f[0] == "/dev/shm" || f[0] == "/home/lane" || f[0] == "/cache/empty" {
				line = strings.Join(f[:3], " ") + "\n"
			}
			keep = append(keep, line)
		}
		return strings.Join(keep, "")
	}
	if after := ok(t, run(t, b, state...)); times(after) != times(before) {
		t.Errorf("state differs; after:\n%s\nbefore:\n%s", after, before)
	}
	for name, want := range map[string]string{filepath.Join(c.Tree, "golden.txt"): "old", filepath.Join(warm, "entry"): "warm"} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("on the host: %q, %v", got, err)
		}
	}
}

func TestIPCObjectsDoNotReachTheNextRun(t *testing.T) { // F31
	b := open(t, config(t, ""))
	first := ok(t, run(t, b, "ipc", "make"))
	if strings.Count(first, " id 0") != 3 || !strings.Contains(first, "mq: done") {
		t.Errorf("made\n%s", first)
	}
	refusedAll(t, ok(t, run(t, b, "ipc", "find")), 4, "no such file or directory", "no message of desired type")
	if again := ok(t, run(t, b, "ipc", "make")); again != first {
		t.Errorf("ids tell of an earlier run:\n%s", again)
	}
}

// What a run wrote to is unmounted while the next is under way, and all of it is.
func TestResetsLeaveNoMounts(t *testing.T) {
	c := config(t, folder(t, map[string]string{"file": "x"}))
	c.Overlays = []fence.Overlay{{At: "/cache/empty"}}
	b := open(t, c)
	mounts := func() int {
		ok(t, run(t, b, "write", "/tree/new", "x"))
		ok(t, run(t, b, "true"))           // is reset for, which puts the run before away
		time.Sleep(200 * time.Millisecond) // until that is unmounted
		r := runCommand(t, b, fence.Command{Argv: []string{"inbox", "cat", "/proc/self/mountinfo"}, Keep: true})
		return strings.Count(ok(t, r), "\n")
	}
	first := mounts()
	for range 20 {
		ok(t, run(t, b, "write", "/tree/new", "x"))
	}
	if last := mounts(); last != first || first < 6 {
		t.Errorf("%d mounts after 20 resets, %d before", last, first)
	}
}

func TestKeepStartsFromWhatWasLeft(t *testing.T) {
	b := open(t, config(t, ""))
	ok(t, run(t, b, "write", "/tmp/left", "here"))
	ok(t, run(t, b, "ipc", "make"))
	ok(t, run(t, b, "write", "/tmp/left", "here"))
	ok(t, runCommand(t, b, fence.Command{Argv: []string{"inbox", "ipc", "make"}, Keep: true}))
	got := ok(t, runCommand(t, b, fence.Command{Argv: []string{"inbox", "ipc", "find"}, Keep: true}))
	if strings.Count(got, " id ") != 3 {
		t.Errorf("ipc objects are gone:\n%s", got)
	}
	got = ok(t, runCommand(t, b, fence.Command{Argv: []string{"inbox", "cat", "/tmp/left"}, Keep: true}))
	if got != "here" {
		t.Errorf("got %q", got)
	}
}

func TestProcessIDsDoNotTellTheRun(t *testing.T) { // C37
	b := open(t, config(t, ""))
	first := ok(t, run(t, b, "whoami"))
	run(t, b, "daemon")
	if again := ok(t, run(t, b, "whoami")); again != first {
		t.Errorf("first %s, later %s", first, again)
	}
}

func TestUpperKeepsWrites(t *testing.T) {
	lower := folder(t, map[string]string{"old": "old"})
	merged, plain := t.TempDir(), t.TempDir()
	for _, dir := range []string{lower, merged, plain} {
		own(t, dir)
	}
	c := config(t, "")
	c.Overlays = []fence.Overlay{{Lower: lower, Upper: merged, At: "/cache/merged"}, {Upper: plain, At: "/cache/plain"}}
	b := open(t, c)
	ok(t, run(t, b, "write", "/cache/merged/new", "kept"))
	ok(t, run(t, b, "write", "/cache/plain/new", "kept"))
	if got := ok(t, run(t, b, "cat", "/cache/merged/old", "/cache/merged/new", "/cache/plain/new")); got != "oldkeptkept" {
		t.Errorf("got %q", got)
	}
	b.Close()
	for _, name := range []string{filepath.Join(merged, "upper/new"), filepath.Join(plain, "new")} {
		if got, err := os.ReadFile(name); err != nil || string(got) != "kept" {
			t.Errorf("on the host: %q, %v", got, err)
		}
	}
}

func TestFilesBelowLane(t *testing.T) {
	c := config(t, "")
	c.Files = map[string]fence.File{"/lane/a/base.json": {Data: []byte("base")}, "/lane/tool": {Data: []byte("x"), Mode: 0o755}}
	b := open(t, c)
	own := fence.Command{Argv: []string{"inbox", "cat", "/lane/a/base.json", "/lane/run/own.json"}, Files: map[string]fence.File{"/lane/run/own.json": {Data: []byte("own")}}}
	if got := ok(t, runCommand(t, b, own)); got != "baseown" {
		t.Errorf("got %q", got)
	}
	if got := ok(t, run(t, b, "list", "/lane")); got != "/lane drwxr-xr-x 1000:1000 1700000000\n"+
		"/lane/a drwxr-xr-x 1000:1000 1700000000\n/lane/a/base.json -r--r--r-- 1000:1000 1700000000\n/lane/tool -rwxr-xr-x 1000:1000 1700000000\n" {
		t.Errorf("the next run finds\n%s", got)
	}
	refusedAll(t, ok(t, run(t, b, "errno", "/lane/a/base.json", "/lane/new")), 2, "read-only file system", "permission denied")
	for _, name := range []string{"/tmp/x", "/lane/../etc/x", "relative", "/lane/a/base.json", "/lane"} {
		_, err := b.Run(t.Context(), fence.Command{Argv: []string{"inbox", "true"}, Files: map[string]fence.File{name: {}}})
		if err == nil {
			t.Errorf("file %q was accepted", name)
		}
	}
	ok(t, run(t, b, "true"))
}
