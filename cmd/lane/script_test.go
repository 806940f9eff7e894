package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/vallane/lane/assurance"
	"github.com/vallane/lane/internal/testclosure"
	"github.com/vallane/lane/internal/testcluster"
	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/fence/wasi"
)

func TestMain(m *testing.M) {
	fence.Init()
	wasi.Init()
	testscript.Main(m, map[string]func(){"lane": main})
}

// TestStories runs every testdata/script/*.txt: one story each, told with real Nix, git and fence.
//
// Beside testscript's own commands there are
//
//	repo [LANGUAGE]    makes a git repository in $WORK/repo from the folder base, with a closure of go (the
//	                   default), python, node, c or any (a shell) and the spec lane.toml (from base, else a plain one) on the branch main
//	change FOLDER...   commits the folders on top of each other to the branch "change", which is made anew, and checks main out
//	lane-exits N ARGS  runs lane and wants exit code N
//	verdict KEY VALUE  wants a field of the newest verdict, such as val, outcome, status, refusal.code
//	clause ID STATE    wants a clause of the newest verdict in a state
//	level-below N      wants the newest verdict below VAL-N
//	spec KEY=VALUE     sets head or patch of the spec
//	apiserver          names the programs of a real API server, which it builds the first time
//	flake-says TEXT    gives main another flake.nix, or none
//	user NAME          makes a git repository of the folder NAME, and puts its commit into the specs of base for the word COMMIT-OF-NAME
//	pack FILE FOLDER   makes an archive of hidden tests
func TestStories(t *testing.T) {
	testclosure.Go(t).Close() // once, before the stories ask for it side by side
	pins := map[string][]byte{}
	for _, language := range []string{"python", "node", "c", "memcached", "any"} {
		pins[language] = testclosure.Pins(t, language)
	}
	cache := sharedCache(t)
	plugins := buildPlugins(t)
	cluster := sync.OnceValues(testcluster.Programs)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			state := filepath.Join(env.WorkDir, ".state")
			env.Setenv("LANE_STATE", state)
			env.Setenv("LANE_CACHE", cache)
			env.Setenv("LANE_SHARED", testclosure.Shared())
			env.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
			env.Setenv("NO_COLOR", "1")
			env.Values["pins"] = pins
			env.Setenv("PLUGINS", plugins)
			// What was hashed in full once by this user need not be hashed again in each story.
			seals := filepath.Join(cache, "seals")
			return errors.Join(os.MkdirAll(seals, 0o755), os.MkdirAll(state, 0o755), os.Symlink(seals, filepath.Join(state, "seals")))
		},
		Condition: condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"apiserver": func(ts *testscript.TestScript, _ bool, _ []string) {
				p, err := cluster()
				ts.Check(err)
				ts.Setenv("LANE_KUBE_APISERVER", p.APIServer)
				ts.Setenv("LANE_ETCD", p.Etcd)
			},
			"user": makeUser, "repo": makeRepo, "change": makeChange, "lane-exits": laneExits,
			"verdict": wantField, "clause": wantClause, "level-below": wantBelow, "spec": setSpec, "flake-says": setFlake, "pack": packArchive,
		},
	})
}

// buildPlugins makes a folder with the example of a plugin and one that does what it may not; see mutate/plugin/testdata/attack.
func buildPlugins(t *testing.T) string {
	dir := t.TempDir()
	for name, from := range map[string]string{"units.wasm": "../../examples/plugins/go", "attack.wasm": "../../mutate/plugin/testdata/attack"} {
		cmd := exec.Command("go", "build", "-o", filepath.Join(dir, name), from)
		cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", name, err, out)
		}
	}
	return dir
}

// sharedCache keeps build caches between stories and runs: they are keyed by content.
func sharedCache(t *testing.T) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "lane-test")
}

const plainSpec = `id = "story"
change = "feature"

[source]
head = "change"
`

// suites are how a story's spec runs the tests of a language.
var suites = map[string]string{
	"go":     "\n[[task]]\nname = \"unit\"\nrun = [\"go\", \"test\", \"./...\"]\n",
	"python": "\n[env]\nextras = [\"debian.json\"]\n\n[[task]]\nname = \"unit\"\nrun = [\"pytest\"]\n",
	"node":   "\n[env]\nextras = [\"debian.json\"]\n\n[[task]]\nname = \"unit\"\nrun = [\"node\", \"--test\"]\n",
	"c":      "\n[env]\nextras = [\"debian.json\"]\n\n[[task]]\nname = \"unit\"\nbuild = [\"sh\", \"build.sh\"]\nrun = [\"./check\"]\nreporter = \"tap\"\n",
	"any":    "\n[env]\nextras = [\"debian.json\"]\n\n[[task]]\nname = \"unit\"\nrun = [\"sh\", \"test/run.sh\"]\nreporter = \"exit\"\n",
}

func makeRepo(ts *testscript.TestScript, _ bool, args []string) {
	language := "go"
	if len(args) > 0 {
		language = args[0]
	}
	dir := ts.MkAbs("repo")
	ts.Check(os.CopyFS(dir, os.DirFS(ts.MkAbs("base"))))
	files := map[string][]byte{"lane.toml": []byte(plainSpec + suites[language]), "flake.nix": testclosure.ExampleFlake(language)}
	if pins := ts.Value("pins").(map[string][]byte)[language]; pins != nil {
		files["debian.json"], files[".gitignore"] = pins, []byte("debian.json\n")
	}
	for name, data := range files {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			ts.Check(os.WriteFile(filepath.Join(dir, name), data, 0o644))
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "py")); err == nil { // a part of the project in another language
		ts.Check(os.WriteFile(filepath.Join(dir, "py", "flake.nix"), testclosure.ExampleFlake("python"), 0o644))
		ts.Check(os.WriteFile(filepath.Join(dir, "py", "debian.json"), ts.Value("pins").(map[string][]byte)["python"], 0o644))
		ts.Check(os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("debian.json\n"), 0o644))
	}
	git(ts, "init", "-q", "-b", "main")
	commitAll(ts, "base")
}

func makeChange(ts *testscript.TestScript, _ bool, folders []string) {
	git(ts, "checkout", "-q", "-B", "change")
	for _, f := range folders {
		copyOver(ts, ts.MkAbs(f), ts.MkAbs("repo"))
	}
	commitAll(ts, "change")
	git(ts, "checkout", "-q", "main")
}

// copyOver lays a folder over another; a file named x.gone takes x away.
func copyOver(ts *testscript.TestScript, from, to string) {
	ts.Check(filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(from, path)
		target := filepath.Join(to, rel)
		if gone, ok := strings.CutSuffix(target, ".gone"); ok {
			return os.Remove(gone)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	}))
}

func commitAll(ts *testscript.TestScript, message string) {
	git(ts, "add", "-A")
	git(ts, "-c", "user.name=story", "-c", "user.email=story@example.org", "commit", "-q", "--allow-empty", "-m", message)
}

func git(ts *testscript.TestScript, args ...string) { gitIn(ts, "repo", args...) }

// gitIn runs git in a folder and returns what it prints.
func gitIn(ts *testscript.TestScript, dir string, args ...string) string {
	cmd := exec.Command("git", args...)
	cmd.Dir = ts.MkAbs(dir)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		ts.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func makeUser(ts *testscript.TestScript, _ bool, args []string) {
	name := args[0]
	gitIn(ts, name, "init", "-q", "-b", "main")
	gitIn(ts, name, "add", "-A")
	gitIn(ts, name, "-c", "user.name=story", "-c", "user.email=story@example.org", "commit", "-q", "-m", "a user")
	specs, _ := filepath.Glob(ts.MkAbs("base/*.toml"))
	for _, file := range specs {
		data, err := os.ReadFile(file)
		ts.Check(err)
		ts.Check(os.WriteFile(file, []byte(strings.ReplaceAll(string(data), "COMMIT-OF-"+name, gitIn(ts, name, "rev-parse", "HEAD"))), 0o644))
	}
}

func laneExits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec("lane", args[1:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("lane: %v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// newest reads the newest verdict of the story.
func newest(ts *testscript.TestScript) (v assurance.Verdict, raw map[string]any) {
	files, _ := filepath.Glob(filepath.Join(ts.Getenv("LANE_STATE"), "specs", "*", "*", "runs", "*", "verdict.json"))
	if len(files) == 0 {
		ts.Fatalf("there is no verdict")
	}
	slices.SortFunc(files, func(a, b string) int {
		x, _ := os.Stat(a)
		y, _ := os.Stat(b)
		return y.ModTime().Compare(x.ModTime())
	})
	data, err := os.ReadFile(files[0])
	ts.Check(err)
	ts.Check(json.Unmarshal(data, &v))
	ts.Check(json.Unmarshal(data, &raw))
	return v, raw
}

func wantField(ts *testscript.TestScript, neg bool, args []string) {
	_, raw := newest(ts)
	var at any = raw
	for _, key := range strings.Split(args[0], ".") {
		m, _ := at.(map[string]any)
		at = m[key]
	}
	got, ok := at.(string)
	if !ok {
		data, _ := json.Marshal(at)
		got = string(data)
	}
	if (got == args[1]) == neg {
		ts.Fatalf("verdict has %s = %s, want %s", args[0], got, args[1])
	}
}

func wantClause(ts *testscript.TestScript, neg bool, args []string) {
	v, _ := newest(ts)
	for _, c := range v.Clauses {
		if string(c.ID) != args[0] {
			continue
		}
		if (string(c.State) == args[1]) == neg {
			ts.Fatalf("clause %s is %s (%s: %s %v), want %s", c.ID, c.State, c.Code, c.Reason, c.Facts, args[1])
		}
		if len(args) > 2 && c.Code != args[2] {
			ts.Fatalf("clause %s has code %q (%s), want %q", c.ID, c.Code, c.Reason, args[2])
		}
		return
	}
	ts.Fatalf("there is no clause %s", args[0])
}

func wantBelow(ts *testscript.TestScript, _ bool, args []string) {
	v, _ := newest(ts)
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	if int(v.Level) >= n {
		ts.Fatalf("the level is %s, want it below VAL-%d", v.Level, n)
	}
}
