//go:build linux

package gotest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vallane/lane/lane/observe"
)

// A bench runs plans without a fence: only for the projects of testdata, which Lane wrote itself.
type bench struct {
	tree   string
	lane   string // stands for /lane
	goroot string
	cache  string
	env    []string
}

type outcome struct {
	session *observe.Session
	end     observe.End
	output  string
}

// newBench copies a project of testdata to where it will be tested.
func newBench(t *testing.T, project string) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{tree: filepath.Join(dir, "tree"), lane: filepath.Join(dir, "lane")}
	b.goroot, b.cache = goRoot()
	if err := os.CopyFS(b.tree, os.DirFS(filepath.Join("testdata", project))); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) request(argv ...string) observe.Request {
	return observe.Request{
		Argv: argv, TreeHost: b.tree, TreeBox: b.tree,
		Path: []string{filepath.Join(b.goroot, "bin")}, Home: filepath.Join(b.lane, "home"), Cache: b.cache,
	}
}

// instrument plans a run, with what would lie below /lane laid below b.lane.
func (b *bench) instrument(t *testing.T, r observe.Request) observe.Plan {
	t.Helper()
	p, err := Reporter{}.Instrument(r)
	if err != nil {
		t.Fatal(err)
	}
	b.lay(t, p.Files)
	return p
}

func (b *bench) lay(t *testing.T, files map[string][]byte) {
	t.Helper()
	for name, data := range files {
		at := b.at(name)
		if err := os.MkdirAll(path.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if name == overlayFile {
			data = bytes.ReplaceAll(data, []byte(`"/lane/`), []byte(`"`+b.lane+`/`))
		}
		if err := os.WriteFile(at, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func (b *bench) at(box string) string { return b.lane + strings.TrimPrefix(box, "/lane") }

// run executes a plan as the fence would.
func (b *bench) run(t *testing.T, p observe.Plan) outcome {
	t.Helper()
	c := p.Collector()
	end, output := b.exec(t, observe.Step{Argv: p.Argv, Env: p.Env}, c)
	return outcome{c.Session(), end, output}
}

// deadline is how long any command may take: far more than it needs on a busy machine.
const deadline = 6 * time.Minute

// patience is how long a command may go on after its last test has ended.
const patience = time.Second

// exec runs one step. c may be nil.
func (b *bench) exec(t *testing.T, s observe.Step, c *observe.Collector) (observe.End, string) {
	t.Helper()
	if c == nil {
		c = observe.NewCollector(observe.Options{})
	}
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "events"), os.NewFile(uintptr(pair[1]), "theirs")
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	name := s.Argv[0]
	if name == "go" {
		name = filepath.Join(b.goroot, "bin", "go")
	}
	cmd := exec.CommandContext(ctx, name, s.Argv[1:]...)
	cmd.Dir = filepath.Join(b.tree, s.Dir)
	cmd.Env = append([]string{"PATH=" + b.goroot + "/bin:/usr/bin:/bin", "HOME=" + b.lane + "/home", "TMPDIR=" + t.TempDir()}, b.env...)
	for _, kv := range s.Env {
		cmd.Env = append(cmd.Env, strings.ReplaceAll(kv, "=/lane/", "="+b.lane+"/"))
	}
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, observe.MaxRecord+1)
		for {
			n, err := ours.Read(buf)
			if n > 0 {
				c.Feed(bytes.Clone(buf[:n]))
				if c.Done() {
					time.AfterFunc(patience, cancel)
				}
			}
			if err != nil || n == 0 {
				return
			}
		}
	}()
	err = cmd.Wait()
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left behind holds the other end
	<-done
	ours.Close()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatal(err)
	}
	state := cmd.ProcessState
	return observe.End{Exited: state.Exited(), Code: state.ExitCode()}, out.String()
}
