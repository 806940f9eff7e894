package sources_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/warmup/nar"
	"github.com/vallane/lane/warmup/sources"
	"github.com/vallane/lane/warmup/stage"
)

func gz(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// clients stands in for npm and apt-get: a module, a package and an archive with known files. The
// archive is a Debian package named tool at 1.0-1.
func clients(t *testing.T) (f sources.Fetcher, module map[string]string) {
	t.Helper()
	module = map[string]string{"go.mod": "module example.org/m\n", "data/bin/run.gz": gz(t, "#!run"), "data/lib/a.txt": "a", "data/lib/b.txt.gz": gz(t, "b")}
	f = sources.Fetcher{Environ: proxy(t, module)}
	archive := filepath.Join(t.TempDir(), "tape-5.9.0.tgz")
	writeTgz(t, archive, []tar.Header{{Name: "package/bin/tape", Mode: 0o755}})
	standIn(t, "npm", "cp "+archive+" .\n")

	root := filepath.Join(t.TempDir(), "pkg")
	for _, dir := range []string{"usr/lib", "DEBIAN"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	control := "Package: tool\nVersion: 1.0-1\nArchitecture: all\nMaintainer: none <none@example.org>\nDescription: none\n"
	for name, data := range map[string]string{"usr/lib/tool.so.1": "elf", "DEBIAN/control": control} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"usr/lib/tool.so": "tool.so.1", "usr/bad": "/etc/passwd"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	deb := filepath.Join(t.TempDir(), "tool_1.0-1_all.deb")
	if out, err := exec.Command("dpkg-deb", "--build", "--root-owner-group", root, deb).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	standIn(t, "apt-get", `case $3 in tool|tool=1.0-1) cp `+deb+` . ;; *) echo "E: Version '0' for 'tool' was not found" >&2; exit 100 ;; esac`)
	return f, module
}

func TestPartsAreLaidTogether(t *testing.T) {
	f, module := clients(t)
	m := sources.Archive{GoModule: "example.org/m@v1.0.0"}
	s := sources.Source{
		Name: "env", NarHash: someHash,
		Parts: []sources.Part{
			{Archive: m, NarHash: want(t, module), From: "data/bin/run.gz", To: "bin/run", Gunzip: true, Executable: []string{"bin/*"}},
			{Archive: m, NarHash: want(t, module), From: "data/lib", To: "lib", Gunzip: true},
			{Archive: sources.Archive{Npm: "tape@5.9.0"}, NarHash: want(t, map[string]string{"bin/tape": "package/bin/tape"}, "bin/tape")},
			{Archive: sources.Archive{Deb: "tool=1.0-1"}, From: "usr/lib", To: "lib"},
		},
		Links: map[string]string{"lib64/loader": "../lib/tool.so"},
		Files: map[string]string{"bin/script": "#!/bin/sh\n", "etc/text": "text"},
	}
	_, err := f.Fetch(t.Context(), t.TempDir(), parseOne(t, s))
	var r *stage.Refusal
	if !errors.As(err, &r) || r.Code != stage.SourceMismatch {
		t.Fatalf("the wrong hash gave %v", err)
	}
	dir := t.TempDir()
	files := map[string]string{"bin/run": "#!run", "lib/a.txt": "a", "lib/b.txt": "b", "bin/tape": "package/bin/tape",
		"lib/tool.so.1": "elf", "bin/script": "#!/bin/sh\n", "etc/text": "text"}
	for name, text := range files {
		p := filepath.Join(dir, "want", name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(name, "bin/") {
			mode = 0o755
		}
		if err := os.WriteFile(p, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("tool.so.1", dir+"/want/lib/tool.so"), os.Mkdir(dir+"/want/lib64", 0o755),
		os.Symlink("../lib/tool.so", dir+"/want/lib64/loader")); err != nil {
		t.Fatal(err)
	}
	sum, err := nar.Hash(t.Context(), dir+"/want")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Msg, sum.SRI()) {
		t.Errorf("laid together to something else: %s, want %s", r.Msg, sum.SRI())
	}
}

func TestPartsThatCannotBeLaid(t *testing.T) {
	f, module := clients(t)
	m := sources.Archive{GoModule: "example.org/m@v1.0.0"}
	deb := sources.Archive{Deb: "tool=1.0-1"}
	for name, c := range map[string]struct {
		parts []sources.Part
		says  string
	}{
		"another hash of a part":      {[]sources.Part{{Archive: m, NarHash: someHash}}, "the flake says " + someHash},
		"a folder that is not there":  {[]sources.Part{{Archive: deb, From: "opt"}}, "the archive has no opt"},
		"a file without a name":       {[]sources.Part{{Archive: deb, From: "usr/lib/tool.so.1"}}, "`to` must name it"},
		"a link out of the folder":    {[]sources.Part{{Archive: deb, From: "usr"}}, "bad links to /etc/passwd"},
		"one file twice":              {[]sources.Part{{Archive: deb, From: "usr/lib"}, {Archive: deb, From: "usr/lib"}}, "exists"},
		"what is no gzip":             {[]sources.Part{{Archive: m, NarHash: want(t, module), From: "data/lib/a.txt", To: "a", Gunzip: true}}, "unpack a"},
		"a version that was replaced": {[]sources.Part{{Archive: sources.Archive{Deb: "tool=0"}}}, "tool=0 is not served: E: Version"},
	} {
		_, err := f.Fetch(t.Context(), t.TempDir(), parseOne(t, sources.Source{Name: "env", NarHash: someHash, Parts: c.parts}))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

func TestReplacedVersionsHaveAHint(t *testing.T) {
	f, _ := clients(t)
	_, err := f.Fetch(t.Context(), t.TempDir(), parseOne(t, sources.Source{Name: "tool", NarHash: someHash, Archive: sources.Archive{Deb: "tool=0"}}))
	var gone *sources.Gone
	if !errors.As(err, &gone) || gone.Deb != "tool=0" || !strings.Contains(gone.Hint(), "lane warm --pin") {
		t.Errorf("got %v", err)
	}
}

func TestParseRefusesPartsThatLead(t *testing.T) {
	part := `"parts": [{"deb": "tool=1"}]`
	for name, entry := range map[string]string{
		"a part without a kind":        `"parts": [{}]`,
		"a module without a hash":      `"parts": [{"goModule": "example.org/m@v1.0.0"}]`,
		"a package without a hash":     `"parts": [{"npm": "tape@5.9.0"}]`,
		"an archive beside parts":      part + `, "npm": "tape@5.9.0"`,
		"a hash of what moves":         `"parts": [{"deb": "tool=1", "narHash": "` + someHash + `"}]`,
		"from above":                   `"parts": [{"deb": "tool=1", "from": "../x"}]`,
		"to the root":                  `"parts": [{"deb": "tool=1", "to": "/x"}]`,
		"an open version without pins": `"parts": [{"deb": "tool"}]`,
		"a link that leaves":           part + `, "links": {"a/b": "../../x"}`,
		"a link to the root":           part + `, "links": {"a": "/x"}`,
		"a link at the root":           part + `, "links": {"/a": "x"}`,
		"a link to nothing":            part + `, "links": {"a": ""}`,
		"a file above":                 part + `, "files": {"../a": "x"}`,
		"links without parts":          `"deb": "tool=1", "links": {"a": "b"}`,
		"pins elsewhere":               part + `, "pins": "../x.json"`,
		"pins that are no pins":        part + `, "pins": ".env"`,
	} {
		_, err := sources.ParseOpen([]byte(`[{"name": "x", "narHash": "` + someHash + `", ` + entry + `}]`))
		var r *stage.Refusal
		if !errors.As(err, &r) || r.Code != stage.BadSource {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is open is refused with the command that closes it.
func TestOpenSourcesArePinned(t *testing.T) {
	f, _ := clients(t)
	raw := `[{"name": "env", "narHash": "", "pins": "debian.json", "parts": [{"deb": "tool", "from": "usr/lib", "to": "lib"}]}]`
	_, err := sources.Parse([]byte(raw))
	var r *stage.Refusal
	if !errors.As(err, &r) || r.Code != stage.BadSource || !strings.Contains(r.Msg, "Debian package tool is not pinned in debian.json") || !strings.Contains(r.Tip, "lane warm --pin") {
		t.Fatalf("open sources gave %v", err)
	}
	list, err := sources.ParseOpen([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	_, p, err := f.Pin(t.Context(), t.TempDir(), list[0])
	if err != nil || p.Debs["tool"] != "1.0-1" {
		t.Fatalf("pinned %v, %v", p, err)
	}
	data := sources.Pins{"x86_64-linux": {"env": p}}.Bytes()
	if back, err := sources.ParsePins(data); err != nil || back["x86_64-linux"]["env"].NarHash != p.NarHash {
		t.Errorf("read back %v, %v", back, err)
	}
	closed := strings.NewReplacer(`"deb": "tool"`, `"deb": "tool=1.0-1"`, `"narHash": ""`, `"narHash": "`+p.NarHash+`"`).Replace(raw)
	if list, err = sources.Parse([]byte(closed)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Fetch(t.Context(), t.TempDir(), list[0]); err != nil {
		t.Errorf("fetch what was pinned: %v", err)
	}
}

// A change may name any file as an environment's: only pins are read as pins.
func TestPinsAreNothingElse(t *testing.T) {
	for name, v := range map[string]any{
		"a secret":      map[string]any{"token": "hunter2"},
		"another key":   map[string]any{"x86_64-linux": map[string]any{"env": map[string]any{"narHash": someHash, "debs": map[string]string{}, "more": "x"}}},
		"no hash":       map[string]any{"x86_64-linux": map[string]any{"env": map[string]any{"debs": map[string]string{}}}},
		"an option":     map[string]any{"x86_64-linux": map[string]any{"env": map[string]any{"narHash": someHash, "debs": map[string]string{"tool": "-x"}}}},
		"another thing": "text",
	} {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sources.ParsePins(data); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}
