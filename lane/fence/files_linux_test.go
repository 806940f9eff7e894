//go:build amd64 || arm64

package fence_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/vallane/lane/lane/fence"
)

func TestRootIsReadOnly(t *testing.T) {
	b := open(t, config(t, ""))
	out := ok(t, run(t, b, "errno", "/x", "/etc/passwd", "/bin/x", "/usr/share/zoneinfo/UTC", "/dev/x", "/nix/store/x",
		inboxStore+"/bin/inbox", inboxStore+"/x", "/home/x", "/var/x", "/run/x"))
	refusedAll(t, out, 11, "read-only file system", "permission denied")
}

func TestLinksInTheTreeStayInside(t *testing.T) { // F11
	tree := folder(t, map[string]string{"file": "x"})
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("hunter2"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"shadow": "/etc/shadow", "secret": secret, "root": "/", "loop": "loop", "up": "../../../../.."} {
		if err := os.Symlink(target, filepath.Join(tree, name)); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, config(t, tree))
	for name, want := range map[string]string{
		"shadow": "no such file", "secret": "no such file", "loop": "too many levels", "root" + secret: "no such file", "up" + secret: "no such file",
	} {
		if r := run(t, b, "cat", name); r.Exit != 1 || !strings.Contains(r.Stdout.String(), want) {
			t.Errorf("%s: %s", name, r.Stdout)
		}
	}
	if got := ok(t, run(t, b, "cat", "root/etc/hostname", "up/etc/hostname")); got != "lane\nlane\n" {
		t.Errorf("got %q", got)
	}
	if got := ok(t, run(t, b, "list", "root/home")); strings.Count(got, "\n") != 1 { // a link itself is not followed
		if !strings.Contains(got, "/home/lane") {
			t.Errorf("got %q", got)
		}
	}
}

func TestChangesStayInTheTree(t *testing.T) { // F18
	tree := folder(t, map[string]string{"dir/file": "x", "file": "y"})
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(tree, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("dir", filepath.Join(tree, "inner")); err != nil {
		t.Fatal(err)
	}
	b := open(t, config(t, tree))
	for _, name := range []string{
		"../x", "..", ".", "", "/etc/x", "dir/../../x", "dir/./file", "link/x", "inner/file", "file/below", "dir", "x/../y", "dir/", "a//b",
	} {
		_, err := b.Run(t.Context(), fence.Command{Argv: []string{"inbox", "true"}, Overlay: map[string]fence.Change{name: {Data: []byte("x")}}})
		if err == nil {
			t.Errorf("change of %q was accepted", name)
		}
	}
	if _, err := b.Run(t.Context(), fence.Command{Argv: []string{"inbox", "true"}, Overlay: map[string]fence.Change{"no/such": {Delete: true}}}); err == nil {
		t.Error("deletion of what is not there was accepted")
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 0 {
		t.Errorf("outside the tree: %v, %v", entries, err)
	}
	if got := ok(t, run(t, b, "cat", "dir/file", "file")); got != "xy" {
		t.Errorf("got %q", got)
	}
}

func TestChangesOfEveryKind(t *testing.T) {
	tree := folder(t, map[string]string{"tool": "old", "was/dir/a": "a", "was/dir/b": "b", "file": "f", "ro": "r", "odd\xffname": "o"})
	for name, mode := range map[string]os.FileMode{"tool": 0o755, "ro": 0o444} {
		if err := os.Chmod(filepath.Join(tree, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, config(t, tree))
	r := runCommand(t, b, fence.Command{
		Argv: []string{"inbox", "list", "/tree"},
		Overlay: map[string]fence.Change{
			"tool":        {Data: []byte("new"), Mode: 0o644},
			"ro":          {Data: []byte("new")},
			"was":         {Delete: true}, // a folder, whose place a file takes
			"link":        {Data: []byte("file"), Mode: os.ModeSymlink},
			"file":        {Delete: true},
			"odd\xffname": {Data: []byte("new")},
		},
	})
	var got []string
	for line := range strings.Lines(ok(t, r)) {
		got = append(got, strings.Join(strings.Fields(line)[:2], " "))
	}
	want := []string{"/tree drwxr-xr-x", "/tree/link Lrwxrwxrwx", "/tree/odd\xffname -rw-r--r--", "/tree/ro -r--r--r--", "/tree/tool -rw-r--r--"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q", got)
	}
	r = runCommand(t, b, fence.Command{Argv: []string{"inbox", "cat", "was/dir", "odd\xffname"}, Overlay: map[string]fence.Change{
		"was/dir/a": {Delete: true}, "was/dir/b": {Delete: true}, "was/dir": {Data: []byte("a file now")}, "odd\xffname": {Data: []byte("new")}}})
	if got := ok(t, r); got != "a file nownew" {
		t.Errorf("got %q", got)
	}
}

func TestChangedFileKeepsItsInode(t *testing.T) { // C37
	b := open(t, config(t, folder(t, map[string]string{"a/code.go": "old", "a/other.go": "other"})))
	change := func(data string) string {
		return ok(t, runCommand(t, b, fence.Command{
			Argv:    []string{"inbox", "inode", "a/code.go", "a/other.go", "a", "."},
			Overlay: map[string]fence.Change{"a/code.go": {Data: []byte(data)}},
		}))
	}
	before, after := change("old"), change("new")
	if clean := ok(t, run(t, b, "inode", "a/code.go", "a/other.go")); !strings.HasPrefix(before, clean) {
		t.Errorf("clean file %s, as before but written %s", clean, before)
	}
	if after != before {
		t.Errorf("changed tree:\n%s\nclean tree:\n%s", after, before)
	}
}

func TestFoldersOfTheTreeCanBeReplaced(t *testing.T) { // F35
	b := open(t, config(t, folder(t, map[string]string{"pkg/file": "x"})))
	got := ok(t, run(t, b, "rename-folder", "pkg", "moved"))
	if got != "rename: invalid cross-device link\nmake again: done\nentries 0 <nil>\n" {
		t.Errorf("got %s", got)
	}
}

func TestCollectsRegularFilesOnly(t *testing.T) { // C14
	tree := folder(t, map[string]string{"report.xml": "<ok/>", "big": strings.Repeat("x", 2000), "dir/f": "x"})
	if err := syscall.Mkfifo(filepath.Join(tree, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": "report.xml", "host": "/proc/self/fd/0"} {
		if err := os.Symlink(target, filepath.Join(tree, name)); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, config(t, tree))
	paths := []string{"/tree/report.xml", "/tree/big", "/tree/fifo", "/tree/link", "/tree/host", "/tree/dir", "/tree/none", "/tmp/out"}
	r := runCommand(t, b, fence.Command{Argv: []string{"inbox", "write", "/tmp/out", "left"}, Collect: paths, CollectLimit: 1000})
	ok(t, r)
	if string(r.Collected["/tree/report.xml"]) != "<ok/>" || string(r.Collected["/tmp/out"]) != "left" || len(r.Collected) != 2 {
		t.Errorf("collected %q", r.Collected)
	}
	if len(r.NotCollected) != len(paths)-2 {
		t.Errorf("not collected: %q", r.NotCollected)
	}
}

func TestOwnerMayLockHimselfOut(t *testing.T) { // R13
	b := open(t, config(t, ""))
	got := ok(t, run(t, b, "lock-out"))
	if want := "make: done\nread: permission denied true\nchmod: done\nwrite: permission denied true\n"; got != want {
		t.Errorf("got %s", got)
	}
}

func TestTimeZones(t *testing.T) { // R16
	cache := t.TempDir()
	for _, dir := range []string{"", cache, cache} {
		c := config(t, "")
		c.Cache = dir
		b := open(t, c)
		r := runCommand(t, b, fence.Command{Argv: []string{"inbox", "zone"}, Env: []string{"TZ=Europe/Berlin"}})
		if got := ok(t, r); got != "local 7200 load Australia/Lord_Howe <nil>\n" {
			t.Errorf("got %s", got)
		}
	}
	if entries, err := os.ReadDir(cache); err != nil || len(entries) != 1 {
		t.Errorf("cache holds %v, %v", entries, err)
	}
}

func TestShellAndEnvFromTheClosure(t *testing.T) {
	b := open(t, config(t, ""))
	for link, want := range map[string]string{"/bin/sh": "inbox: no program \"sh\"\n", "/usr/bin/env": "HOME=/home/lane\n"} {
		r := runCommand(t, b, fence.Command{Argv: []string{link}})
		if got := r.Stdout.String() + r.Stderr.String(); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", link, got)
		}
	}
}

func TestStorePathsOfEveryKind(t *testing.T) {
	dir := folder(t, map[string]string{"file": "a file", "folder/x": "in a folder"})
	if err := os.Symlink("/nix/store/b-folder/x", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	c := config(t, "")
	c.StorePaths = append(c.StorePaths,
		fence.Mount{Host: filepath.Join(dir, "file"), Box: "/nix/store/a-file"},
		fence.Mount{Host: filepath.Join(dir, "folder"), Box: "/nix/store/b-folder"},
		fence.Mount{Host: filepath.Join(dir, "link"), Box: "/nix/store/c-link"})
	b := open(t, c)
	if got := ok(t, run(t, b, "cat", "/nix/store/a-file", "/nix/store/c-link")); got != "a filein a folder" {
		t.Errorf("got %q", got)
	}
	for _, bad := range []string{"relative", "/", "/nix/../etc", "/nix/store/"} {
		c.StorePaths = []fence.Mount{{Host: dir, Box: bad}}
		if b, err := fence.Open(t.Context(), c); err == nil {
			b.Close()
			t.Errorf("a store path at %q was accepted", bad)
		}
	}
}
