package lane

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/dirhash"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/internal/testserver"
	"github.com/vallane/lane/lane/egress/address"
	"github.com/vallane/lane/lane/fetch"
)

// moduleProxy serves one Go module, as module proxies do, from this machine and under a name of its own.
type moduleProxy struct {
	network fetch.Network
	port    string
	sums    string // lines of go.sum
	asked   atomic.Int64
}

const proxyHost = "goproxy.example.org"

func newModuleProxy(t *testing.T) *moduleProxy {
	const mod = "module story.example/dep\n\ngo 1.24\n"
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for name, text := range map[string]string{"go.mod": mod, "dep.go": "package dep\n\nfunc Double(n int) int { return 2 * n }\n"} {
		w, err := z.Create("story.example/dep@v1.0.0/" + name)
		must(t, err)
		w.Write([]byte(text))
	}
	must(t, z.Close())
	file := filepath.Join(t.TempDir(), "dep.zip")
	must(t, os.WriteFile(file, archive.Bytes(), 0o644))
	sum, err := dirhash.HashZip(file, dirhash.Hash1)
	must(t, err)
	modSum, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(mod)), nil })
	must(t, err)
	p := &moduleProxy{sums: fmt.Sprintf("story.example/dep v1.0.0 %s\nstory.example/dep v1.0.0/go.mod %s\n", sum, modSum)}
	a := testserver.NewAuthority(t)
	p.port = a.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.asked.Add(1)
		switch r.URL.Path {
		case "/story.example/dep/@v/v1.0.0.info":
			fmt.Fprint(w, `{"Version":"v1.0.0"}`)
		case "/story.example/dep/@v/v1.0.0.mod":
			fmt.Fprint(w, mod)
		case "/story.example/dep/@v/v1.0.0.zip":
			w.Write(archive.Bytes())
		default:
			http.NotFound(w, r)
		}
	}), proxyHost)
	p.network = fetch.Network{Addresses: address.Rules{Loopback: true}, Authorities: a.File, Resolver: testserver.Names{proxyHost: {"127.0.0.1"}}}
	return p
}

// repo is a repository whose code needs the module, with a change that uses more of it.
func (p *moduleProxy) repo(t *testing.T, allow string, sums string) string {
	dir := t.TempDir()
	write(t, dir, "flake.nix", string(testclosure.Flake()))
	write(t, dir, "go.mod", "module story.example/shop\n\ngo 1.24\n\nrequire story.example/dep v1.0.0\n")
	write(t, dir, "go.sum", sums)
	write(t, dir, "shop.go", "package shop\n\nimport \"story.example/dep\"\n\nfunc Pair(price int) int { return dep.Double(price) }\n")
	write(t, dir, "shop_test.go", "package shop\n\nimport \"testing\"\n\nfunc TestPair(t *testing.T) {\n\tif Pair(2) != 4 {\n\t\tt.Error(\"a pair of 2\")\n\t}\n}\n")
	fetch := `["go", "mod", "download"]`
	if allow != "@go" {
		fetch = fmt.Sprintf(`["go", "env", "-w", "GOPROXY=https://%s:%s"], `, proxyHost, p.port) + fetch
	}
	write(t, dir, "lane.toml", specOf("change")+fmt.Sprintf("\n[env]\nfetch = [%s]\nallow = [%q]\n", fetch, allow))
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "base")
	branch(t, dir, "change", func() {
		write(t, dir, "shop.go", "package shop\n\nimport \"story.example/dep\"\n\nfunc Pair(price int) int { return dep.Double(price) }\n\n"+
			"func Packed(price int) int {\n\tif price > 10 {\n\t\treturn dep.Double(price) - 1\n\t}\n\treturn dep.Double(price)\n}\n")
		write(t, dir, "packed_test.go", "package shop\n\nimport \"testing\"\n\nfunc TestPacked(t *testing.T) {\n\tfor price, want := range map[int]int{10: 20, 11: 21, 12: 23} {\n"+
			"\t\tif got := Packed(price); got != want {\n\t\t\tt.Errorf(\"Packed(%d) = %d\", price, got)\n\t\t}\n\t}\n}\n")
	})
	return dir
}

// A module that only the fetch phase can bring is there in the runs, for types and for mutants; it is fetched once; and the proxy that
// brought it answers nobody after the cut (E10).
func TestFetchPhase(t *testing.T) {
	p := newModuleProxy(t)
	dir := p.repo(t, proxyHost+":"+p.port, p.sums)
	o := options(t)
	o.Network = p.network
	v := mustCheck(t, o, filepath.Join(dir, "lane.toml"))
	if v.Outcome != assurance.OutcomePassed || v.Level != assurance.VAL1 {
		t.Fatalf("%s %s (%s), want passed VAL-1", v.Outcome, v.Level, v.Reason)
	}
	if len(v.Fetched) != 1 {
		t.Fatalf("fetched: %+v", v.Fetched)
	}
	f := v.Fetched[0]
	if f.Kept || f.Digest == "" || len(f.Trees) != 3 || len(f.Hosts) != 1 || f.Hosts[0].Host != proxyHost || f.Hosts[0].Received < 500 || f.Hosts[0].Refused != "" {
		t.Errorf("fetched: %+v", f)
	}
	if got := strings.Join(f.Manifests, " "); got != "go.mod go.sum" {
		t.Errorf("the fetch box saw %s", got)
	}
	probe := v.Evidence.Observations["probe/unit"].Probe
	if probe == nil || probe.Tried != 2 || probe.Control != 2 || probe.Reached != 0 {
		t.Errorf("the probe: %+v", probe)
	}
	asked := p.asked.Load()
	v = mustCheck(t, o, filepath.Join(dir, "lane.toml"))
	if len(v.Fetched) != 1 || !v.Fetched[0].Kept || v.Fetched[0].Digest != f.Digest || p.asked.Load() != asked {
		t.Errorf("again: %+v, %d requests more", v.Fetched, p.asked.Load()-asked)
	}

	// What is kept is held to its digest, too.
	kept := keptFiles(t, o, f.Digest)
	if err := errors.Join(os.Chmod(kept[0], 0o644), os.WriteFile(kept[0], []byte("package evil\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	v = mustCheck(t, o, filepath.Join(dir, "lane.toml"))
	if v.Refusal == nil || v.Refusal.Code != "fetch-failed" || !strings.Contains(v.Refusal.Msg, "no longer what it was") {
		t.Errorf("changed: %s (%s), %+v", v.Outcome, v.Reason, v.Refusal)
	}
}

// keptFiles are the files of Go in what was fetched last with this digest: others keep theirs beside it.
func keptFiles(t *testing.T, o Options, digest string) (files []string) {
	dirs, err := os.ReadDir(o.fetched().Dir)
	if err != nil {
		t.Fatal(err)
	}
	var newest time.Time
	for _, d := range dirs {
		dir := filepath.Join(o.fetched().Dir, d.Name())
		b, err := fetch.Read(dir)
		info, serr := os.Stat(filepath.Join(dir, "fetched.json"))
		if err != nil || serr != nil || b.Digest != digest || info.ModTime().Before(newest) {
			continue
		}
		newest = info.ModTime()
		found, err := filepath.Glob(filepath.Join(fetch.CachesOf(dir), "go-mod", "*", "*", "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		files = found
	}
	if len(files) == 0 {
		t.Fatal("nothing is kept")
	}
	return files
}

// What a person runs in the fetch phase reaches what the phase's own commands reach, and is not kept.
func TestExecInFetchPhase(t *testing.T) {
	p := newModuleProxy(t)
	dir := p.repo(t, "@go", p.sums)
	t.Setenv("GOPROXY", "https://"+proxyHost+":"+p.port+",direct")
	o := options(t)
	o.Network = p.network
	for range 2 {
		asked := p.asked.Load()
		var out bytes.Buffer
		r, err := Exec(t.Context(), o, filepath.Join(dir, "lane.toml"), ExecOptions{Phase: FetchPhase, Argv: []string{"go", "mod", "download"}, Stdout: &out, Stderr: &out})
		if err != nil || r != (ExecResult{}) || p.asked.Load() == asked {
			t.Fatalf("%+v, %v, asked for %d: %s", r, err, p.asked.Load()-asked, out.String())
		}
	}
}

// A client's name stands for the registry that this machine's client is configured to ask.
func TestFetchPhaseByTheClientsRegistry(t *testing.T) {
	p := newModuleProxy(t)
	dir := p.repo(t, "@go", p.sums)
	o := options(t)
	o.Network = p.network
	t.Setenv("GOPROXY", "https://"+proxyHost+":"+p.port+",direct")
	v := mustCheck(t, o, filepath.Join(dir, "lane.toml"))
	if v.Outcome != assurance.OutcomePassed || len(v.Fetched) != 1 || len(v.Fetched[0].Hosts) != 1 || v.Fetched[0].Hosts[0].Host != proxyHost {
		t.Fatalf("%s (%s), fetched %+v", v.Outcome, v.Reason, v.Fetched)
	}
}

// A fetch phase that fails is refused by its name, with what failed and which host was not served. It is never the change's fault.
func TestFetchPhaseFails(t *testing.T) {
	p := newModuleProxy(t)
	closed := p.network
	closed.Addresses = address.Rules{}
	for _, c := range []struct {
		name, allow, sums string
		network           fetch.Network
		says, refused     string
	}{
		{"the host is not on the list", "registry.example.org:443", p.sums, p.network, proxyHost + ":" + p.port + ": not-allowed", "not-allowed"},
		{"the host is of this machine", proxyHost + ":" + p.port, p.sums, closed, proxyHost + ":" + p.port + ": bad-address", "bad-address"},
		{"the lock says another hash", proxyHost + ":" + p.port, strings.Replace(p.sums, "h1:", "h1:A", 1), p.network, "checksum mismatch", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := p.repo(t, c.allow, c.sums)
			o := options(t)
			o.Network = c.network
			v := mustCheck(t, o, filepath.Join(dir, "lane.toml"))
			if v.Status != assurance.StatusRefused || v.Refusal.Code != "fetch-failed" || v.Blame == "patch" {
				t.Fatalf("%s %s %+v", v.Status, v.Outcome, v.Refusal)
			}
			if !strings.Contains(v.Refusal.Msg, c.says) {
				t.Errorf("it says:\n%s\nwant %s", v.Refusal.Msg, c.says)
			}
			if len(v.Fetched) != 1 || c.refused != "" && (len(v.Fetched[0].Hosts) != 1 || v.Fetched[0].Hosts[0].Refused != c.refused) {
				t.Errorf("fetched: %+v", v.Fetched)
			}
		})
	}
}

// A change that brings a dependency has it, and base does not: each tree lies above what its own manifests name.
func TestFetchPhaseOfANewDependency(t *testing.T) {
	p := newModuleProxy(t)
	dir := t.TempDir()
	write(t, dir, "flake.nix", string(testclosure.Flake()))
	write(t, dir, "go.mod", "module story.example/shop\n\ngo 1.24\n")
	write(t, dir, "shop.go", "package shop\n\nfunc Pair(price int) int { return price * 2 }\n")
	write(t, dir, "shop_test.go", "package shop\n\nimport \"testing\"\n\nfunc TestPair(t *testing.T) {\n\tif Pair(2) != 4 {\n\t\tt.Error(\"a pair of 2\")\n\t}\n}\n")
	write(t, dir, "lane.toml", strings.ReplaceAll(specOf("change"), `"feature"`, `"refactor"`)+"\n[env]\nfetch = [[\"go\", \"mod\", \"download\"]]\nallow = [\"@go\"]\n")
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "base")
	branch(t, dir, "change", func() {
		write(t, dir, "go.mod", "module story.example/shop\n\ngo 1.24\n\nrequire story.example/dep v1.0.0\n")
		write(t, dir, "go.sum", p.sums)
		write(t, dir, "shop.go", "package shop\n\nimport \"story.example/dep\"\n\nfunc Pair(price int) int { return dep.Double(price) }\n")
	})
	o := options(t)
	o.Network = p.network
	t.Setenv("GOPROXY", "https://"+proxyHost+":"+p.port)
	v := mustCheck(t, o, filepath.Join(dir, "lane.toml"))
	if v.Outcome != assurance.OutcomePassed || len(v.Fetched) != 2 {
		t.Fatalf("%s (%s), fetched %+v", v.Outcome, v.Reason, v.Fetched)
	}
	base, head := v.Fetched[0], v.Fetched[1]
	if len(base.Hosts) != 0 || len(base.Trees) != 2 || len(head.Hosts) != 1 || !slices.Equal(head.Trees, []assurance.TreeRole{assurance.Head}) || base.Digest == head.Digest {
		t.Errorf("base %+v\nhead %+v", base, head)
	}
	if !slices.ContainsFunc(v.Notes, func(n string) bool { return strings.Contains(n, "the change edits manifests or lock files") }) {
		t.Errorf("notes: %q", v.Notes)
	}
}
