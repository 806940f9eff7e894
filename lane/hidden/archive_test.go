package hidden_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/vallane/lane/lane/hidden"
)

// pack makes an archive of headers; a regular file has its name as its content, unless it says another size.
func pack(t testing.TB, all ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, h := range all {
		text := ""
		if h.Typeflag == tar.TypeReg {
			if text = h.Name; h.Size > 0 {
				text = strings.Repeat("\x00", int(h.Size))
			}
			h.Size = int64(len(text))
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func file(name string) tar.Header {
	return tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644}
}

// Whatever could leave the place that an archive is unpacked to, or fill the machine, is refused before anything is written.
func TestArchivesThatAreRefused(t *testing.T) {
	many := make([]tar.Header, hidden.MaxFiles+1)
	for i := range many {
		many[i] = tar.Header{Name: fmt.Sprintf("d%d/", i), Typeflag: tar.TypeDir}
	}
	special := func(kind byte) tar.Header {
		return tar.Header{Name: "x", Typeflag: kind, Linkname: "y", Mode: 0o644}
	}
	for _, c := range []struct {
		name string
		all  []tar.Header
		want string
	}{
		{"absolute", []tar.Header{file("/etc/cron.d/x")}, "leaves the archive"},
		{"climbs", []tar.Header{file("../x")}, "leaves the archive"},
		{"climbs in the middle", []tar.Header{file("a/../../x")}, "leaves the archive"},
		{"doubled", []tar.Header{file("a//x")}, "leaves the archive"},
		{"backslash", []tar.Header{file(`a\..\x`)}, "no name may have"},
		{"acts on a terminal", []tar.Header{file("a\x1b[2J")}, "no name may have"},
		{"no UTF-8", []tar.Header{{Name: "a\xff", Typeflag: tar.TypeReg, Format: tar.FormatGNU}}, "no name may have"},
		{"git's own", []tar.Header{file("a/.GIT/hooks/post-checkout")}, "git's own"},
		{"long", []tar.Header{file(strings.Repeat("a", 1025))}, "more than 1024 bytes"},
		{"symbolic link", []tar.Header{special(tar.TypeSymlink)}, "is a link"},
		{"hard link", []tar.Header{special(tar.TypeLink)}, "is a link"},
		{"character device", []tar.Header{special(tar.TypeChar)}, "no file and no folder"},
		{"block device", []tar.Header{special(tar.TypeBlock)}, "no file and no folder"},
		{"pipe", []tar.Header{special(tar.TypeFifo)}, "no file and no folder"},
		{"twice", []tar.Header{file("a"), file("a")}, "there twice"},
		{"file and folder", []tar.Header{file("a"), file("a/b")}, "file and a folder"},
		{"folder and file", []tar.Header{file("a/b"), file("a")}, "there twice"},
		{"too many", many, "more than 10000 files"},
		{"empty", nil, "holds no file"},
		{"names no test", []tar.Header{file("a"), {Name: hidden.RequiredFile, Typeflag: tar.TypeReg, Size: 1}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := hidden.Parse(pack(t, c.all...))
			if c.want == "" {
				if err != nil || !slices.Equal(a.Required, []string{"\x00"}) {
					t.Fatalf("%+v, %v", a, err)
				}
				return
			}
			var bad *hidden.Bad
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(bad.Archive.Digest, "sha256:") {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	// Bombs: a file of holes, and one whose bytes are never there.
	for _, h := range []tar.Header{{Size: hidden.MaxSize + 1}, {Size: 1 << 40, Format: tar.FormatGNU}} {
		h.Name, h.Typeflag = "bomb", tar.TypeReg
		var b bytes.Buffer
		z, _ := zstd.NewWriter(&b)
		must(t, tar.NewWriter(z).WriteHeader(&h))
		_, err := z.Write(make([]byte, 1<<20))
		must(t, errors.Join(err, z.Close()))
		if _, err := hidden.Parse(b.Bytes()); err == nil || !strings.Contains(err.Error(), "more than") {
			t.Errorf("a bomb: %v", err)
		}
	}
	// Two whose sizes together are more than a number holds.
	var b bytes.Buffer
	z, _ := zstd.NewWriter(&b)
	w := tar.NewWriter(z)
	must(t, w.WriteHeader(&tar.Header{Name: "a", Typeflag: tar.TypeReg, Size: 1}))
	w.Write([]byte("a"))
	must(t, w.WriteHeader(&tar.Header{Name: "b", Typeflag: tar.TypeReg, Size: math.MaxInt64, Format: tar.FormatGNU}))
	must(t, z.Close())
	if _, err := hidden.Parse(b.Bytes()); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("sizes that overflow: %v", err)
	}
	for _, data := range [][]byte{nil, []byte("no archive"), pack(t, file("a"))[:30], append(pack(t, file("a")), "rest"...)} {
		if _, err := hidden.Parse(data); err == nil {
			t.Errorf("%d bytes that are no archive are one", len(data))
		}
	}
}

func TestOpen(t *testing.T) {
	name := filepath.Join(t.TempDir(), "h.tar.zst")
	exec := file("bin/run")
	exec.Mode = 0o4777
	data := pack(t, tar.Header{Name: "./", Typeflag: tar.TypeDir}, exec, file("./a_test.go"), file(hidden.RequiredFile))
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := hidden.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Files) != 2 || a.Files[0].Name != "a_test.go" || string(a.Files[0].Data) != "./a_test.go" || a.Files[1].Mode() != 0o755 || a.Files[0].Mode() != 0o644 ||
		!slices.Equal(a.Required, []string{hidden.RequiredFile}) || a.Size != int64(len(data)) {
		t.Errorf("%+v", a)
	}
	for _, name := range []string{t.TempDir(), "nowhere"} {
		if _, err := hidden.Open(name); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

// A hidden file wins over whatever the change has put at its path, and no link of the change leads a write elsewhere.
func TestLay(t *testing.T) {
	base, outside := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"a.py": "a", "d\xff/c.py": "c", "tests/test_b.py": "mine", "ro": "r", "acceptance": "a file where a folder should be"} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(base, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(base, name), []byte(text), 0o644))
	}
	must(t, os.Chmod(filepath.Join(base, "ro"), 0o444))
	must(t, os.Symlink(outside, filepath.Join(base, "out")))
	must(t, os.Symlink("tests/test_b.py", filepath.Join(base, "link.py")))
	must(t, os.Symlink("nowhere", filepath.Join(base, "dangling")))
	a, err := hidden.Parse(pack(t, file("tests/test_b.py"), file("acceptance/x.py"), file("out/y.py"), file("link.py"), file("new/z.py"), file("dangling")))
	must(t, err)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	dir := t.TempDir()
	n, err := a.Lay(base, hidden.Place{Dir: dir, Owner: -1, Time: at})
	if err != nil || n != 5 {
		t.Fatalf("%d paths gave way, %v", n, err)
	}
	for _, name := range []string{"tests/test_b.py", "acceptance/x.py", "out/y.py", "link.py", "new/z.py", "dangling"} {
		st, err := os.Lstat(filepath.Join(dir, name))
		must(t, err)
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != name || st.Mode() != 0o644 || !st.ModTime().Equal(at) {
			t.Errorf("%s: %q %s %s %v", name, data, st.Mode(), st.ModTime(), err)
		}
	}
	if st, err := os.Stat(filepath.Join(dir, "ro")); err != nil || st.Mode() != 0o444 {
		t.Errorf("a file of the tree: %v, %v", st, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "d\xff/c.py")); err != nil || string(data) != "c" {
		t.Errorf("a file in a folder whose name is no UTF-8: %q, %v", data, err)
	}
	if left, _ := os.ReadDir(outside); len(left) != 0 {
		t.Errorf("something was written outside: %v", left)
	}
	if data, _ := os.ReadFile(filepath.Join(base, "tests/test_b.py")); string(data) != "mine" {
		t.Error("the tree itself was changed")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(pack(f, file("a"), file("b/c")))
	f.Add(pack(f, file("../a")))
	f.Add(pack(f, tar.Header{Name: "x", Typeflag: tar.TypeSymlink, Linkname: "/"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := hidden.Parse(data)
		if err != nil {
			return
		}
		for _, x := range a.Files {
			if !fs.ValidPath(x.Name) || x.Name == "." {
				t.Errorf("the name %q leaves the archive", x.Name)
			}
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
