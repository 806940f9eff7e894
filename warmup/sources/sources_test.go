package sources_test

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vallane/lane/warmup/nar"
	"github.com/vallane/lane/warmup/sources"
	"github.com/vallane/lane/warmup/stage"
)

const someHash = "sha256-2K2SbG1izp0sk1F0iFm06B9yjumIe1+Ds7UNH1wX00M="

func TestParseTakesWhatIsPinned(t *testing.T) {
	list, err := sources.Parse([]byte(`[
		{"name": "go-1.26.8", "narHash": "` + someHash + `", "goModule": "golang.org/toolchain@v0.0.1-go1.26.8.linux-amd64"},
		{"name": "tape", "narHash": "` + someHash + `", "npm": "@scope/tape@5.9.0"},
		{"name": "busybox", "narHash": "` + someHash + `", "deb": "busybox-static:amd64=1:1.36.1-9+b2", "executable": ["bin/*"]}
	]`))
	if err != nil || len(list) != 3 {
		t.Fatal(list, err)
	}
	// The go command gives a toolchain its run bits; so does Lane, unasked.
	if got := strings.Join(list[0].Executable, " "); got != "bin/* pkg/tool/*/*" {
		t.Errorf("run bits of the toolchain: %q", got)
	}
	if nar.SRI(list[0].Sum()) != someHash {
		t.Errorf("hash %s", nar.SRI(list[0].Sum()))
	}
	if list, err := sources.Parse([]byte(`[]`)); err != nil || len(list) != 0 {
		t.Errorf("an empty list: %v, %v", list, err)
	}
}

func TestParseRefusesWhatMovesOrLeads(t *testing.T) {
	entry := func(kind, value string) string {
		return fmt.Sprintf(`[{"name": "x", "narHash": %q, %q: %q}]`, someHash, kind, value)
	}
	for name, data := range map[string]string{
		"no list":               `{}`,
		"an unknown key":        `[{"name": "x", "narHash": "` + someHash + `", "url": "http://x"}]`,
		"no kind":               `[{"name": "x", "narHash": "` + someHash + `"}]`,
		"two kinds":             `[{"name": "x", "narHash": "` + someHash + `", "npm": "a@1.0.0", "deb": "aa=1"}]`,
		"no hash":               `[{"name": "x", "npm": "a@1.0.0"}]`,
		"another kind of hash":  `[{"name": "x", "narHash": "md5:00", "npm": "a@1.0.0"}]`,
		"a name with a slash":   `[{"name": "../x", "narHash": "` + someHash + `", "npm": "a@1.0.0"}]`,
		"a hidden name":         `[{"name": ".x", "narHash": "` + someHash + `", "npm": "a@1.0.0"}]`,
		"one name twice":        strings.Replace(entry("npm", "a@1.0.0"), "]", ","+entry("npm", "a@1.0.0")[1:], 1),
		"a broken pattern":      `[{"name": "x", "narHash": "` + someHash + `", "npm": "a@1.0.0", "executable": ["[" ]}]`,
		"an absolute pattern":   `[{"name": "x", "narHash": "` + someHash + `", "npm": "a@1.0.0", "executable": ["/bin/*" ]}]`,
		"a module at latest":    entry("goModule", "example.org/m@latest"),
		"a module without":      entry("goModule", "example.org/m"),
		"a module at a branch":  entry("goModule", "example.org/m@main"),
		"a module as option":    entry("goModule", "-modfile=x@v1.0.0"),
		"a module as a path":    entry("goModule", "../m@v1.0.0"),
		"a package at a tag":    entry("npm", "tape@latest"),
		"a package range":       entry("npm", "tape@^5.0.0"),
		"a package by URL":      entry("npm", "tape@https://x/y.tgz"),
		"a package by path":     entry("npm", "file:../x@1.0.0"),
		"a package as option":   entry("npm", "--registry=x@1.0.0"),
		"an archive without":    entry("deb", "busybox"),
		"an archive as option":  entry("deb", "-o=1"),
		"an archive of release": entry("deb", "busybox/sid"),
	} {
		_, err := sources.Parse([]byte(data))
		var r *stage.Refusal
		if !errors.As(err, &r) || r.Code != stage.BadSource {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`[{"name": "x", "narHash": "` + someHash + `", "npm": "a@1.0.0"}]`))
	f.Add([]byte(`[{"name": "x", "narHash": "", "pins": "p.json", "parts": [{"deb": "tool", "from": "usr", "to": "a"}], "links": {"b": "a/c"}}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := sources.ParseOpen(data)
		if err != nil {
			return
		}
		for _, s := range list {
			archives := []sources.Archive{s.Archive}
			for _, p := range s.Parts {
				archives = append(archives, p.Archive)
			}
			for _, a := range archives {
				for _, arg := range []string{a.GoModule, a.Npm, a.Deb} {
					if strings.HasPrefix(arg, "-") || strings.ContainsAny(arg, " \n\x00") {
						t.Errorf("%q would reach a client", arg)
					}
				}
			}
		}
	})
}

// proxy is a folder that serves one module, example.org/m at v1.0.0, as the go
// command's module proxies do.
func proxy(t *testing.T, files map[string]string) []string {
	t.Helper()
	dir := t.TempDir()
	at := filepath.Join(dir, "example.org", "m", "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	put := func(name, data string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(at, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("list", "v1.0.0\n")
	put("v1.0.0.info", `{"Version":"v1.0.0"}`)
	put("v1.0.0.mod", "module example.org/m\n")
	f, err := os.Create(filepath.Join(at, "v1.0.0.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for name, data := range files {
		w, err := z.Create("example.org/m@v1.0.0/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	t.Cleanup(func() { makeWritable(cache) })
	// GOFLAGS and GOWORK of the caller must not matter.
	return append(os.Environ(), "GOPROXY=file://"+dir, "GOSUMDB=off", "GOMODCACHE="+cache, "GOFLAGS=-mod=vendor", "GOWORK="+dir)
}

// makeWritable lets a module cache be removed by an ordinary user.
func makeWritable(dir string) {
	_ = exec.Command("chmod", "-R", "u+w", dir).Run()
}

func parseOne(t *testing.T, s sources.Source) sources.Source {
	t.Helper()
	data, err := json.Marshal([]sources.Source{s})
	if err != nil {
		t.Fatal(err)
	}
	list, err := sources.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return list[0]
}

// want is the hash of the folder with these files, of which those named run are
// executable.
func want(t *testing.T, files map[string]string, run ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "want")
	for name, data := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range run {
		if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	sum, err := nar.Hash(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return sum.SRI()
}

func TestGoModuleIsFetchedByTheMachinesGo(t *testing.T) {
	files := map[string]string{"go.mod": "module example.org/m\n", "bin/run": "#!", "bin/sub/no": "n", "m.go": "package m\n"}
	f := sources.Fetcher{Environ: proxy(t, files)}
	s := parseOne(t, sources.Source{Name: "m-1.0.0", Archive: sources.Archive{GoModule: "example.org/m@v1.0.0"}, NarHash: want(t, files, "bin/run"), Executable: []string{"bin/*"}})
	dir, err := f.Fetch(t.Context(), t.TempDir(), s)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(dir) != "m-1.0.0" {
		t.Errorf("fetched to %s", dir)
	}
}

func TestAnotherHashIsRefusedWithBoth(t *testing.T) {
	files := map[string]string{"go.mod": "module example.org/m\n"}
	f := sources.Fetcher{Environ: proxy(t, files)}
	s := parseOne(t, sources.Source{Name: "m", Archive: sources.Archive{GoModule: "example.org/m@v1.0.0"}, NarHash: someHash})
	_, err := f.Fetch(t.Context(), t.TempDir(), s)
	var r *stage.Refusal
	if !errors.As(err, &r) || r.Code != stage.SourceMismatch || !strings.Contains(r.Msg, someHash) || !strings.Contains(r.Msg, want(t, files)) {
		t.Errorf("got %v", err)
	}
}

func TestAFailedFetchSaysWhy(t *testing.T) {
	f := sources.Fetcher{Environ: proxy(t, map[string]string{"go.mod": "module example.org/m\n"})}
	s := parseOne(t, sources.Source{Name: "m", Archive: sources.Archive{GoModule: "example.org/absent@v1.0.0"}, NarHash: someHash})
	_, err := f.Fetch(t.Context(), t.TempDir(), s)
	if err == nil || !strings.Contains(err.Error(), "fetch Go module example.org/absent@v1.0.0: ") || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("an absent module gave %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	_, err = f.Fetch(t.Context(), t.TempDir(), s)
	var none *sources.NoClient
	if !errors.As(err, &none) || none.Program != "go" || !strings.Contains(none.Hint(), "install go") {
		t.Errorf("a missing client gave %v", err)
	}
}
