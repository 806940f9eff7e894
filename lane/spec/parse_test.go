package spec

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// withTask makes the least valid spec out of some lines at its top; tables in
// them are fine, the task follows.
func withTask(top string) string {
	return "id = \"x\"\n" + top + "\n[[task]]\nname = \"unit\"\nrun = [\"true\"]\n"
}

func mustParse(t testing.TB, text string) *Spec {
	t.Helper()
	s, err := Parse("lane.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var onlyData = cmpopts.IgnoreFields(Spec{}, "Digest", "FileDigest", "index")

func TestDefaults(t *testing.T) {
	s := mustParse(t, string(read(t, "good/smallest.toml")["testdata/good/smallest.toml"]))
	want := &Spec{
		Name: "lane.toml", ID: "first", Title: "first", Change: "feature",
		Source:   Source{Repo: ".", Base: "main", Head: "HEAD"},
		Env:      Env{Flake: ".#lane-env", Extras: []string{}, Accept: []string{}, Fetch: [][]string{}, Allow: []string{}, Tree: "overlay", Fence: "local"},
		Criteria: []Criterion{},
		Tasks: []Task{{
			Name: "unit", Run: []string{"go", "test", "./..."}, Reporter: "auto", Timeout: 5 * time.Minute, Dir: ".",
			Env: map[string]string{}, Tests: []string{}, Flake: ".#lane-env", Fetch: [][]string{}, Allow: []string{},
		}},
		Tests:     Tests{Required: []string{}, Removes: []string{}},
		Stability: Stability{Runs: 3, Vary: []string{"order", "timezone", "hash-seed"}},
		Mutation:  Mutation{Scope: "diff", Budget: 15 * time.Minute},
		Limits:    Limits{Deadline: time.Hour, Memory: 2 << 30, Processes: 512, CPUs: 2},
		Assurance: Assurance{Require: 1, Protect: []string{}},
		Defaults: map[string]bool{
			"title": true, "change": true,
			"source.repo": true, "source.base": true, "source.head": true, "source.patch": true, "source.git": true,
			"env.flake": true, "env.extras": true, "env.accept": true, "env.fetch": true, "env.allow": true, "env.tree": true, "env.fence": true,
			"task[0].kind": true, "task[0].reporter": true, "task[0].timeout": true, "task[0].dir": true, "task[0].env": true, "task[0].tests": true,
			"task[0].flake": true, "task[0].fetch": true, "task[0].allow": true,
			"tests.required": true, "tests.removes": true, "stability.runs": true, "stability.vary": true,
			"mutation.scope": true, "mutation.budget": true, "mutation.baseline": true,
			"limits.deadline": true, "limits.memory": true, "limits.processes": true, "limits.cpus": true,
			"assurance.require": true, "assurance.protect": true,
		},
	}
	if diff := cmp.Diff(want, s, onlyData); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
}

// Nothing but WASI can hold a module of WebAssembly, so that nobody has to say it.
func TestModulesHaveTheFenceWASI(t *testing.T) {
	const module, program = "[[task]]\nname = \"m\"\nrun = [\"./check.wasm\"]\n", "[[task]]\nname = \"p\"\nrun = [\"check\"]\n"
	for text, want := range map[string]string{
		module: FenceWASI, program: FenceLocal, module + program: FenceLocal, "[env]\nfence = \"local\"\n" + module: FenceLocal,
	} {
		if got := mustParse(t, "id = \"x\"\n"+text).Env.Fence; got != want {
			t.Errorf("%s\nhas the fence %s, want %s", text, got, want)
		}
	}
}

func TestEveryKey(t *testing.T) {
	s := mustParse(t, string(read(t, "good/every_key.toml")["testdata/good/every_key.toml"]))
	want := &Spec{
		Name: "lane.toml", ID: "Every.Key_1", Title: "Every key is given, and none at its default", Change: "removal",
		Source: Source{Repo: "ssh://git@example.org/shop.git", Base: "release/1.x", Head: "v2.0.0^{commit}", Git: true},
		Env: Env{
			Flake: "nix/shells#go", Extras: []string{"nix/*.nix", "nix/lib/**"},
			Accept: []string{"sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"},
			Fetch:  [][]string{{"npm", "ci"}, {"sh", "-c", "make vendor"}},
			Allow:  []string{"registry.example.org:443", "192.0.2.1:8080", ".below.example.org:443", "[2001:db8::1]:443"}, Tree: "copy", Fence: "wasi",
		},
		Criteria: []Criterion{
			{
				ID: "AC-1", Kind: "test", Text: "A discount code\napplies once", Code: []string{"src/cart", "lib/**/*.[jt]s"},
				Tests: []string{"cart > applies once", "TestOnce/two codes"}, Removes: []string{"TestTwice"},
			},
			{ID: "AC-2", Kind: "deploy", Text: "The service starts", Code: []string{}, Tests: []string{}, Removes: []string{}},
			{ID: "AC-3", Kind: "manual", Text: "It looks good", Code: []string{}, Tests: []string{}, Removes: []string{}},
			{ID: "AC-4", Kind: "black-box", Text: "The binary prints its version", Code: []string{}, Tests: []string{}, Removes: []string{}},
			{ID: "AC-5", Kind: "target", Text: "The shop adds up what is ordered", Code: []string{}, Tests: []string{"test_once"}, Removes: []string{}},
		},
		Tasks: []Task{
			{
				Name: "unit", Run: []string{"go", "test", "./..."}, Reporter: "go", Timeout: time.Hour + 2*time.Minute + 3500*time.Millisecond,
				Dir: "services/cart", Env: map[string]string{"CI": "1", "EMPTY": ""}, Tests: []string{"TestTask"},
				Flake: ".#own", Fetch: [][]string{}, Allow: []string{},
			},
			{
				Name: "e2e", Run: []string{"sh", "-c", "make e2e && cat report.xml"}, Reporter: "junit:build/report.xml",
				Timeout: 5 * time.Minute, Dir: ".", Env: map[string]string{}, Tests: []string{},
				Flake: "nix/shells#go", Fetch: [][]string{{"npm", "ci"}, {"sh", "-c", "make vendor"}},
				Allow: []string{"registry.example.org:443", "192.0.2.1:8080", ".below.example.org:443", "[2001:db8::1]:443"},
			},
			{
				Name: "shop", Kind: "api", Run: []string{"pytest", "acceptance"}, Reporter: "auto",
				Timeout: 5 * time.Minute, Dir: ".", Env: map[string]string{}, Tests: []string{"acceptance/test_shop.py::test_sum"},
				Flake: "nix/shells#go", Fetch: [][]string{{"npm", "ci"}, {"sh", "-c", "make vendor"}},
				Allow: []string{"registry.example.org:443", "192.0.2.1:8080", ".below.example.org:443", "[2001:db8::1]:443"},
			},
		},
		Services: []Service{{Name: "db", Prepare: []string{"initdb", "-D", "/tmp/data"}, Up: []string{"postgres", "-D", "/tmp/data"}, Port: 5432,
			Health: []string{"pg_isready"}, Tasks: []string{"e2e"}, Timeout: time.Minute}},
		Target: &Target{
			Name: "shop-{label}", Task: "unit", Build: []string{"go", "build", "-o", "/tmp/shop", "./cmd/shop"}, Up: []string{"/tmp/shop"}, Port: 8080,
			Health: "/healthz?full=1", Check: []string{"sh", "acceptance.sh"}, Down: []string{"sh", "down.sh"}, Timeout: 30 * time.Second,
		},
		Hidden: &Hidden{Kind: "black-box", Task: "e2e", Run: []string{"python3", "drive.py"}, Reporter: "tap", Program: []string{"bin/shop", "--serve"},
			Tests: []string{"applies a code once"}, Timeout: 90 * time.Second},
		Tests: Tests{Required: []string{"TestAlways"}, Removes: []string{"TestNever"}},
		Deploy: Deploy{Manifests: []string{"deploy/**/*.yaml"}, Render: [][]string{{"kustomize", "build", "deploy/production"}}, Sources: []string{"deploy/base/**"}, Box: "unit",
			Namespace: "shop", Namespaces: []string{"shop", "shop-jobs"}},
		Downstream: []Downstream{{Name: "toolbox", Source: "https://example.org/toolbox.git", Commit: "5f0c2c1e8a3cbb0c8cf1a1c2c8a4d1c3b5a69788", Place: "vendor/example.org/shop",
			Folder: "src/shop", Run: []string{"go", "test", "./..."}, Reporter: "go", Dir: "cli", Task: "e2e", Env: map[string]string{"TERM": "dumb"}, Tests: []string{"example.org/toolbox.TestBox"}, Timeout: 3 * time.Minute}},
		Stability: Stability{Runs: 10, Vary: []string{}},
		Mutation:  Mutation{Scope: "criteria", Budget: 30 * time.Minute, Baseline: "accepted.toml"},
		Limits:    Limits{Deadline: 2 * time.Hour, Memory: 3 << 29, Processes: 100, CPUs: 8},
		Assurance: Assurance{Require: 3, Protect: []string{"acceptance/**", "ci.sh"}},
	}
	if diff := cmp.Diff(want, s, onlyData, cmpopts.IgnoreFields(Spec{}, "Defaults")); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	for key := range s.Defaults {
		if !strings.HasPrefix(key, "task[1].") && !strings.HasPrefix(key, "task[2].") && !strings.HasPrefix(key, "criterion[") && key != "source.patch" {
			t.Errorf("%s is marked as left at its default", key)
		}
	}
	if got, want := s.RequiredNames(), []string{"TestAlways", "TestOnce/two codes", "TestTask", "cart > applies once"}; !slices.Equal(got, want) {
		t.Errorf("required: %q, want %q", got, want)
	}
	if got, want := s.RemovedNames(), []string{"TestNever", "TestTwice"}; !slices.Equal(got, want) {
		t.Errorf("removed: %q, want %q", got, want)
	}
	if folder, attribute := s.Tasks[1].FlakeRef(); folder != "nix/shells" || attribute != "go" {
		t.Errorf("flake of e2e: %q %q", folder, attribute)
	}
	if s.Tasks[0].Report() != "" || s.Tasks[1].Report() != "build/report.xml" {
		t.Errorf("reports: %q %q", s.Tasks[0].Report(), s.Tasks[1].Report())
	}
	if !s.Criteria[0].Covers("src/cart/a/b.go") || s.Criteria[0].Covers("src/carts.go") {
		t.Error("AC-1 covers other code than src/cart")
	}
}

func TestPatchAndDeadline(t *testing.T) {
	s := mustParse(t, string(read(t, "good/patch.toml")["testdata/good/patch.toml"]))
	if s.Source.Patch != "patches/fix.diff" || s.Source.Head != "" || s.Defaults["source.head"] {
		t.Errorf("source: %+v", s.Source)
	}
	if s.Tasks[0].Timeout != 3*time.Minute || s.Mutation.Budget != 3*time.Minute {
		t.Errorf("defaults beyond the deadline: timeout %v, budget %v", s.Tasks[0].Timeout, s.Mutation.Budget)
	}
}

// The same spec, whatever an editor did to its bytes.
func TestBytesThatDoNotMatter(t *testing.T) {
	text := string(read(t, "good/every_key.toml")["testdata/good/every_key.toml"])
	want := mustParse(t, text)
	for name, variant := range map[string]string{
		"byte order mark": "\ufeff" + text,
		"CR LF":           strings.ReplaceAll(text, "\n", "\r\n"),
		"comments":        "# a comment\n" + strings.ReplaceAll(text, "[limits]", "\n\n# more\n[ limits ] # and more"),
	} {
		t.Run(name, func(t *testing.T) {
			got := mustParse(t, variant)
			if name == "CR LF" { // a multi-line string keeps its line ends
				got.Criteria[0].Text = strings.ReplaceAll(got.Criteria[0].Text, "\r\n", "\n")
			}
			if diff := cmp.Diff(want, got, onlyData); diff != "" {
				t.Errorf("spec (-want +got):\n%s", diff)
			}
			if want.FileDigest == got.FileDigest {
				t.Error("the digest of other bytes is the same")
			}
			if name != "CR LF" && want.Digest != got.Digest {
				t.Error("the digest of the meaning differs")
			}
		})
	}
}

func TestUnreadable(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"too long", strings.Repeat("#", MaxSize+1), "lane.toml: a spec file has at most 1 MiB, this one has more; is it the right file?"},
		{"UTF-16", "\xff\xfei\x00d\x00", "lane.toml: the file is UTF-16; save it as UTF-8"},
		{"UTF-16 without a mark", "i\x00d\x00", "lane.toml:1:2: a NUL byte; the file looks like UTF-16; save it as UTF-8"},
		{"Latin-1", "id = \"x\"\ntitle = \"caf\xe9\"", "lane.toml:2:13: the byte 0xe9 is not UTF-8; save the file as UTF-8"},
		{"half a character", "# \xe4\xb8", "lane.toml:1:3: the byte 0xe4 is not UTF-8; save the file as UTF-8"},
		{"escape", "id = \"\x1b[2J\"", "lane.toml:1:7: the control character '\\x1b'; TOML wants it escaped, as in \"\\u001b\""},
		{"old Macintosh", "id = 1\rtitle = 2", "lane.toml:1:7: a carriage return without a line feed; end lines by LF or CR LF"},
		{"deep nesting", "a = " + strings.Repeat("[", 1000000), "lane.toml:1:38: values nested more than 32 deep"},
		{"endless key", strings.Repeat("a.", 500000), "lane.toml:1:33: a key of more than 16 names"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("lane.toml", []byte(tt.data))
			if err == nil || err.Error() != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

// A byte order mark is no column of the first line.
func TestByteOrderMarkHasNoColumn(t *testing.T) {
	_, err := Parse("lane.toml", []byte("\ufeffidd = \"x\""))
	if err == nil || !strings.Contains(err.Error(), "lane.toml:1:1: unknown key \"idd\" at the top of the file; did you mean \"id\"?") {
		t.Errorf("error %v", err)
	}
}

// A test that is named twice is required once.
func TestNamesComeOnce(t *testing.T) {
	s := mustParse(t, withTask("[tests]\nrequired = [\"b\", \"a\"]\nremoves = [\"d\"]\n[[criterion]]\nid = \"A\"\ntext = \"t\"\ntests = [\"a\"]\nremoves = [\"d\", \"c\"]"))
	if got := s.RequiredNames(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("required %q", got)
	}
	if got := s.RemovedNames(); !slices.Equal(got, []string{"c", "d"}) {
		t.Errorf("removed %q", got)
	}
}

// A replacement character that is written as such is text.
func TestReplacementCharacterIsText(t *testing.T) {
	if s := mustParse(t, withTask("title = \"\ufffd\"")); s.Title != "\ufffd" {
		t.Errorf("title %q", s.Title)
	}
}

// A stranger's file costs time in proportion to its length.
func TestHostileFilesEndSoon(t *testing.T) {
	wide := func(line string) string { return strings.Repeat(line, 900_000/len(line)) }
	numbered := func(format func(i string) string) string {
		var b strings.Builder
		for i := 0; b.Len() < 900_000; i++ {
			b.WriteString(format(strings.Repeat("k", 3) + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("z", i/300)))
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"one unknown key often": wide("[[task]]\nnme = 1\n"),
		"unknown keys":          numbered(func(i string) string { return i + " = 1\n" }),
		"broken lines":          wide("a\n"),
		"broken headers":        wide("[a\n"),
		"duplicates":            wide("id = 1\n"),
		"quotes":                wide("\"\"\" "),
		"open brackets":         wide("a = [\n"),
		"globs":                 withTask("[env]\nextras = [\"" + wide("*a") + "\"]"),
		"inline tables":         "task = [" + wide("{a=1},") + "]",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, err := Parse("lane.toml", []byte(text))
			if err == nil {
				t.Error("accepted")
			}
			if took := time.Since(start); took > time.Minute { // in the square of its length it would be hours; a busy machine takes ten seconds
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "lane.toml")
	if err := os.WriteFile(file, []byte(withTask("")), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Load(file)
	if err != nil || s.ID != "x" || s.Name != file {
		t.Errorf("spec %+v, error %v", s, err)
	}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Load(filepath.Join(dir, "none.toml")); !errors.Is(err, os.ErrNotExist) || strings.Count(err.Error(), "none.toml") != 1 {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(file, bytes.Repeat([]byte("#"), MaxSize+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(file); err == nil || !strings.Contains(err.Error(), "1 MiB") {
		t.Errorf("a long file: %v", err)
	}
}

func TestProblemPointsIntoTheFile(t *testing.T) {
	s := mustParse(t, withTask("[env]\nfence = \"wasi\""))
	for key, want := range map[string]string{
		"env.fence":       "lane.toml:3:9: no such fence; use local",
		"env.tree":        "lane.toml:2:1: no such fence; use local",
		"limits.memory":   "lane.toml:1:1: no such fence; use local",
		"task[0].run[0]":  "lane.toml:6:8: no such fence; use local",
		"task[0].timeout": "lane.toml:4:1: no such fence; use local",
	} {
		if got := s.Problem(key, "no such fence", "use local").Error(); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	if got := (&Spec{Name: "x"}).Problem("a.b", "m", "").Error(); got != "x:1:1: m" {
		t.Errorf("a spec that was not parsed: %s", got)
	}
}

func TestDigestFollowsTheMeaning(t *testing.T) {
	same := []string{
		withTask(""),
		"[[task]]\nrun = ['true']\nname = 'unit'\n[source]\n",
		withTask("title = \"x\"\nchange = \"feature\"\n[limits]\nmemory = \"2048MiB\"\ndeadline = \"60m\""),
	}
	same[1] = "id = 'x'\n" + same[1]
	first := mustParse(t, same[0])
	for _, text := range same[1:] {
		if mustParse(t, text).Digest != first.Digest {
			t.Errorf("%q means the same and has another digest", text)
		}
	}
	for _, top := range []string{
		"title = \"y\"", "change = \"fix\"", "[source]\nbase = \"main\"", "[source]\nhead = \"x\"", "[source]\ngit = true",
		"[env]\nflake = \".#y\"", "[limits]\ncpus = 3", "[stability]\nvary = []", "[mutation]\nbudget = \"14m\"",
		"[assurance]\nrequire = 0", "[tests]\nrequired = [\"a\"]", "[tests]\nremoves = [\"a\"]",
	} {
		if mustParse(t, withTask(top)).Digest == first.Digest {
			t.Errorf("%q means something else and has the same digest", top)
		}
	}
}

// What runs beside tests of the tree, or borrows their environment, is by default that of tasks which test the tree, wherever those on the target stand.
func TestTasksOnTheTargetAreNobodysDefault(t *testing.T) {
	s := mustParse(t, `id = "x"
[[task]]
name = "shop"
kind = "api"
run = ["pytest"]
[[task]]
name = "unit"
run = ["pytest"]
[[service]]
name = "db"
up = ["postgres"]
port = 5432
[[downstream]]
name = "toolbox"
source = "https://example.org/toolbox.git"
commit = "5f0c2c1e8a3cbb0c8cf1a1c2c8a4d1c3b5a69788"
place = "lib"
run = ["pytest"]
[target]
name = "shop-{label}"
production = false
up = ["./shop"]
port = 8080
`)
	if !slices.Equal(s.Services[0].Tasks, []string{"unit"}) || s.Downstream[0].Task != "unit" {
		t.Errorf("the service is of %q, the user's suite in the box of %q", s.Services[0].Tasks, s.Downstream[0].Task)
	}
}
