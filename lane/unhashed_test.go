package lane

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/internal/testserver"
	"github.com/vallane/lane/lane/egress/address"
	"github.com/vallane/lane/lane/fetch"
)

// packageIndex serves one wheel, as package indexes do, from this machine and under a name of its own.
type packageIndex struct {
	network fetch.Network
	url     string // of the index
	host    string // with its port
	sha256  string // of the wheel, in hex
}

const wheelName = "story_dep-1.0.0-py3-none-any.whl"

func newPackageIndex(t *testing.T) *packageIndex {
	var wheel bytes.Buffer
	z := zip.NewWriter(&wheel)
	for _, f := range []struct{ name, text string }{
		{"story_dep.py", "def double(n):\n    return 2 * n\n"},
		{"story_dep-1.0.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: story-dep\nVersion: 1.0.0\n"},
		{"story_dep-1.0.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: story\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
		{"story_dep-1.0.0.dist-info/RECORD", "story_dep.py,,\nstory_dep-1.0.0.dist-info/METADATA,,\nstory_dep-1.0.0.dist-info/WHEEL,,\nstory_dep-1.0.0.dist-info/RECORD,,\n"},
	} {
		w, err := z.Create(f.name)
		must(t, err)
		w.Write([]byte(f.text))
	}
	must(t, z.Close())
	const host = "index.example.org"
	a := testserver.NewAuthority(t)
	port := a.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/simple/story-dep/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, `<a href="/files/%s">%s</a>`, wheelName, wheelName)
		case "/files/" + wheelName:
			w.Write(wheel.Bytes())
		default:
			http.NotFound(w, r)
		}
	}), host)
	return &packageIndex{
		url: "https://" + host + ":" + port + "/simple", host: host + ":" + port, sha256: fmt.Sprintf("%x", sha256.Sum256(wheel.Bytes())),
		network: fetch.Network{Addresses: address.Rules{Loopback: true}, Authorities: a.File, Resolver: testserver.Names{host: {"127.0.0.1"}}},
	}
}

// A requirements file without hashes works, and caps the level by a name; with hashes it does not; a wrong hash is refused by pip.
func TestUnhashedRequirements(t *testing.T) {
	index := newPackageIndex(t)
	for _, c := range []struct {
		name, requirement string
		level             assurance.Level
		refused           bool
	}{
		{"no hash", "story-dep==1.0.0\n", assurance.VAL0, false},
		{"a hash", "story-dep==1.0.0 \\\n    --hash=sha256:" + index.sha256 + "\n", assurance.VAL1, false},
		{"a wrong hash", "story-dep==1.0.0 --hash=sha256:" + strings.Repeat("0", 64) + "\n", assurance.LevelNone, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			lay(t, dir, map[string]string{
				"flake.nix": string(testclosure.ExampleFlake("pip")), "debian.json": string(testclosure.Pins(t, "pip")),
				"requirements.txt": c.requirement,
				"shop.py":          "from story_dep import double\n\n\ndef pair(price):\n    return double(price)\n",
				"test_shop.py":     "from shop import pair\n\n\ndef test_pair():\n    assert pair(2) == 4\n",
				"lane.toml": fmt.Sprintf("id = \"unhashed\"\nchange = \"feature\"\n[source]\nhead = \"change\"\n[env]\nextras = [\"debian.json\"]\n"+
					"fetch = [[\"python3\", \"-m\", \"pip\", \"install\", \"--index-url\", %q, \"--target\", \"/fetched/python\", \"-r\", \"requirements.txt\"]]\nallow = [%q]\n"+
					"[[task]]\nname = \"unit\"\nrun = [\"pytest\"]\n", index.url, index.host),
			})
			git(t, dir, "init", "-q", "-b", "main")
			git(t, dir, "add", "-A")
			git(t, dir, "commit", "-q", "-m", "base")
			branch(t, dir, "change", func() {
				write(t, dir, "shop.py", "from story_dep import double\n\n\ndef pair(price):\n    return double(price)\n\n\ndef packed(price):\n    return double(price) + 1\n")
				write(t, dir, "test_packed.py", "from shop import packed\n\n\ndef test_packed():\n    assert packed(3) == 7\n")
			})
			o := options(t)
			o.Network = index.network
			v := mustCheck(t, o, filepath.Join(dir, "lane.toml"))
			if c.refused {
				if v.Refusal == nil || v.Refusal.Code != "fetch-failed" || !strings.Contains(v.Refusal.Msg, "HASHES") {
					t.Errorf("%s, %+v", v.Status, v.Refusal)
				}
				return
			}
			if v.Outcome != assurance.OutcomePassed || v.Level != c.level {
				t.Errorf("%s %s (%s), want %s", v.Outcome, v.Level, v.Reason, c.level)
			}
			at := slices.IndexFunc(v.Clauses, func(c assurance.Clause) bool { return c.ID == assurance.Clean })
			clean := v.Clauses[at]
			if capped := clean.Code == assurance.CodeUnhashed; capped != (c.level == assurance.VAL0) || capped && clean.Reason != "requirements.txt has no hash for story-dep==1.0.0" {
				t.Errorf("clean: %+v", clean)
			}
		})
	}
}

// A repository that declares no dependencies gets the environment of a spec without a fetch phase, byte for byte: variables, files,
// mounts.
func TestNothingFetchedLeavesNoTrace(t *testing.T) {
	const look = "env | sort; cut -d ' ' -f 2,3 /proc/mounts | sort; find / -path /proc -prune -o -path /nix -prune -o -path /dev -prune -o -exec stat -c '%n %s %a %u' {} + | sort; cat /etc/* 2>/dev/null"
	t.Setenv("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z") // SOURCE_DATE_EPOCH
	var saw [2]string
	for i, fetch := range []string{"", "fetch = [[\"true\"]]\nallow = [\"index.example.org:443\"]\n"} {
		dir := t.TempDir()
		lay(t, dir, map[string]string{
			"flake.nix": string(testclosure.ExampleFlake("pip")), "debian.json": string(testclosure.Pins(t, "pip")), "shop.py": "",
			"lane.toml": "id = \"nothing\"\nchange = \"tree\"\n[env]\nextras = [\"debian.json\"]\n" + fetch + "[[task]]\nname = \"unit\"\nrun = [\"pytest\"]\n",
		})
		git(t, dir, "init", "-q", "-b", "main")
		git(t, dir, "add", "shop.py", "flake.nix", "debian.json") // not the spec, which differs
		git(t, dir, "commit", "-q", "-m", "base")
		var out bytes.Buffer
		r, err := Exec(t.Context(), options(t), filepath.Join(dir, "lane.toml"), ExecOptions{Argv: []string{"sh", "-c", look}, Stdout: &out, Stderr: &out})
		if err != nil || r.Exit != 0 {
			t.Fatalf("%+v, %v: %s", r, err, out.String())
		}
		saw[i] = out.String()
	}
	if !strings.Contains(saw[0], "/tree/shop.py 0 ") || !strings.Contains(saw[0], "PATH=") || !strings.Contains(saw[0], "/tmp tmpfs") {
		t.Fatalf("the look saw too little:\n%s", saw[0])
	}
	if d := cmp.Diff(saw[0], saw[1]); d != "" {
		t.Errorf("with a fetch phase that brought nothing:\n%s", d)
	}
}
