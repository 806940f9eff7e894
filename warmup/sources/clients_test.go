package sources_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/warmup/sources"
)

// standIn puts a program on PATH in place of a client. What it is called with
// goes to the file that is returned; what it does is the script.
func standIn(t *testing.T, name, script string) string {
	t.Helper()
	bin := t.TempDir()
	called := filepath.Join(bin, "called")
	text := "#!/bin/sh\necho \"$*\" >" + called + "\n" + script
	if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	return called
}

func mustHaveBeenCalled(t *testing.T, called, args string) {
	t.Helper()
	if got, err := os.ReadFile(called); err != nil || strings.TrimSpace(string(got)) != args {
		t.Errorf("called with %q, %v; want %q", got, err, args)
	}
}

func TestNpmPackageIsFetchedByNpm(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "tape-5.9.0.tgz")
	writeTgz(t, archive, []tar.Header{{Name: "package/index.js", Mode: 0o644}, {Name: "package/bin/tape", Mode: 0o755}})
	called := standIn(t, "npm", "cp "+archive+" .\n")
	files := map[string]string{"index.js": "package/index.js", "bin/tape": "package/bin/tape"}
	s := parseOne(t, sources.Source{Name: "tape", Archive: sources.Archive{Npm: "tape@5.9.0"}, NarHash: want(t, files, "bin/tape")})
	if _, err := (sources.Fetcher{Environ: os.Environ()}).Fetch(t.Context(), t.TempDir(), s); err != nil {
		t.Fatal(err)
	}
	mustHaveBeenCalled(t, called, "pack --silent --ignore-scripts tape@5.9.0")
}

func TestNpmArchivesHoldFilesOnly(t *testing.T) {
	for name, h := range map[string]tar.Header{
		"a symlink":           {Name: "package/x", Typeflag: tar.TypeSymlink, Linkname: "/etc"},
		"a hard link":         {Name: "package/x", Typeflag: tar.TypeLink, Linkname: "package/index.js"},
		"a device":            {Name: "package/x", Typeflag: tar.TypeChar},
		"a name that leaves":  {Name: "package/../../x"},
		"a name at the top":   {Name: "x"},
		"an absolute name":    {Name: "/x"},
		"the same name twice": {Name: "package/index.js"},
	} {
		archive := filepath.Join(t.TempDir(), "x.tgz")
		writeTgz(t, archive, []tar.Header{{Name: "package/index.js", Mode: 0o644}, h})
		standIn(t, "npm", "cp "+archive+" .\n")
		s := parseOne(t, sources.Source{Name: "tape", Archive: sources.Archive{Npm: "tape@5.9.0"}, NarHash: someHash})
		_, err := (sources.Fetcher{Environ: os.Environ()}).Fetch(t.Context(), t.TempDir(), s)
		if err == nil || !strings.Contains(err.Error(), "unpack x.tgz") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// writeTgz writes an archive in which each file holds its own name.
func writeTgz(t *testing.T, path string, headers []tar.Header) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, h := range headers {
		var data string
		if h.Typeflag == 0 {
			data = h.Name
			h.Size = int64(len(data))
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestDebianPackageIsFetchedByApt(t *testing.T) {
	root := filepath.Join(t.TempDir(), "pkg")
	files := map[string]string{"usr/bin/tool": "#!", "usr/share/doc/tool/copyright": "free"}
	for name, data := range files {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(data), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "DEBIAN"), 0o755); err != nil {
		t.Fatal(err)
	}
	control := "Package: tool\nVersion: 1.0-1\nArchitecture: all\nMaintainer: none <none@example.org>\nDescription: none\n"
	if err := os.WriteFile(filepath.Join(root, "DEBIAN", "control"), []byte(control), 0o644); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(t.TempDir(), "tool_1.0-1_all.deb")
	if out, err := exec.Command("dpkg-deb", "--build", "--root-owner-group", root, archive).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	called := standIn(t, "apt-get", "cp "+archive+" .\n")
	s := parseOne(t, sources.Source{Name: "tool", Archive: sources.Archive{Deb: "tool=1.0-1"}, NarHash: want(t, files, "usr/bin/tool", "usr/share/doc/tool/copyright")})
	if _, err := (sources.Fetcher{Environ: os.Environ()}).Fetch(t.Context(), t.TempDir(), s); err != nil {
		t.Fatal(err)
	}
	mustHaveBeenCalled(t, called, "-qq download tool=1.0-1")
}
