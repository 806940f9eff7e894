package mutate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/vallane/lane/mutate"
)

// goRunner runs trials for real, on the trusted projects of testdata: it builds the test binary of each package with
// the trial's overlay and runs it, bounded by rlimits. It has no fence, and reads results from the verbose output,
// which is good enough for projects that print nothing themselves.
type goRunner struct {
	t        *testing.T
	dir      string
	packages []goPackage
	switched map[string]mutate.Content // what trials with a switch build, all of them once
	records  string                    // folder for what recorded runs note
	memory   uint64                    // address space in bytes; 0 = not bounded

	mu    sync.Mutex
	built map[string]*built // test binaries by package and overlay
}

// built is a test binary, or why there is none.
type built struct {
	once   sync.Once
	bin    string // "" = the package has no tests
	failed bool
	output string
	cpu    time.Duration
}

type goPackage struct{ ImportPath, Dir string }

// newGoRunner copies a project of testdata into a folder of its own.
func newGoRunner(t *testing.T, project string) *goRunner {
	t.Helper()
	r := &goRunner{t: t, dir: t.TempDir(), built: map[string]*built{}}
	if err := os.CopyFS(r.dir, os.DirFS(project)); err != nil {
		t.Fatal(err)
	}
	// Module archives are read-only.
	_ = filepath.WalkDir(r.dir, func(p string, d os.DirEntry, _ error) error { return os.Chmod(p, 0o755) })
	mods := []string{filepath.Join(r.dir, "go.mod")}
	nested, err := filepath.Glob(filepath.Join(r.dir, "*", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range nested {
		if tests, _ := filepath.Glob(filepath.Join(filepath.Dir(m), "*_test.go")); len(tests) > 0 {
			mods = append(mods, m)
		}
	}
	for _, m := range mods {
		out, err := r.goCommand(context.Background(), filepath.Dir(m), "list", "-f", "{{.ImportPath}} {{.Dir}}", "./...").Output()
		if err != nil {
			t.Fatalf("go list in %s: %v", m, err)
		}
		for _, line := range strings.Fields(strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", " \x00 ")) {
			if line == "\x00" {
				continue
			}
			if n := len(r.packages); n > 0 && r.packages[n-1].Dir == "" {
				r.packages[n-1].Dir = line
			} else {
				r.packages = append(r.packages, goPackage{ImportPath: line})
			}
		}
	}
	return r
}

func (r *goRunner) goCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off", "GOMAXPROCS=1")
	return c
}

func (r *goRunner) Run(ctx context.Context, t mutate.Trial) (mutate.TrialResult, error) {
	res := mutate.TrialResult{Tests: map[string]mutate.Status{}, End: mutate.EndExited}
	start := time.Now()
	defer func() { res.Wall = time.Since(start) }()
	for name, data := range t.Lay {
		if err := os.WriteFile(filepath.Join(r.records, filepath.Base(name)), data, 0o644); err != nil {
			return res, err
		}
	}
	for i, p := range r.packages {
		run := r.pattern(p, t.Tests)
		if run == "" {
			continue
		}
		overlay := t.Overlay
		if t.Switch != "" {
			overlay = r.switched
		}
		b := r.build(ctx, i, overlay)
		if ctx.Err() != nil {
			return res, ctx.Err()
		}
		res.CPU += b.cpu
		if b.failed {
			res.BuildFailed, res.Exit, res.Output = true, 1, b.output
			continue
		}
		if b.bin == "" {
			continue
		}
		if err := r.exec(ctx, t, p, b.bin, run, &res); err != nil {
			return res, err
		}
		if t.Records != nil {
			res.Records = append(res.Records, r.record(p, t))
		}
		if res.End != mutate.EndExited || (t.FailFast && res.Exit != 0) {
			break
		}
	}
	return res, nil
}

// record takes away what a package's program noted.
func (r *goRunner) record(p goPackage, t mutate.Trial) mutate.Record {
	rec := mutate.Record{Files: map[string][]byte{}}
	for _, id := range t.Tests {
		if strings.HasPrefix(id, p.ImportPath+".") {
			rec.Tests = append(rec.Tests, id)
		}
	}
	for _, name := range t.Records {
		at := filepath.Join(r.records, filepath.Base(name))
		if data, err := os.ReadFile(at); err == nil {
			rec.Files[name] = data
			os.Remove(at)
		}
	}
	return rec
}

func (r *goRunner) build(ctx context.Context, pkg int, files map[string]mutate.Content) *built {
	key := fmt.Sprint(pkg, files)
	r.mu.Lock()
	b := r.built[key]
	if b == nil {
		b = &built{}
		r.built[key] = b
	}
	r.mu.Unlock()
	b.once.Do(func() {
		tmp := r.t.TempDir()
		overlay, err := r.writeOverlay(tmp, files)
		if err != nil {
			b.failed, b.output = true, err.Error()
			return
		}
		bin := filepath.Join(tmp, "suite.test")
		c := r.goCommand(ctx, r.packages[pkg].Dir, "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-o", bin, ".")
		out, err := c.CombinedOutput()
		b.failed, b.output = err != nil, string(out)
		if c.ProcessState != nil {
			b.cpu = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		}
		if _, err := os.Stat(bin); err == nil {
			b.bin = bin
		}
	})
	return b
}

func (r *goRunner) writeOverlay(tmp string, files map[string]mutate.Content) (string, error) {
	replace := map[string]string{}
	n := 0
	for p, c := range files {
		to := ""
		if !c.Delete {
			n++
			to = filepath.Join(tmp, fmt.Sprintf("%d-%s", n, filepath.Base(p)))
			if err := os.WriteFile(to, c.Data, 0o644); err != nil {
				return "", err
			}
		}
		replace[filepath.Join(r.dir, p)] = to
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(tmp, "overlay.json")
	return name, os.WriteFile(name, b, 0o644)
}

// pattern selects tests of one package; "" = none of its tests is asked.
func (r *goRunner) pattern(p goPackage, tests []string) string {
	if tests == nil {
		return "."
	}
	var names []string
	for _, id := range tests {
		if name, ok := strings.CutPrefix(id, p.ImportPath+"."); ok && !strings.Contains(name, "/") {
			names = append(names, name)
		}
	}
	if names == nil {
		return ""
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

func (r *goRunner) exec(ctx context.Context, t mutate.Trial, p goPackage, bin, run string, res *mutate.TrialResult, args ...string) error {
	out, err := os.CreateTemp(filepath.Dir(bin), "out")
	if err != nil {
		return err
	}
	defer out.Close()
	limits := fmt.Sprintf("ulimit -t %d; ", int(max(1, (t.CPU-res.CPU).Seconds())))
	if r.memory > 0 {
		limits += fmt.Sprintf("ulimit -v %d; ", r.memory/1024)
	}
	value := filepath.Join(filepath.Dir(out.Name()), filepath.Base(out.Name())+".switch")
	if err := os.WriteFile(value, []byte(t.Switch), 0o644); err != nil {
		return err
	}
	argv := []string{"-c", limits + `exec "$@" 9<` + value, "sh", bin, "-test.v", "-test.run=" + run, "-test.timeout=0"}
	if t.FailFast {
		argv = append(argv, "-test.failfast")
	}
	c := exec.Command("sh", append(argv, args...)...)
	c.Dir, c.Stdout, c.Stderr = p.Dir, out, out
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		return err
	}
	group := -c.Process.Pid
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	wall := time.NewTimer(t.Wall)
	defer wall.Stop()
	timedOut := false
	select {
	case err = <-ended:
	case <-wall.C:
		timedOut = true
	case <-ctx.Done():
	}
	if timedOut || ctx.Err() != nil {
		_ = syscall.Kill(group, syscall.SIGKILL)
		err = <-ended
	}
	if syscall.Kill(group, 0) == nil {
		res.Left++
		_ = syscall.Kill(group, syscall.SIGKILL)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	res.CPU += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	text, readErr := os.ReadFile(out.Name())
	if readErr != nil {
		return readErr
	}
	res.Output = string(text[max(0, len(text)-4096):])
	readTests(p.ImportPath, text, res.Tests)
	return r.classify(timedOut, err, text, res)
}

func (r *goRunner) classify(timedOut bool, err error, text []byte, res *mutate.TrialResult) error {
	var exit *exec.ExitError
	switch {
	case timedOut:
		res.End = mutate.EndTimeout
	case err == nil:
	case !errors.As(err, &exit):
		return err
	case bytes.Contains(text, []byte("out of memory")), bytes.Contains(text, []byte("cannot allocate memory")):
		res.End = mutate.EndMemory
	case exit.Sys().(syscall.WaitStatus).Signaled():
		sig := exit.Sys().(syscall.WaitStatus).Signal()
		res.End = mutate.EndSignaled
		if sig == syscall.SIGXCPU || (r.memory == 0 && sig == syscall.SIGKILL) {
			res.End = mutate.EndCPU
		}
	case bytes.Contains(text, []byte("SIGXCPU")):
		res.End = mutate.EndCPU
	default:
		res.Exit = max(res.Exit, exit.ExitCode())
	}
	return nil
}

var (
	runLine = regexp.MustCompile(`(?m)^=== RUN +(\S+)$`)
	endLine = regexp.MustCompile(`(?m)^ *--- (PASS|FAIL|SKIP): (\S+) \(`)
)

func readTests(pkg string, out []byte, into map[string]mutate.Status) {
	for _, m := range runLine.FindAllSubmatch(out, -1) {
		into[pkg+"."+string(m[1])] = mutate.Unfinished
	}
	for _, m := range endLine.FindAllSubmatch(out, -1) {
		into[pkg+"."+string(m[2])] = map[string]mutate.Status{"PASS": mutate.Passed, "FAIL": mutate.Failed, "SKIP": mutate.Skipped}[string(m[1])]
	}
}
