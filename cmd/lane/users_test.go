package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/vallane/lane/internal/testclosure"
)

// ordinary is a user that no password file knows.
const ordinary = 12345

// user is somebody who runs lane: root and an ordinary user where the test is root, else just the caller.
type user struct {
	name string
	id   int
	home string
}

func users(t *testing.T) []user {
	t.Helper()
	var out []user
	for _, u := range []user{{name: "root", id: 0}, {name: "ordinary", id: ordinary}} {
		if os.Geteuid() != 0 {
			u = user{name: "caller", id: os.Geteuid()}
		}
		u.home = filepath.Join(open(t, t.TempDir()), u.name)
		if err := os.Mkdir(u.home, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(u.home, u.id, u.id); err != nil {
			t.Fatal(err)
		}
		out = append(out, u)
		if u.name == "caller" {
			break
		}
	}
	return out
}

// open lets everybody pass through a temporary folder and those above it.
func open(t *testing.T, dir string) string {
	t.Helper()
	for p := dir; p != os.TempDir() && p != "/"; p = filepath.Dir(p) {
		if err := os.Chmod(p, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// command is a command that this user runs, with nothing of the test's environment that matters to lane.
func (u user) command(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + u.home, "LANE_SHARED=" + testclosure.Shared(), "NO_COLOR=1", "GIT_CONFIG_GLOBAL=/dev/null"}
	if u.id != os.Geteuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(u.id), Gid: uint32(u.id)}}
	}
	return cmd
}

// build makes the command as the Makefile does.
func build(t *testing.T) string {
	t.Helper()
	out := filepath.Join(open(t, t.TempDir()), "lane")
	cmd := exec.Command("go", "build", "-trimpath", "-o", out, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build lane: %v\n%s", err, text)
	}
	return out
}

// Every example gets its verdict, for an ordinary user who has no Nix store of his own and uses the closures that root warmed. Root, by
// whom the stories are told, checks the good change of each project.
func TestExamples(t *testing.T) {
	testclosure.Go(t)
	lane := build(t)
	examples := open(t, filepath.Join(t.TempDir()))
	if err := os.CopyFS(filepath.Join(examples, "examples"), os.DirFS("../../examples")); err != nil {
		t.Fatal(err)
	}
	tables, err := filepath.Glob(filepath.Join(examples, "examples", "*", "expected.txt"))
	if err != nil || len(tables) == 0 {
		t.Fatal(tables, err)
	}
	for _, table := range tables {
		dir := filepath.Dir(table)
		if _, err := os.Stat(filepath.Join(dir, "project", ".gitignore")); err != nil {
			continue // nothing of Debian's in it
		}
		pins := testclosure.Pins(t, filepath.Base(dir))
		if err := os.WriteFile(filepath.Join(dir, "project", "debian.json"), pins, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, u := range users(t) {
		t.Run(u.name, func(t *testing.T) {
			t.Parallel() // most of an example's time is waiting for few tests to run
			args, want := []string{"examples/run"}, 7*len(tables)
			if u.name == "root" {
				want = len(tables)
				for _, table := range tables {
					args = append(args, filepath.Base(filepath.Dir(table))+"/good")
				}
			}
			cmd := u.command(examples, "sh", args...)
			cmd.Env = append(cmd.Env, "LANE="+lane)
			out, err := cmd.CombinedOutput()
			t.Logf("%s", out)
			if err != nil {
				t.Errorf("%s: %v", args, err)
			}
			if n := strings.Count(string(out), "ok    "); n != want {
				t.Errorf("%d examples got their verdict, want %d", n, want)
			}
		})
	}
}

// A repository of 5,000 files with history, a spec on a branch, checked twice at once by each user.
func TestLargeRepositoryByManyAtOnce(t *testing.T) {
	testclosure.Go(t)
	lane := build(t)
	repo := largeRepository(t, open(t, t.TempDir()))
	var wg sync.WaitGroup
	for _, u := range users(t) {
		for _, spec := range []string{"one", "two"} {
			wg.Go(func() {
				out, err := u.command(repo, lane, "check", "specs/"+spec+".toml").CombinedOutput()
				if err != nil || !strings.Contains(string(out), "passed  VAL-1") {
					t.Errorf("%s, %s: %v\n%s", u.name, spec, err, out)
				}
			})
		}
	}
	wg.Wait()
	fsck := exec.Command("git", "-c", "safe.directory=*", "-C", repo, "fsck", "--strict")
	if out, err := fsck.CombinedOutput(); err != nil {
		t.Errorf("git fsck: %v\n%s", err, out)
	}
}

func largeRepository(t *testing.T, dir string) string {
	t.Helper()
	run := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	put := func(name, text string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run("init", "-q", "-b", "main")
	put("go.mod", "module large.example/m\n\ngo 1.24\n")
	put("m.go", "package m\n")
	put("flake.nix", string(testclosure.Flake()))
	for _, id := range []string{"one", "two"} {
		put("specs/"+id+".toml", "id = \""+id+"\"\nchange = \"feature\"\n[source]\nrepo = \"..\"\nhead = \"work\"\n[[task]]\nname = \"unit\"\nrun = [\"go\", \"test\", \"./...\"]\n")
	}
	for round := range 10 {
		for i := range 500 {
			put(fmt.Sprintf("data/%d/%d/file.txt", round, i), fmt.Sprintf("%d %d\n", round, i))
		}
		put("data/log.txt", strings.Repeat(fmt.Sprintln("line", round), 100*round))
		run("add", "-A")
		run("commit", "-q", "-m", fmt.Sprint("round ", round))
	}
	run("checkout", "-q", "-b", "work")
	put("m.go", "package m\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n")
	put("m_test.go", "package m\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(2, 3) != 5 {\n\t\tt.Error(\"2 + 3\")\n\t}\n}\n")
	run("add", "-A")
	run("commit", "-q", "-m", "add")
	run("checkout", "-q", "main")
	return dir
}
